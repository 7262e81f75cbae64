/* preempt - which jobs are preempted for which: by tier, by QOS, in which order, and which are exempt. */
#include "rig_het.h"

/* Two nodes with four cores; partitions of two tiers, one for each way of preemption. */
static void up(struct rig *r, const struct sched_conf *conf)
{
    static const struct {
        const char *name, *mode;
        uint32_t tier;
    } kinds[] = { { "main", "", 1 },    { "end", "CANCEL", 1 }, { "again", "REQUEUE", 2 },
                  { "keep", "OFF", 1 }, { "high", "OFF", 9 },   { "mine", "CANCEL", 1 } };
    struct rig_node nodes[2];
    Pb__Part part[ARRAY_LEN(kinds)], *parts[ARRAY_LEN(kinds)];
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        pb__part__init(&part[i]);
        part[i].name = (char *)(uintptr_t)kinds[i].name, part[i].preempt_mode = (char *)(uintptr_t)kinds[i].mode;
        part[i].nodes = (char *)(uintptr_t) "n[1-2]", part[i].priority_tier = kinds[i].tier;
        part[i].exclusive_user = str_eq(kinds[i].name, "mine");
        parts[i] = &part[i];
    }
    for (int i = 0; i < 2; i++)
        nodes[i] = (struct rig_node){
            .name = i ? "n2" : "n1", .sockets = 1, .cores = 4, .threads = 1, .mem_mb = 4000, .weight = 1
        };
    rig_up(r, nodes, 2, parts, ARRAY_LEN(kinds));
    sched_configure(r->s, conf);
}

static void add_qos(struct rig *r)
{
    static const struct {
        const char *name, *preempt, *mode;
        uint32_t priority;
    } kinds[] = { { "low", "", "cancel", 10 },
                  { "lower", "", "requeue", 5 },
                  { "safe", "", "off", 1 },
                  { "high", "low,lower,safe", "", 100 },
                  { "other", "", "cancel,within", 50 } };
    Pb__Qos qos[ARRAY_LEN(kinds)], *list[ARRAY_LEN(kinds)];
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        pb__qos__init(&qos[i]);
        qos[i].id = (uint32_t)i + 1, qos[i].name = (char *)(uintptr_t)kinds[i].name,
        qos[i].priority = kinds[i].priority;
        qos[i].preempt = (char *)(uintptr_t)kinds[i].preempt, qos[i].preempt_mode = (char *)(uintptr_t)kinds[i].mode;
        list[i] = &qos[i];
    }
    Pb__EvAssocUpdate e = PB__EV_ASSOC_UPDATE__INIT;
    e.qos = list, e.n_qos = ARRAY_LEN(kinds);
    Pb__Event ev = PB__EVENT__INIT;
    ev.body_case = PB__EVENT__BODY_ASSOC_UPDATE, ev.assoc_update = &e;
    rig_apply(r, &ev);
    sched_changed(r->s, NULL);
}

struct preempt_case {
    const char *name;
    struct rig_job
        run[4]; /* running when the last job comes; `limit_min` 0 ends the list.  They start a minute apart */
    struct rig_job comes;
    const char *want; /* "2:CANCEL 1:REQUEUE": which jobs, and how; empty: none */
    bool by_qos, youngest;
    uint32_t exempt_priority;
    int64_t exempt_s;
    const char *mode;
};

#define RUN(p, n) .part = p, .ntasks = n, .limit_min = 60
static const struct preempt_case tales[] = {
    { "a higher tier takes what it needs",
      { { RUN("end", 4), .nodelist = "n1" } },
      { RUN("high", 4), .nodelist = "n1" },
      "1:CANCEL" },
    { "each as its partition says",
      { { RUN("again", 4), .nodelist = "n1" } },
      { RUN("high", 4), .nodelist = "n1" },
      "1:REQUEUE" },
    { "or the cluster", { { RUN("main", 4), .nodelist = "n1" } }, { RUN("high", 4), .nodelist = "n1" }, "1:REQUEUE" },
    { "not jobs that may not be preempted",
      { { RUN("keep", 4), .nodelist = "n1" } },
      { RUN("high", 4), .nodelist = "n1" },
      "" },
    { "no job is preempted for one that would not start then",
      { { RUN("end", 2), .nodelist = "n1" }, { RUN("keep", 2), .nodelist = "n1" } },
      { RUN("high", 4), .nodes = 1, .nodelist = "n1" },
      "" },
    { "the lowest tier goes first", { { RUN("again", 4) }, { RUN("end", 4) } }, { RUN("high", 4) }, "2:CANCEL" },
    { "the smaller one goes first",
      { { RUN("end", 2), .nodes = 2, .nodelist = "n[1-2]" },
        { RUN("end", 3), .nodelist = "n1" },
        { RUN("keep", 3), .nodelist = "n2" } },
      { RUN("high", 1) },
      "2:CANCEL" },
    { "of two equal jobs the one that started last",
      { { RUN("end", 4) }, { RUN("end", 4) } },
      { RUN("high", 4) },
      "2:CANCEL" },
    { "a job that is not needed is spared",
      { { RUN("end", 1), .nodelist = "n1" }, { RUN("end", 3), .nodelist = "n1" }, { RUN("keep", 4) } },
      { RUN("high", 3), .nodelist = "n1" },
      "2:CANCEL" },
    { "youngest_first", { { RUN("end", 4) }, { RUN("again", 4) } }, { RUN("high", 4) }, "2:REQUEUE", .youngest = true },
    { "min_exempt_priority",
      { { RUN("end", 4), .prio = 500 }, { RUN("end", 4), .prio = 900 } },
      { RUN("high", 4) },
      "1:CANCEL",
      .exempt_priority = 600 },
    { "a job within its exempt time is spared",
      { { RUN("end", 4) }, { RUN("end", 4) } },
      { RUN("high", 4) },
      "1:CANCEL",
      .exempt_s = 90 },
    { "PRIORITY: only for a job of a higher one",
      { { RUN("end", 4), .prio = 2000 }, { RUN("end", 4), .prio = 900 } },
      { RUN("high", 4) },
      "2:CANCEL",
      .mode = "REQUEUE,PRIORITY" },
    { "a node of one user stays so",
      { { RUN("mine", 4), .uid = 1, .nodelist = "n1" } },
      { RUN("high", 4), .uid = 2, .nodelist = "n1" },
      "" },
    { "by QOS: the ones that its list names",
      { { RUN("main", 4), .qos = "low" }, { RUN("main", 4), .qos = "other" } },
      { RUN("main", 4), .qos = "high" },
      "1:CANCEL",
      .by_qos = true },
    { "the one of the lowest priority first",
      { { RUN("main", 4), .qos = "low" }, { RUN("main", 4), .qos = "lower" } },
      { RUN("main", 4), .qos = "high" },
      "2:REQUEUE",
      .by_qos = true },
    { "not with PreemptMode=OFF",
      { { RUN("main", 4), .qos = "safe" }, { RUN("main", 4), .qos = "safe" } },
      { RUN("main", 4), .qos = "high" },
      "",
      .by_qos = true },
    { "tiers do not count then",
      { { RUN("end", 4), .qos = "low" }, { RUN("end", 4) } },
      { RUN("high", 4), .qos = "low" },
      "",
      .by_qos = true },
    { "within a QOS by priority",
      { { RUN("main", 4), .qos = "other", .prio = 10 }, { RUN("main", 4), .qos = "other", .prio = 5000 } },
      { RUN("main", 4), .qos = "other" },
      "1:CANCEL,WITHIN",
      .by_qos = true },
};

static void check_case(const struct preempt_case *t)
{
    struct rig r;
    struct sched_conf conf = { .backfill = true,
                               .by_core = true,
                               .by_memory = true,
                               .preempt = true,
                               .preempt_qos = t->by_qos,
                               .preempt_mode = t->mode ? t->mode : "REQUEUE",
                               .youngest_first = t->youngest,
                               .min_exempt_priority = t->exempt_priority,
                               .preempt_exempt_s = t->exempt_s };
    up(&r, &conf);
    if (t->by_qos)
        add_qos(&r);
    bool ran = true;
    for (size_t i = 0; i < ARRAY_LEN(t->run) && t->run[i].limit_min; i++) {
        rig_submit(&r, t->run[i]);
        ran &= rig_plan(&r) == 1;
        r.now_s += 60;
    }
    rig_submit(&r, t->comes);
    struct plan p;
    char got[128] = "";
    sched_plan(r.s, r.c, r.now_s, NULL, &p);
    for (size_t i = 0; i < p.preempts.n; i++)
        snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%u:%s", *got ? " " : "", p.preempts.at[i].job->id,
                 p.preempts.at[i].mode);
    ok(ran && !p.starts.n && !strcasecmp(got, t->want), "%s: %s", t->name, *got ? got : "none");
    plan_clear(&p);
    rig_down(&r);
}

/* Suspension by QOS: one job more on a core than the partition allows, beside a job that it may preempt. */
static void suspend_by_qos(void)
{
    struct rig r;
    struct sched_conf conf = { .backfill = true,
                               .by_core = true,
                               .by_memory = true,
                               .preempt = true,
                               .preempt_qos = true,
                               .preempt_mode = "GANG,SUSPEND",
                               .gang = true };
    struct rig_node node = { .name = "n1", .sockets = 1, .cores = 4, .threads = 1, .mem_mb = 4000, .weight = 1 };
    Pb__Part part = PB__PART__INIT, *parts[] = { &part };
    part.name = (char[]){ "main" }, part.nodes = (char[]){ "n1" }, part.priority_tier = 1,
    part.oversubscribe = (char[]){ "FORCE:1" };
    rig_up(&r, &node, 1, parts, 1);
    sched_configure(r.s, &conf);
    add_qos(&r);
    uint32_t a = rig_submit(&r, (struct rig_job){ RUN("main", 4), .qos = "low" });
    uint32_t b = rig_submit(&r, (struct rig_job){ RUN("main", 4), .qos = "low" });
    uint32_t c = rig_submit(&r, (struct rig_job){ RUN("main", 4), .qos = "high" });
    uint32_t d = rig_submit(&r, (struct rig_job){ RUN("main", 4), .qos = "high" });
    rig_plan(&r);
    ok(str_eq(rig_where(&r, a), "n1:4/4") && str_eq(rig_where(&r, b), "-"), "a partition of one on each core");
    ok(str_eq(rig_where(&r, c), "n1:4/4"), "one more starts by the right of its QOS");
    ok(str_eq(rig_where(&r, d), "-"), "and only one, and not beside its own kind");
    rig_down(&r);
}

/* Jobs preempted for all components together. */
static void het(void)
{
    static const struct {
        const char *name, *want;
        struct rig_job run[3], set[3];
    } cases[] = {
        { "both nodes are needed",
          "1:CANCEL 2:REQUEUE",
          { { RUN("end", 4) }, { RUN("again", 4) } },
          { { .ntasks = 4, .part = "high" }, { .ntasks = 2, .part = "high" } } },
        { "one is free",
          "1:CANCEL",
          { { RUN("end", 4) } },
          { { .ntasks = 4, .part = "high" }, { .ntasks = 4, .part = "high" } } },
        { "no more go than have to",
          "2:CANCEL",
          { { RUN("keep", 2) }, { RUN("end", 4) } },
          { { .ntasks = 2, .part = "high" }, { .ntasks = 2, .part = "high" } } },
        { "three components do not fit on two nodes",
          "",
          { { RUN("end", 4) }, { RUN("end", 4) } },
          { { .ntasks = 1, .part = "high" }, { .ntasks = 1, .part = "high" }, { .ntasks = 1, .part = "high" } } },
        { "one component is not above them",
          "",
          { { RUN("end", 4) }, { RUN("end", 4) } },
          { { .ntasks = 4, .part = "high" }, { .ntasks = 4, .part = "main" } } },
    };
    const struct sched_conf conf = {
        .backfill = true, .by_core = true, .by_memory = true, .preempt = true, .preempt_mode = "REQUEUE"
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct rig r;
        struct plan p;
        char got[128] = "";
        size_t n = 0;
        up(&r, &conf);
        for (size_t k = 0; k < ARRAY_LEN(cases[i].run) && cases[i].run[k].ntasks; k++) {
            rig_submit(&r, cases[i].run[k]);
            rig_plan(&r);
        }
        while (n < ARRAY_LEN(cases[i].set) && cases[i].set[n].ntasks)
            n++;
        uint32_t id = rig_submit_set(&r, cases[i].set, n);
        sched_plan(r.s, r.c, r.now_s, NULL, &p);
        VEC(uint32_t) gone = { 0 };
        for (size_t k = 0; k < p.preempts.n; k++) {
            snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%u:%s", *got ? " " : "", p.preempts.at[k].job->id,
                     p.preempts.at[k].mode);
            vec_push(&gone, p.preempts.at[k].job->id);
        }
        is_str(got, cases[i].want, "a heterogeneous job: %s", cases[i].name);
        plan_clear(&p);
        for (size_t k = 0; k < gone.n; k++)
            rig_end(&r, gone.at[k]);
        rig_plan(&r);
        ok(!gone.n == (rig_where(&r, id)[0] == '-'), "it starts then, or no job is preempted");
        vec_clear(&gone);
        rig_down(&r);
    }
}

int main(void)
{
    het();
    for (size_t i = 0; i < ARRAY_LEN(tales); i++)
        check_case(&tales[i]);
    suspend_by_qos();
    return test_done();
}
