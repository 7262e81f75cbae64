/*
 * oversub - CPUs with several jobs, nodes for one user, CPU limits of a partition: tables of jobs on a small cluster.
 */
#include "rig.h"
#include "sched/gang.h"

/* Two nodes with two sockets of four cores, partitions of every kind. */
static void up(struct rig *r, uint32_t threads)
{
    static const struct {
        const char *name, *mode;
        uint32_t tier, max_node, max_socket;
        bool owner;
    } kinds[] = {
        { "main", "NO", 1, 0, 0, false },       { "two", "FORCE:2", 1, 0, 0, false },
        { "three", "FORCE:3", 1, 0, 0, false }, { "one", "FORCE:1", 1, 0, 0, false },
        { "yes", "YES:2", 1, 0, 0, false },     { "alone", "EXCLUSIVE", 1, 0, 0, false },
        { "mine", "NO", 1, 0, 0, true },        { "few", "NO", 1, 3, 0, false },
        { "sock", "NO", 1, 0, 2, false },       { "high", "FORCE:2", 9, 0, 0, false },
        { "four", "FORCE", 1, 0, 0, false },
    };
    struct rig_node nodes[] = {
        { .name = "n1", .gres = "gpu:2", .sockets = 2, .cores = 4, .threads = threads, .mem_mb = 4000, .weight = 1 },
        { .name = "n2", .gres = "gpu:2", .sockets = 2, .cores = 4, .threads = threads, .mem_mb = 4000, .weight = 1 }
    };
    Pb__Part part[ARRAY_LEN(kinds)], *parts[ARRAY_LEN(kinds)];
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        pb__part__init(&part[i]);
        part[i].name = (char *)(uintptr_t)kinds[i].name, part[i].oversubscribe = (char *)(uintptr_t)kinds[i].mode;
        part[i].nodes = (char *)(uintptr_t) "n[1-2]", part[i].priority_tier = kinds[i].tier;
        part[i].max_cpus_per_node = kinds[i].max_node, part[i].max_cpus_per_socket = kinds[i].max_socket;
        part[i].exclusive_user = kinds[i].owner;
        parts[i] = &part[i];
    }
    rig_up(r, nodes, ARRAY_LEN(nodes), parts, ARRAY_LEN(kinds));
}

struct want {
    struct rig_job job; /* `part` NULL: the list ends */
    const char *where;  /* as rig_where() prints it */
};

struct oversub_case {
    const char *name;
    struct want want[8];
};

#define ON_N1 .nodelist = "n1", .limit_min = 60
static const struct oversub_case stories[] = {
    { "each core twice, and no more",
      { { { .part = "two", .ntasks = 8, ON_N1 }, "n1:8/8" },
        { { .part = "two", .ntasks = 8, ON_N1 }, "n1:8/8" },
        { { .part = "two", .ntasks = 1, ON_N1 }, "-" } } },
    { "a planned start keeps all that --mincpus needs",
      { { { .part = "yes", .share = true, .ntasks = 1, .nodelist = "n1", .limit_min = 10 }, "n1:1/1" },
        { { .part = "yes", .ntasks = 1, .mincpus = 8, ON_N1 }, "-" },
        { { .part = "yes", .ntasks = 1, ON_N1 }, "-" },
        { { .part = "yes", .ntasks = 1, .nodelist = "n1", .limit_min = 5 }, "n1:1/1" } } },
    { "FORCE without a number is four times",
      { { { .part = "four", .ntasks = 8, ON_N1 }, "n1:8/8" },
        { { .part = "four", .ntasks = 8, ON_N1 }, "n1:8/8" },
        { { .part = "four", .ntasks = 8, ON_N1 }, "n1:8/8" },
        { { .part = "four", .ntasks = 8, ON_N1 }, "n1:8/8" },
        { { .part = "four", .ntasks = 1, ON_N1 }, "-" } } },
    { "idle nodes come first",
      { { { .part = "two", .ntasks = 8 }, "n1:8/8" },
        { { .part = "two", .ntasks = 8 }, "n2:8/8" },
        { { .part = "two", .ntasks = 8 }, "n1:8/8" },
        { { .part = "two", .ntasks = 8 }, "n2:8/8" },
        { { .part = "two", .ntasks = 8 }, "-" } } },
    { "memory is not shared",
      { { { .part = "two", .ntasks = 8, .mem = 3000, ON_N1 }, "n1:8/8" },
        { { .part = "two", .ntasks = 8, .mem = 2000, ON_N1 }, "-" },
        { { .part = "two", .ntasks = 8, .mem = 1000, ON_N1 }, "n1:8/8" } } },
    { "devices are not shared",
      { { { .part = "two", .ntasks = 8, .gres = "gpu:2", ON_N1 }, "n1:8/8" },
        { { .part = "two", .ntasks = 8, .gres = "gpu:1", ON_N1 }, "-" } } },
    { "FORCE:1 does not share within its partition",
      { { { .part = "one", .ntasks = 8, ON_N1 }, "n1:8/8" }, { { .part = "one", .ntasks = 1, ON_N1 }, "-" } } },
    { "FORCE:1 shares with other partitions of its tier",
      { { { .part = "two", .ntasks = 8, ON_N1 }, "n1:8/8" },
        { { .part = "one", .ntasks = 8, ON_N1 }, "n1:8/8" },
        { { .part = "one", .ntasks = 1, ON_N1 }, "-" } } },
    { "YES shares between jobs that ask",
      { { { .part = "yes", .ntasks = 8, .share = true, ON_N1 }, "n1:8/8" },
        { { .part = "yes", .ntasks = 8, .share = true, ON_N1 }, "n1:8/8" },
        { { .part = "yes", .ntasks = 1, .share = true, ON_N1 }, "-" } } },
    { "YES does not share with a job that does not ask",
      { { { .part = "yes", .ntasks = 4, ON_N1 }, "n1:4/4" },
        { { .part = "yes", .ntasks = 1, .share = true, ON_N1 }, "-" } } },
    { "asking does nothing where the partition says NO",
      { { { .part = "main", .ntasks = 8, .share = true, ON_N1 }, "n1:8/8" },
        { { .part = "main", .ntasks = 1, .share = true, ON_N1 }, "-" } } },
    { "a sharing job keeps off nodes of jobs that do not",
      { { { .part = "main", .ntasks = 2, ON_N1 }, "n1:2/2" }, { { .part = "two", .ntasks = 2, ON_N1 }, "-" } } },
    { "and the other way round",
      { { { .part = "two", .ntasks = 2, ON_N1 }, "n1:2/2" }, { { .part = "main", .ntasks = 2, ON_N1 }, "-" } } },
    { "two partitions that share: each its own number",
      { { { .part = "two", .ntasks = 8, ON_N1 }, "n1:8/8" },
        { { .part = "three", .ntasks = 8, ON_N1 }, "n1:8/8" },
        { { .part = "two", .ntasks = 8, ON_N1 }, "n1:8/8" },
        { { .part = "three", .ntasks = 8, ON_N1 }, "n1:8/8" },
        { { .part = "three", .ntasks = 8, ON_N1 }, "n1:8/8" },
        { { .part = "two", .ntasks = 1, ON_N1 }, "-" },
        { { .part = "three", .ntasks = 1, ON_N1 }, "-" } } },
    { "without preemption tiers share like partitions",
      { { { .part = "high", .ntasks = 4, ON_N1 }, "n1:4/4" },
        { { .part = "two", .ntasks = 4, ON_N1 }, "n1:4/4" },
        { { .part = "two", .ntasks = 4, ON_N1 }, "n1:4/4" },
        { { .part = "two", .ntasks = 8, ON_N1 }, "n1:8/8" },
        { { .part = "two", .ntasks = 1, ON_N1 }, "-" } } },
    { "a partition that gives whole nodes",
      { { { .part = "alone", .ntasks = 1, ON_N1 }, "n1:8/1" },
        { { .part = "alone", .ntasks = 1, ON_N1 }, "-" },
        { { .part = "main", .ntasks = 1, ON_N1 }, "-" } } },
    { "a partition whose nodes are one user's",
      { { { .part = "mine", .ntasks = 1, .uid = 1, ON_N1 }, "n1:1/1" },
        { { .part = "mine", .ntasks = 1, .uid = 1, ON_N1 }, "n1:1/1" },
        { { .part = "main", .ntasks = 1, .uid = 1, ON_N1 }, "n1:1/1" },
        { { .part = "main", .ntasks = 1, .uid = 2, ON_N1 }, "-" },
        { { .part = "mine", .ntasks = 1, .uid = 2, ON_N1 }, "-" } } },
    { "--exclusive=user",
      { { { .part = "main", .ntasks = 1, .uid = 1, ON_N1 }, "n1:1/1" },
        { { .part = "main", .ntasks = 1, .uid = 2, .user_alone = true, ON_N1 }, "-" },
        { { .part = "main", .ntasks = 1, .uid = 1, .user_alone = true, ON_N1 }, "n1:1/1" },
        { { .part = "main", .ntasks = 1, .uid = 2, ON_N1 }, "-" },
        { { .part = "main", .ntasks = 1, .uid = 2, .nodelist = "n2", .limit_min = 60 }, "n2:1/1" } } },
    { "MaxCPUsPerNode counts the partition's jobs",
      { { { .part = "few", .ntasks = 2, ON_N1 }, "n1:2/2" },
        { { .part = "few", .ntasks = 1, ON_N1 }, "n1:1/1" },
        { { .part = "few", .ntasks = 1, ON_N1 }, "-" },
        { { .part = "main", .ntasks = 5, ON_N1 }, "n1:5/5" } } },
    { "MaxCPUsPerNode spreads a job", { { { .part = "few", .ntasks = 5, .limit_min = 60 }, "n1:3/3 n2:2/2" } } },
    { "MaxCPUsPerSocket",
      { { { .part = "sock", .ntasks = 4, ON_N1 }, "n1:4/4" },
        { { .part = "sock", .ntasks = 1, ON_N1 }, "-" },
        { { .part = "main", .ntasks = 4, ON_N1 }, "n1:4/4" } } },
};

static void check_story(const struct oversub_case *st)
{
    struct rig r;
    uint32_t id[ARRAY_LEN(st->want)] = { 0 };
    up(&r, 1);
    bool same = true;
    char got[512] = "";
    for (size_t i = 0; i < ARRAY_LEN(st->want) && st->want[i].where; i++) {
        id[i] = rig_submit(&r, st->want[i].job);
        rig_plan(&r);
        const char *where = rig_where(&r, id[i]);
        same &= str_eq(where, st->want[i].where);
        snprintf(got + strlen(got), sizeof(got) - strlen(got), " [%s]", where);
    }
    ok(same, "%s:%s", st->name, got);
    rig_down(&r);
}

static const char *cores(const struct rig *r, uint32_t id)
{
    static char text[8][64];
    static unsigned turn;
    char *out = text[turn++ % 8];
    *out = '\0';
    const struct job *j = cluster_job(r->c, id);
    bitmap_each (&j->alloc.at[0].cores, i)
        snprintf(out + strlen(out), 64 - strlen(out), "%s%zu", *out ? "," : "", i);
    return out;
}

static void which_cores(void)
{
    struct rig r;
    up(&r, 1);
    uint32_t a = rig_submit(&r, (struct rig_job){ .part = "two", .ntasks = 1, .cpus = 4, ON_N1 });
    uint32_t b = rig_submit(&r, (struct rig_job){ .part = "two", .ntasks = 1, .cpus = 3, ON_N1 });
    uint32_t d = rig_submit(&r, (struct rig_job){ .part = "two", .ntasks = 1, .cpus = 2, ON_N1 });
    uint32_t e = rig_submit(&r, (struct rig_job){ .part = "two", .ntasks = 1, .cpus = 1, ON_N1 });
    rig_plan(&r);
    ok(str_eq(cores(&r, a), "0,1,2,3") && str_eq(cores(&r, b), "4,5,6"), "idle cores first: %s and %s", cores(&r, a),
       cores(&r, b));
    ok(str_eq(cores(&r, d), "0,1"), "then cores that one holds: %s", cores(&r, d));
    ok(str_eq(cores(&r, e), "7"), "the last idle core goes to the job that fits: %s", cores(&r, e));
    const struct node *n = cluster_node(r.c, "n1");
    ok(node_busy_cpus(n) == 8 && n->more == 2, "a core counts once, however many hold it: %u, %u more",
       node_busy_cpus(n), n->more);
    rig_end(&r, a);
    ok(bitmap_has(&n->cores_used, 0) && !bitmap_has(&n->cores_used, 2) && !n->more,
       "it is free when the last has left it");
    rig_down(&r);
}

static void suspended(void)
{
    struct rig r;
    up(&r, 1);
    uint32_t a = rig_submit(&r, (struct rig_job){ .part = "main", .ntasks = 8, .mem = 3000, .gres = "gpu:2", ON_N1 });
    rig_plan(&r);
    rig_suspend(&r, a, false, false);
    uint32_t b = rig_submit(&r, (struct rig_job){ .part = "main", .ntasks = 8, .mem = 1000, ON_N1 });
    rig_plan(&r);
    ok(str_eq(rig_where(&r, b), "n1:8/8"), "a suspended job frees its CPUs");
    uint32_t d = rig_submit(&r, (struct rig_job){ .part = "main", .ntasks = 1, .mem = 1000, ON_N1 });
    rig_end(&r, b);
    rig_plan(&r);
    ok(str_eq(rig_where(&r, d), "n1:1/1"), "again and again");
    uint32_t m = rig_submit(&r, (struct rig_job){ .part = "main", .ntasks = 1, .mem = 500, ON_N1 });
    uint32_t g = rig_submit(&r, (struct rig_job){ .part = "main", .ntasks = 1, .mem_cpu = 0, .gres = "gpu:1", ON_N1 });
    rig_plan(&r);
    ok(str_eq(rig_where(&r, m), "-") && str_eq(rig_where(&r, g), "-"), "but not its memory, nor its devices");
    rig_suspend(&r, a, true, false);
    const struct node *n = cluster_node(r.c, "n1");
    ok(node_busy_cpus(n) == 8 && n->more == 1, "when it goes on, a core is held by two");
    rig_end(&r, d);
    rig_end(&r, a);
    ok(!n->more && !n->cpus_used && bitmap_none(&n->cores_used), "and by no job in the end");
    rig_down(&r);
}

static const char *turns(struct rig *r, bool rotate)
{
    static char out[128];
    struct gang g;
    gang_plan(r->c, rotate, &g);
    *out = '\0';
    for (size_t i = 0; i < g.changes.n; i++) {
        snprintf(out + strlen(out), sizeof(out) - strlen(out), "%s%s%u", *out ? " " : "",
                 g.changes.at[i].resume ? "+" : "-", g.changes.at[i].job->id);
        rig_suspend(r, g.changes.at[i].job->id, g.changes.at[i].resume, true);
    }
    if (g.waiting)
        strcat(out, " ...");
    vec_clear(&g.changes);
    return out;
}

static void gang(void)
{
    struct rig r;
    up(&r, 1);
    for (int i = 0; i < 2; i++)
        rig_submit(&r, (struct rig_job){ .part = "two", .ntasks = 8, .limit_min = 60, .nodelist = "n1" });
    rig_submit(&r, (struct rig_job){ .part = "two", .ntasks = 8, .limit_min = 60, .nodelist = "n2" });
    rig_plan(&r);
    static const struct {
        bool rotate;
        const char *want, *name;
    } rounds[] = {
        { false, "-2 ...", "of two on the same cores the second waits" },
        { false, " ...", "and nothing else changes" },
        { true, "+2 -1 ...", "then the first waits; a job without sharing runs on" },
        { true, "+1 -2 ...", "and so on" },
    };
    for (size_t i = 0; i < ARRAY_LEN(rounds); i++) {
        r.now_s += 30;
        const char *got = turns(&r, rounds[i].rotate);
        ok(str_eq(got, rounds[i].want), "%s: %s", rounds[i].name, got);
    }
    rig_end(&r, 1);
    ok(str_eq(turns(&r, false), "+2"), "the last one need not wait");
    rig_submit(&r, (struct rig_job){ .part = "high", .ntasks = 4, .limit_min = 60, .nodelist = "n1" });
    rig_plan(&r);
    ok(str_eq(rig_where(&r, 4), "n1:4/4"), "a higher tier takes cores of a lower one");
    ok(str_eq(turns(&r, false), "-2 ..."), "which has to wait");
    r.now_s += 30;
    ok(str_eq(turns(&r, true), " ..."), "for as long as it takes");
    rig_end(&r, 4);
    ok(str_eq(turns(&r, false), "+2"), "and goes on then");
    rig_down(&r);
}

/* All of it survives a snapshot: suspended jobs, jobs that wait for a time slice, jobs never launched, shared cores. */
static void remembered(void)
{
    struct rig r;
    up(&r, 1);
    uint32_t id[4];
    for (int i = 0; i < 4; i++)
        id[i] = rig_submit(&r, (struct rig_job){ .part = i < 2 ? "two" : "main",
                                                 .ntasks = i < 2 ? 8 : 4,
                                                 .limit_min = 60,
                                                 .nodelist = i < 2 ? "n1" : "n2" });
    rig_plan(&r);
    rig_suspend(&r, id[1], false, true);
    rig_suspend(&r, id[2], false, false);
    Pb__EvSuspend e = PB__EV_SUSPEND__INIT;
    Pb__Event ev = PB__EVENT__INIT;
    e.job_id = id[0], e.gang = e.unlaunched = true;
    ev.body_case = PB__EVENT__BODY_SUSPEND, ev.suspend = &e;
    rig_apply(&r, &ev);
    auto_buf struct buf a = BUF_INIT, b = BUF_INIT;
    struct cluster *again;
    struct err err = ERR_INIT;
    cluster_encode(r.c, &a);
    ok(!cluster_decode(&again, a.s, a.len, &err), "a snapshot of it can be read: %s", err.text);
    cluster_encode(again, &b);
    ok(a.len == b.len && !memcmp(a.s, b.s, a.len), "and says the same");
    bool same = true;
    for (size_t i = 0; i < r.c->nnodes; i++) {
        const struct node *x = &r.c->node[i], *y = &again->node[i];
        same &= x->cpus_used == y->cpus_used && x->more == y->more && x->jobs == y->jobs &&
                x->lent_jobs == y->lent_jobs && x->suspended_jobs == y->suspended_jobs &&
                bitmap_count(&x->cores_used) == bitmap_count(&y->cores_used);
    }
    ok(same && r.c->node[0].more == 8 && r.c->node[1].lent_jobs == 1 && cluster_job(again, id[0])->unlaunched,
       "the nodes, too");
    e = (Pb__EvSuspend)PB__EV_SUSPEND__INIT;
    e.job_id = id[0]; /* suspended by an administrator in addition */
    rig_apply(&r, &ev);
    const struct job *j = cluster_job(r.c, id[0]);
    ok(job_lends(j) && j->unlaunched && r.c->node[0].more == 0,
       "a job that waits for its slice can be suspended, and frees its CPUs");
    rig_suspend(&r, id[0], true, false);
    ok(j->state == JOB_RUNNING && !j->unlaunched && r.c->node[0].more == 8, "and goes on");
    cluster_free(again);
    rig_down(&r);
}

/* A job that waits for a shared core is told when it is free; later jobs do not delay it. */
static void future(void)
{
    struct rig r;
    up(&r, 1);
    rig_submit(&r, (struct rig_job){ .part = "two", .ntasks = 8, .limit_min = 10, .nodelist = "n1" });
    rig_submit(&r, (struct rig_job){ .part = "two", .ntasks = 8, .limit_min = 20, .nodelist = "n1" });
    uint32_t c = rig_submit(&r, (struct rig_job){ .part = "two", .ntasks = 8, .limit_min = 30, .nodelist = "n1" });
    uint32_t d = rig_submit(&r, (struct rig_job){ .part = "two", .ntasks = 8, .limit_min = 30, .nodelist = "n1" });
    rig_plan(&r);
    int64_t at = sched_estimate(r.s, r.c, cluster_job(r.c, c), r.now_s, NULL);
    ok(at == r.now_s + 600, "the first end frees a core: in %ld s", (long)(at - r.now_s));
    at = sched_estimate(r.s, r.c, cluster_job(r.c, d), r.now_s, NULL);
    ok(at == r.now_s + 1200, "and the second for the next: in %ld s", (long)(at - r.now_s));
    rig_down(&r);
}

/* spur why names the reason. */
static void told(void)
{
    static const struct {
        struct rig_job runs, waits;
        const char *want;
    } cases[] = {
        { { .part = "main", .ntasks = 2, ON_N1 }, { .part = "two", .ntasks = 2, ON_N1 }, "job 1 on n1 shares no CPUs" },
        { { .part = "two", .ntasks = 2, ON_N1 },
          { .part = "main", .ntasks = 2, ON_N1 },
          "n1 is shared by jobs of partition two" },
        { { .part = "mine", .ntasks = 1, .uid = 7, ON_N1 },
          { .part = "main", .ntasks = 1, .uid = 8, ON_N1 },
          "n1 is only for user 7 while job 1 runs there" },
        { { .part = "few", .ntasks = 3, ON_N1 },
          { .part = "few", .ntasks = 1, ON_N1 },
          "partition few uses 3 of the 3 CPUs that it may use of n1" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct rig r;
        struct why_text w = { 0 };
        up(&r, 1);
        rig_submit(&r, cases[i].runs);
        uint32_t id = rig_submit(&r, cases[i].waits);
        rig_plan(&r);
        sched_explain(r.s, r.c, cluster_job(r.c, id), r.now_s, &w);
        ok(strstr(w.sentence, cases[i].want), "why: %s", w.sentence);
        why_text_clear(&w);
        rig_down(&r);
    }
}

int main(void)
{
    for (size_t i = 0; i < ARRAY_LEN(stories); i++)
        check_story(&stories[i]);
    which_cores();
    suspended();
    gang();
    remembered();
    future();
    told();
    return test_done();
}
