/* queue - which job starts first, which may pass, and the reasons of the pending jobs. */
#include "rig.h"

static void test_reasons(void)
{
    struct rig r;
    rig_plain(&r, 4, 2, 4, 1, 4000, "gpu:4");
    uint32_t fill = rig_submit(&r, (struct rig_job){ .nodes = 4, .exclusive = true });
    rig_plan(&r);
    uint32_t res = rig_submit(&r, (struct rig_job){ .ntasks = 1 });
    uint32_t prio = rig_submit(&r, (struct rig_job){ .ntasks = 1 });
    uint32_t user = rig_submit(&r, (struct rig_job){ .hold = HOLD_USER });
    uint32_t admin = rig_submit(&r, (struct rig_job){ .hold = HOLD_ADMIN });
    uint32_t begin = rig_submit(&r, (struct rig_job){ .begin_s = r.now_s + 500 });
    uint32_t dep = rig_submit(&r, (struct rig_job){ .depend = fill });
    uint32_t many = rig_submit(&r, (struct rig_job){ .nodes = 5 });
    uint32_t huge = rig_submit(&r, (struct rig_job){ .ntasks = 100 });
    uint32_t late = rig_submit(&r, (struct rig_job){ .ntasks = 1, .deadline_s = r.now_s + 60 });
    is_int(rig_plan(&r), 0, "a full cluster starts no job");
    is_str(rig_why(&r, res), "Resources", "the first in line waits for resources");
    is_str(rig_why(&r, prio), "Priority", "the next one for its priority");
    is_str(rig_why(&r, user), "JobHeldUser", "held by its user");
    is_str(rig_why(&r, admin), "JobHeldAdmin", "held by an administrator");
    is_str(rig_why(&r, begin), "BeginTime", "before its begin time");
    is_str(rig_why(&r, dep), "Dependency", "after another job");
    is_str(rig_why(&r, many), "PartitionNodeLimit", "more nodes than there are");
    is_str(rig_why(&r, huge), "PartitionConfig", "more CPUs than there are");
    is_str(rig_why(&r, late), "DeadLine", "it cannot make its deadline");

    struct plan p;
    sched_plan(r.s, r.c, r.now_s, NULL, &p);
    is_int(p.whys.n, 0, "no reason is reported twice");
    is_int(p.next_s, r.now_s + 500, "the next begin time is known");
    plan_clear(&p);

    rig_end(&r, fill);
    rig_plan(&r);
    is_str(rig_where(&r, res), "n1:1/1", "a node became free");
    r.now_s += 500;
    rig_plan(&r);
    is_str(rig_where(&r, begin), "n1:1/1", "its time came");
    rig_down(&r);
}

static void test_partitions(void)
{
    static const struct rig_node nodes[] = {
        { .name = "n1", .sockets = 1, .cores = 4, .threads = 1, .mem_mb = 1000, .weight = 1 },
        { .name = "n2", .sockets = 1, .cores = 4, .threads = 1, .mem_mb = 1000, .weight = 1 },
    };
    Pb__Part a = PB__PART__INIT, b = PB__PART__INIT, d = PB__PART__INIT, *parts[] = { &a, &b, &d };
    a.name = (char[]){ "main" }, a.nodes = (char[]){ "n1" }, a.max_time_min = 100, a.max_nodes = 1, a.priority_tier = 1;
    b.name = (char[]){ "high" }, b.nodes = (char[]){ "n[1-2]" }, b.priority_tier = 5;
    d.name = (char[]){ "down" }, d.nodes = (char[]){ "n[1-2]" }, d.state = PB__PART_STATE__PART_DOWN;
    struct rig r;
    rig_up(&r, nodes, 2, parts, 3);
    uint32_t low = rig_submit(&r, (struct rig_job){ .ntasks = 3, .prio = 9000 });
    uint32_t high = rig_submit(&r, (struct rig_job){ .ntasks = 6, .part = "high" });
    uint32_t two = rig_submit(&r, (struct rig_job){ .ntasks = 1, .part = "main,high", .prio = 10 });
    uint32_t slow = rig_submit(&r, (struct rig_job){ .limit_min = 200 });
    uint32_t wide = rig_submit(&r, (struct rig_job){ .nodes = 2 });
    uint32_t dark = rig_submit(&r, (struct rig_job){ .part = "down" });
    rig_plan(&r);
    is_str(rig_where(&r, high), "n1:4/4 n2:2/2", "the higher tier goes first");
    is_str(rig_where(&r, low), "-", "whatever the priority below");
    is_str(rig_where(&r, two), "n2:1/1", "of two partitions the one with a free node");
    is_str(cluster_job(r.c, two)->partition, "high", "and the job is in it");
    is_str(rig_why(&r, slow), "PartitionTimeLimit", "too long for the partition");
    is_str(rig_why(&r, wide), "PartitionNodeLimit", "too wide for the partition");
    is_str(rig_why(&r, dark), "PartitionDown", "the partition is down");
    rig_down(&r);
}

static void test_arrays(void)
{
    struct rig r;
    rig_plain(&r, 2, 1, 4, 1, 4000, NULL);
    uint32_t id = rig_submit(&r, (struct rig_job){ .ntasks = 1, .array = 20, .array_max = 3 });
    is_int(rig_plan(&r), 3, "as many tasks as the limit allows");
    is_str(rig_why(&r, id), "JobArrayTaskLimit", "the rest is told so");
    uint32_t free_arr = rig_submit(&r, (struct rig_job){ .ntasks = 1, .array = 20 });
    is_int(rig_plan(&r), 5, "another array takes what is left");
    is_int(cluster_job(r.c, free_arr)->array->count, 15, "its tasks leave the record one by one");
    ok(!bitmap_has(&cluster_job(r.c, free_arr)->array->pending, 4) &&
           bitmap_has(&cluster_job(r.c, free_arr)->array->pending, 5),
       "the lowest first");
    uint32_t done = cluster_array(r.c, id)->jobs.at[1]->id;
    rig_end(&r, done);
    is_int(rig_plan(&r), 1, "one ends, one starts");
    is_int(cluster_array(r.c, id)->running, 3, "of the array that comes first");
    rig_down(&r);
}

static void test_backfill(void)
{
    struct rig r;
    rig_plain(&r, 2, 1, 4, 1, 4000, NULL);
    uint32_t run = rig_submit(&r, (struct rig_job){ .ntasks = 4, .limit_min = 100 });
    rig_plan(&r);
    uint32_t big = rig_submit(&r, (struct rig_job){ .ntasks = 8, .limit_min = 10 });
    uint32_t longer = rig_submit(&r, (struct rig_job){ .ntasks = 4, .limit_min = 101 });
    uint32_t fits = rig_submit(&r, (struct rig_job){ .ntasks = 4, .limit_min = 100 });
    rig_plan(&r);
    is_str(rig_where(&r, big), "-", "a big job waits");
    is_str(rig_where(&r, longer), "-", "a job that would delay it waits too");
    is_str(rig_where(&r, fits), "n2:4/4", "one that ends in time passes");
    is_int(cluster_job(r.c, big)->why.planned_s, r.now_s + 6000, "the first in line is told when");
    is_int(sched_estimate(r.s, r.c, cluster_job(r.c, big), r.now_s, NULL), r.now_s + 6000, "its start can be told");
    auto_bitmap struct bitmap where = BITMAP_INIT;
    is_int(sched_estimate(r.s, r.c, cluster_job(r.c, longer), r.now_s, &where), r.now_s + 6600,
           "so can that of the one behind it");
    is_int(bitmap_count(&where), 1, "on one node");
    rig_end(&r, run);
    rig_end(&r, fits);
    rig_plan(&r);
    is_str(rig_where(&r, big), "n1:4/4 n2:4/4", "the big job starts early when other jobs end early");
    rig_down(&r);
}

static void test_fifo(void)
{
    struct rig r;
    rig_plain(&r, 2, 1, 4, 1, 4000, NULL);
    struct sched_conf conf = { .backfill = false, .by_core = true, .by_memory = true };
    sched_configure(r.s, &conf);
    rig_submit(&r, (struct rig_job){ .ntasks = 4, .limit_min = 100 });
    rig_plan(&r);
    rig_submit(&r, (struct rig_job){ .ntasks = 8, .limit_min = 10 });
    uint32_t fits = rig_submit(&r, (struct rig_job){ .ntasks = 4, .limit_min = 1 });
    rig_plan(&r);
    is_str(rig_where(&r, fits), "-", "without backfill no job passes");
    uint32_t first = rig_submit(&r, (struct rig_job){ .ntasks = 2, .prio = 5000 });
    rig_plan(&r);
    is_str(rig_where(&r, first), "n2:2/2", "a higher priority goes first");
    rig_down(&r);
}

static void test_nodes_come_and_go(void)
{
    struct rig r;
    rig_plain(&r, 2, 1, 4, 1, 4000, NULL);
    rig_node_state(&r, 1, NODE_IDLE | NODE_DRAIN);
    uint32_t a = rig_submit(&r, (struct rig_job){ .ntasks = 1, .nodelist = "n2" });
    uint32_t b = rig_submit(&r, (struct rig_job){ .ntasks = 5 });
    uint32_t d = rig_submit(&r, (struct rig_job){ .ntasks = 4 });
    rig_plan(&r);
    is_str(rig_why(&r, a), "ReqNodeNotAvail, May be reserved for other job", "the node it requires is drained");
    is_str(rig_where(&r, b), "-", "half of the cluster is not enough");
    is_str(rig_where(&r, d), "n1:4/4", "a job that can never start does not stop others");
    rig_node_state(&r, 1, NODE_IDLE);
    rig_plan(&r);
    is_str(rig_where(&r, a), "n2:1/1", "it comes back");
    rig_down(&r);
}

static void test_budget(void)
{
    struct rig r;
    rig_plain(&r, 2, 1, 4, 1, 4000, NULL);
    rig_submit(&r, (struct rig_job){ .ntasks = 1, .array = 8 });
    struct plan p;
    struct sched_budget budget = { .max_starts = 5 };
    sched_plan(r.s, r.c, r.now_s, &budget, &p);
    ok(p.starts.n == 5 && p.more, "a budget is kept, and more is promised");
    for (size_t i = 0; i < p.starts.n; i++)
        rig_start(&r, &p.starts.at[i]);
    plan_clear(&p);
    is_int(rig_plan(&r), 3, "the next plan goes on");
    rig_down(&r);
}

static void test_possible(void)
{
    static const struct {
        const char *name;
        int want;
        struct rig_job job;
    } cases[] = {
        { "-n1", 0, { .ntasks = 1 } },
        { "-n100 waits for a larger cluster", 0, { .ntasks = 100 } },
        { "-N5 too", 0, { .nodes = 5 } },
        { "-c9", 2014, { .cpus = 9 } },
        { "--mem=5000", 2014, { .mem = 5000 } },
        { "--mem-per-cpu=5000", 2014, { .mem_cpu = 5000 } },
        { "-n8 -N1 --mem-per-cpu=1000", 2014, { .ntasks = 8, .nodes = 1, .mem_cpu = 1000 } },
        { "--gres=gpu:5", 2014, { .gres = "gpu:5" } },
        { "-G17", 2014, { .gpus = "17" } },
        { "--gres=gpu:a100:1", 2014, { .gres = "gpu:a100:1" } },
        { "--gres=fpga:1", 2014, { .gres = "fpga:1" } },
        { "-C nosuch", 2029, { .constraint = "nosuch" } },
        { "-w n9", 2018, { .nodelist = "n9" } },
        { "-x n9", 2018, { .exclude = "n9" } },
        { "-x all", 2014, { .exclude = "n[1-4]" } },
        { "-w n1 -x n1", 2018, { .nodelist = "n1", .exclude = "n1" } },
        { "--mincpus=9", 2014, { .mincpus = 9 } },
        { "--ntasks-per-node=9", 2014, { .per_node = 9 } },
        { "-N1 -n9", 2014, { .nodes = 1, .ntasks = 9 } },
        { "--threads-per-core=2", 2014, { .tpc = 2 } },
        { "-O -n100", 0, { .ntasks = 100, .overcommit = true } },
        { "--exclusive", 0, { .exclusive = true } },
        { "-p nosuch", 2000, { .part = "nosuch" } },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct rig r;
        struct err err = ERR_INIT;
        rig_plain(&r, 4, 2, 4, 1, 4000, "gpu:4");
        uint32_t id = rig_submit(&r, cases[i].job);
        is_int(sched_feasible(r.s, r.c, cluster_job(r.c, id), &err), cases[i].want, "%s", cases[i].name);
        rig_plan(&r);
        is_int(sched_feasible(r.s, r.c, cluster_job(r.c, id), &err), cases[i].want, "%s, asked again", cases[i].name);
        rig_down(&r);
    }
}

static void test_explain(void)
{
    struct rig r;
    rig_plain(&r, 2, 1, 4, 1, 4000, "gpu:4");
    uint32_t run = rig_submit(&r, (struct rig_job){ .gres = "gpu:4", .limit_min = 30 });
    rig_plan(&r);
    uint32_t id = rig_submit(&r, (struct rig_job){ .nodes = 2, .gres = "gpu:4" });
    rig_plan(&r);
    struct why_text t;
    sched_explain(r.s, r.c, cluster_job(r.c, id), r.now_s, &t);
    ok(strstr(t.sentence, "needs 2 nodes with 4 gpu; 1 of 2 such nodes has room now") != NULL,
       "what it needs and what there is: %s", t.sentence);
    char want[32];
    snprintf(want, sizeof(want), "job %u ends", run);
    ok(strstr(t.sentence, want) != NULL, "whose end it waits for");
    is_int(t.planned_s, r.now_s + 1800, "when");
    ok(t.hints.n >= 1 && !strcmp(t.hints.at[0], "would start now with --nodes=1"), "what would help: %s",
       t.hints.n ? t.hints.at[0] : "");
    why_text_clear(&t);
    uint32_t held = rig_submit(&r, (struct rig_job){ .hold = HOLD_USER });
    sched_explain(r.s, r.c, cluster_job(r.c, held), r.now_s, &t);
    is_str(t.sentence, "is held by its user", "a hold");
    why_text_clear(&t);
    rig_down(&r);
}

int main(void)
{
    test_reasons();
    test_partitions();
    test_arrays();
    test_backfill();
    test_fifo();
    test_nodes_come_and_go();
    test_budget();
    test_possible();
    test_explain();
    return test_done();
}
