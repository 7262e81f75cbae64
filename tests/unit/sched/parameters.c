/* parameters - SchedulerParameters and PreemptParameters that decide which jobs start. */
#include "core/core_spec.h"
#include "rig_het.h"

#define MINUTE 60

static const struct sched_conf plain = { .backfill = true, .by_core = true, .by_memory = true, .max_planned = 2 };

static void up(struct rig *r, size_t nodes, struct sched_conf conf)
{
    rig_plain(r, nodes, 1, 4, 1, 4000, NULL);
    conf.backfill = conf.by_core = conf.by_memory = true;
    conf.max_planned = plain.max_planned;
    conf.bf_window_min = 1440;
    sched_configure(r->s, &conf);
    sched_changed(r->s, NULL);
}

/* ---- planned starts ---- */

/* A job wants the node exclusively; does a longer job still start beside the running one? */
static const char *passed(struct sched_conf conf, uint32_t prio, int64_t waited_s, int64_t *next_s)
{
    struct rig r;
    struct plan p;
    up(&r, 1, conf);
    rig_submit(&r, (struct rig_job){ .ntasks = 2, .limit_min = 10, .prio = 9000 });
    rig_plan(&r);
    rig_submit(&r, (struct rig_job){ .ntasks = 4, .limit_min = 10, .prio = prio });
    rig_plan(&r);
    r.now_s += waited_s;
    uint32_t small = rig_submit(&r, (struct rig_job){ .ntasks = 1, .limit_min = 600, .prio = 1 });
    sched_plan(r.s, r.c, r.now_s, NULL, &p);
    const char *got = p.starts.n == 1 && p.starts.at[0].job->id == small ? "passes" : "waits";
    *next_s = p.next_s - r.now_s;
    plan_clear(&p);
    rig_down(&r);
    return got;
}

static void test_places(void)
{
    int64_t next;
    is_str(passed(plain, 100, 0, &next), "waits", "the first job has a planned start");
    is_str(passed((struct sched_conf){ .planned_min_priority = 100 }, 100, 0, &next), "waits",
           "bf_min_prio_reserve: with that priority");
    is_str(passed((struct sched_conf){ .planned_min_priority = 101 }, 100, 0, &next), "passes", "and none with less");
    is_str(passed((struct sched_conf){ .planned_min_age_s = 300 }, 100, 299, &next), "passes",
           "bf_min_age_reserve: none for a young job");
    ok(next == 1, "it is looked again when it is old enough");
    is_str(passed((struct sched_conf){ .planned_min_age_s = 300 }, 100, 300, &next), "waits", "and then it has one");
}

/* ---- heterogeneous jobs ---- */

static void test_het_prio(void)
{
    static const struct {
        enum het_prio by;
        bool first;
        const char *name;
    } cases[] = { { HET_PRIO_FIRST, false, "the first component's priority counts" },
                  { HET_PRIO_MIN, false, "the least" },
                  { HET_PRIO_AVG, true, "the mean" },
                  { HET_PRIO_MAX, true, "the highest" } };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct rig r;
        up(&r, 2, (struct sched_conf){ .het_prio = cases[i].by });
        uint32_t keeper = rig_submit(&r, (struct rig_job){ .nodes = 2, .exclusive = true });
        rig_plan(&r);
        uint32_t one = rig_submit(&r, (struct rig_job){ .nodes = 2, .exclusive = true, .prio = 100 });
        const struct rig_job parts[] = { { .ntasks = 1, .prio = 50 }, { .ntasks = 1, .prio = 500 } };
        uint32_t set = rig_submit_set(&r, parts, 2);
        rig_plan(&r);
        rig_end(&r, keeper);
        rig_plan(&r);
        ok((rig_where(&r, set)[0] == 'n') == cases[i].first && (rig_where(&r, one)[0] == 'n') != cases[i].first, "%s",
           cases[i].name);
        rig_down(&r);
    }
}

/* ---- features that no node has yet ---- */

static bool taken(struct sched_conf conf, struct rig_job j)
{
    struct rig r;
    struct err err = ERR_INIT;
    rig_licenses = "matlab:4";
    up(&r, 2, conf);
    rig_licenses = NULL;
    uint32_t id = rig_submit(&r, j);
    rig_plan(&r);
    bool yes = !sched_feasible(r.s, r.c, cluster_job(r.c, id), &err);
    ok(!yes || rig_where(&r, id)[0] == (j.prefer ? 'n' : '-'), "%s", yes ? "it is taken" : "it is refused");
    rig_down(&r);
    return yes;
}

static void test_not_there(void)
{
    const struct rig_job feature = { .ntasks = 1, .constraint = "quantum" },
                         prefer = { .ntasks = 1, .prefer = "quantum" }, many = { .ntasks = 1, .licenses = "matlab:5" };
    ok(!taken(plain, feature) && taken((struct sched_conf){ .any_feature = true }, feature),
       "ignore_constraint_validation");
    ok(!taken((struct sched_conf){ .any_feature = true },
              (struct rig_job){ .ntasks = 1, .mem = 99999, .constraint = "quantum" }),
       "but what is too large is too large");
    ok(!taken((struct sched_conf){ .any_feature = true }, (struct rig_job){ .ntasks = 1, .constraint = "(quantum" }),
       "and what cannot be read stays wrong");
    ok(!taken(plain, prefer) && taken((struct sched_conf){ .any_prefer = true }, prefer), "ignore_prefer_validation");
    ok(!taken(plain, many) && taken((struct sched_conf){ .more_licenses = true }, many), "allow_zero_lic");
    ok(!taken((struct sched_conf){ .more_licenses = true }, (struct rig_job){ .ntasks = 1, .licenses = "other:1" }),
       "an unknown one stays wrong");
}

/* ---- licences ---- */

static void test_reclaim(void)
{
    static const struct {
        const char *name, *want, *low[3], *high;
        bool reclaim;
    } cases[] = {
        { "no job is preempted for a licence", "", { "matlab:4" }, "matlab:1", false },
        { "reclaim_licenses: their holder is preempted", "1", { "matlab:4" }, "matlab:1", true },
        { "no more than have to", "3", { "other:1", "matlab:2", "matlab:2" }, "matlab:2", true },
        { "no job is preempted when that is not enough", "", { "matlab:2" }, "matlab:4,other:2", true },
        { "nor for one of several", "", { "matlab:4", "other:1" }, "matlab:1|other:1", true },
    };
    static char names[3][8] = { "main", "high", "n1" };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct rig r;
        struct plan p;
        char got[64] = "";
        struct rig_node node = { .name = "n1", .sockets = 1, .cores = 8, .threads = 1, .mem_mb = 4000, .weight = 1 };
        Pb__Part part[2], *parts[] = { &part[0], &part[1] };
        for (int k = 0; k < 2; k++) {
            pb__part__init(&part[k]);
            part[k].name = names[k], part[k].nodes = names[2];
            part[k].priority_tier = k ? 9 : 1;
        }
        rig_licenses = "matlab:4,other:1";
        rig_up(&r, &node, 1, parts, 2);
        rig_licenses = NULL;
        sched_configure(r.s, &(struct sched_conf){ .backfill = true,
                                                   .by_core = true,
                                                   .preempt = true,
                                                   .preempt_mode = "CANCEL",
                                                   .reclaim_licenses = cases[i].reclaim });
        for (int k = 0; k < 3 && cases[i].low[k]; k++) {
            rig_submit(&r, (struct rig_job){ .ntasks = 1, .licenses = cases[i].low[k] });
            rig_plan(&r);
        }
        rig_submit(&r, (struct rig_job){ .ntasks = 1, .part = "high", .licenses = cases[i].high });
        sched_plan(r.s, r.c, r.now_s, NULL, &p);
        for (size_t k = 0; k < p.preempts.n; k++)
            snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%u", *got ? " " : "", p.preempts.at[k].job->id);
        is_str(got, cases[i].want, "%s", cases[i].name);
        plan_clear(&p);
        rig_down(&r);
    }
}

/* ---- core specialisation ---- */

static void test_spec_first(void)
{
    Pb__NodeDef def = PB__NODE_DEF__INIT;
    struct node n = { .boards = 1, .sockets = 2, .cores = 4, .threads = 1, .def = &def };
    def.core_spec = 3;
    auto_free char *last = core_spec_text(&n);
    is_str(last, "3,6-7", "cores for the system are the last ones");
    def.spec_first = true;
    auto_free char *first = core_spec_text(&n);
    is_str(first, "0-1,4", "spec_cores_first: the first ones");
}

int main(void)
{
    test_places();
    test_het_prio();
    test_not_there();
    test_reclaim();
    test_spec_first();
    return test_done();
}
