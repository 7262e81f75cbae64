/* resv - reservations: which jobs start where and when, and the reasons of the pending ones. */
#include "rig_resv.h"

#define MINUTE 60

static struct bitmap only(size_t node)
{
    struct bitmap b = BITMAP_INIT;
    bitmap_set(&b, node);
    return b;
}

/* n1 is reserved from..to minutes from now. */
static void reserve_n1(struct rig *r, const char *name, int from, int to, uint64_t flags)
{
    struct bitmap n1 = only(0);
    struct rig_resv w = {
        .name = name, .named = &n1, .from_s = r->now_s + from * MINUTE, .to_s = r->now_s + to * MINUTE, .flags = flags
    };
    ok(!rig_reserve(r, &w), "reservation %s", name);
    bitmap_clear(&n1);
}

static void test_outside(void)
{
    struct rig r;
    rig_plain(&r, 2, 1, 4, 1, 1000, NULL);
    reserve_n1(&r, "a", 60, 120, 0);
    uint32_t shorter = rig_submit(&r, (struct rig_job){ .nodelist = "n1", .ntasks = 1, .limit_min = 60 });
    uint32_t longer = rig_submit(&r, (struct rig_job){ .nodelist = "n1", .ntasks = 1, .limit_min = 61 });
    uint32_t other = rig_submit(&r, (struct rig_job){ .ntasks = 4, .limit_min = 600 });
    rig_plan(&r);
    is_str(rig_where(&r, shorter), "n1:1/1", "what ends in time may use the nodes before");
    is_str(rig_where(&r, longer), "-", "what would reach into it waits");
    is_str(rig_why(&r, longer), "ReqNodeNotAvail, May be reserved for other job", "and is told so");
    is_str(rig_where(&r, other), "n2:4/4", "other jobs are on other nodes");
    is_int(sched_estimate(r.s, r.c, cluster_job(r.c, longer), r.now_s, NULL), r.now_s + 120 * MINUTE,
           "it is expected when the reservation ends");
    struct why_text t;
    sched_explain(r.s, r.c, cluster_job(r.c, longer), r.now_s, &t);
    ok(strstr(t.sentence, "n1 is reserved by a from"), "the sentence names node and reservation: %s", t.sentence);
    ok(t.hints.n && strstr(t.hints.at[0], "--time=01:00:00"), "and what would help: %s",
       t.hints.n ? t.hints.at[0] : "");
    size_t times = 0;
    for (size_t i = 0; i < t.hints.n; i++)
        times += strstr(t.hints.at[i], "--time=") != NULL;
    is_int(times, 1, "a shorter time is proposed once");
    why_text_clear(&t);
    r.now_s += 60 * MINUTE;
    rig_end(&r, shorter);
    ok(rig_resv_tick(&r), "its time comes");
    rig_plan(&r);
    is_str(rig_where(&r, longer), "-", "while it lasts no other job starts there");
    r.now_s += 60 * MINUTE;
    rig_resv_tick(&r);
    rig_plan(&r);
    is_str(rig_where(&r, longer), "n1:1/1", "and then it is as before");
    rig_down(&r);
}

/* A job without a limit is expected to run for the limit of its partition, which has to end before. */
static void test_no_limit(void)
{
    struct rig r;
    struct rig_node nodes[] = { { .name = "n1", .sockets = 1, .cores = 4, .threads = 1, .mem_mb = 1000 },
                                { .name = "n2", .sockets = 1, .cores = 4, .threads = 1, .mem_mb = 1000 } };
    Pb__Part a = PB__PART__INIT, b = PB__PART__INIT, *parts[] = { &a, &b };
    a.name = (char[]){ "brief" }, a.nodes = (char[]){ "n2" }, a.default_time_min = 5, a.priority_tier = 1;
    b.name = (char[]){ "main" }, b.nodes = (char[]){ "n1" }, b.default_time_min = 60, b.priority_tier = 1;
    rig_up(&r, nodes, 2, parts, 2);
    reserve_n1(&r, "a", 10, 120, 0);
    rig_submit(&r, (struct rig_job){ .ntasks = 4, .limit_min = 600, .part = "brief" });
    uint32_t any = rig_submit(&r,
                              (struct rig_job){ .ntasks = 1, .limit_min = 5, .no_limit = true, .part = "brief,main" });
    uint32_t said = rig_submit(&r, (struct rig_job){ .ntasks = 1, .limit_min = 5, .part = "brief,main" });
    rig_plan(&r);
    is_str(rig_where(&r, any), "-", "an hour by default does not end before a reservation");
    is_str(rig_where(&r, said), "n1:1/1", "five minutes do");
    rig_down(&r);
}

static void test_inside(void)
{
    struct rig r;
    rig_plain(&r, 2, 1, 4, 1, 1000, NULL);
    reserve_n1(&r, "a", 10, 70, 0);
    uint32_t in = rig_submit(&r, (struct rig_job){ .ntasks = 3, .reservation = "a", .limit_min = 500 });
    uint32_t no = rig_submit(&r, (struct rig_job){ .ntasks = 1, .reservation = "nosuch" });
    uint32_t wide = rig_submit(&r, (struct rig_job){ .nodes = 2, .reservation = "a" });
    struct err err = ERR_INIT;
    ok(sched_feasible(r.s, r.c, cluster_job(r.c, wide), &err) != 0, "more nodes than it has are never there");
    rig_plan(&r);
    is_str(rig_why(&r, in), "Reservation", "before its time a job waits for it");
    is_str(rig_why(&r, no), "Reservation", "or for one that is not there");
    is_int(sched_estimate(r.s, r.c, cluster_job(r.c, in), r.now_s, NULL), r.now_s + 10 * MINUTE,
           "when it begins the job does");
    struct why_text t;
    sched_explain(r.s, r.c, cluster_job(r.c, in), r.now_s, &t);
    ok(strstr(t.sentence, "its reservation a begins at") && t.planned_s == r.now_s + 10 * MINUTE, "it is told when: %s",
       t.sentence);
    why_text_clear(&t);
    r.now_s += 10 * MINUTE;
    rig_resv_tick(&r);
    rig_plan(&r);
    is_str(rig_where(&r, in), "n1:3/3", "and so it is, on the node of the reservation");
    is_str(cluster_job(r.c, in)->resv_name, "a", "which it is known to run in");
    rig_down(&r);
}

static void test_cores(void)
{
    struct rig r;
    rig_plain(&r, 1, 2, 4, 1, 1000, NULL);
    struct bitmap n1 = only(0);
    struct rig_resv w = { .name = "a", .named = &n1, .cores = 4, .from_s = r.now_s, .to_s = r.now_s + 60 * MINUTE };
    ok(!rig_reserve(&r, &w), "four of eight cores");
    uint32_t five = rig_submit(&r, (struct rig_job){ .ntasks = 5, .cpus = 1, .limit_min = 10 });
    uint32_t four = rig_submit(&r, (struct rig_job){ .ntasks = 4, .limit_min = 10 });
    uint32_t in = rig_submit(&r, (struct rig_job){ .ntasks = 4, .limit_min = 10, .reservation = "a" });
    uint32_t more = rig_submit(&r, (struct rig_job){ .ntasks = 1, .limit_min = 10, .reservation = "a" });
    rig_plan(&r);
    is_str(rig_where(&r, five), "-", "more than is left waits");
    is_str(rig_where(&r, four), "n1:4/4", "what is left may be used");
    is_str(rig_where(&r, in), "n1:4/4", "and so may what is reserved");
    is_str(rig_where(&r, more), "-", "but no more than that");
    struct bitmap both = BITMAP_INIT;
    bitmap_copy(&both, &cluster_job(r.c, four)->alloc.at[0].cores);
    bitmap_and(&both, &cluster_job(r.c, in)->alloc.at[0].cores);
    ok(bitmap_none(&both), "no core is both");
    bitmap_clear(&both);
    bitmap_clear(&n1);
    rig_down(&r);
}

static void test_gres(void)
{
    struct rig r;
    rig_plain(&r, 1, 1, 8, 1, 1000, "gpu:4");
    struct bitmap n1 = only(0);
    struct rig_resv w = {
        .name = "a", .named = &n1, .gres = "gpu:3", .from_s = r.now_s, .to_s = r.now_s + 60 * MINUTE
    };
    ok(!rig_reserve(&r, &w), "three of four GPUs");
    uint32_t two = rig_submit(&r, (struct rig_job){ .ntasks = 1, .gres = "gpu:2", .limit_min = 10 });
    uint32_t one = rig_submit(&r, (struct rig_job){ .ntasks = 1, .gres = "gpu:1", .limit_min = 10 });
    uint32_t in = rig_submit(&r, (struct rig_job){ .ntasks = 1, .gres = "gpu:3", .limit_min = 10, .reservation = "a" });
    rig_plan(&r);
    is_str(rig_where(&r, two), "-", "more GPUs than are left");
    is_str(rig_where(&r, one), "n1:1/1", "as many as are left");
    is_str(rig_where(&r, in), "n1:1/1", "the reserved ones");
    bitmap_clear(&n1);
    rig_down(&r);
}

static void test_flags(void)
{
    struct rig r;
    rig_plain(&r, 2, 1, 4, 1, 1000, NULL);
    reserve_n1(&r, "m", 0, 60, RESV_MAGNETIC);
    uint32_t one = rig_submit(&r, (struct rig_job){ .ntasks = 1, .limit_min = 10 });
    uint32_t late = rig_submit(&r, (struct rig_job){ .ntasks = 1, .limit_min = 100 });
    rig_plan(&r);
    is_str(rig_where(&r, one), "n1:1/1", "a magnetic reservation attracts a job that did not ask");
    is_str(cluster_job(r.c, one)->resv_name, "m", "and the job is known to be there");
    is_str(rig_where(&r, late), "n2:1/1", "but not a job that would run longer than it lasts");
    rig_down(&r);
    rig_plain(&r, 2, 1, 4, 1, 1000, NULL);
    reserve_n1(&r, "f", 10, 60, RESV_FLEX);
    uint32_t wide = rig_submit(&r, (struct rig_job){ .nodes = 2, .limit_min = 100, .reservation = "f" });
    rig_plan(&r);
    is_str(rig_where(&r, wide), "n1:1/1 n2:1/1", "a flexible one binds its jobs to neither time nor nodes");
    rig_down(&r);
    rig_plain(&r, 1, 1, 4, 1, 1000, NULL);
    reserve_n1(&r, "a", 0, 60, 0);
    reserve_n1(&r, "b", 0, 60, RESV_MAINT);
    uint32_t in = rig_submit(&r, (struct rig_job){ .ntasks = 1, .limit_min = 10, .reservation = "a" });
    uint32_t maint = rig_submit(&r, (struct rig_job){ .ntasks = 1, .limit_min = 10, .reservation = "b" });
    rig_plan(&r);
    is_str(rig_where(&r, in), "-", "maintenance comes before what was reserved");
    is_str(rig_where(&r, maint), "n1:1/1", "and may use it");
    rig_down(&r);
    rig_plain(&r, 1, 1, 4, 1, 1000, NULL);
    reserve_n1(&r, "h", 30, 40, RESV_HOURLY);
    uint32_t hour = rig_submit(&r, (struct rig_job){ .ntasks = 1, .limit_min = 30 });
    uint32_t most = rig_submit(&r, (struct rig_job){ .ntasks = 1, .limit_min = 50 });
    uint32_t never = rig_submit(&r, (struct rig_job){ .ntasks = 1, .limit_min = 51 });
    rig_plan(&r);
    is_str(rig_where(&r, hour), "n1:1/1", "before a period");
    is_int(sched_estimate(r.s, r.c, cluster_job(r.c, most), r.now_s, NULL), r.now_s + 40 * MINUTE,
           "between two periods");
    is_int(sched_estimate(r.s, r.c, cluster_job(r.c, never), r.now_s, NULL), 0, "longer than any pause");
    rig_down(&r);
}

static int reserve(struct rig *r, struct rig_resv w)
{
    w.from_s = w.from_s ? w.from_s : r->now_s;
    w.to_s = w.to_s ? w.to_s : w.from_s + 60 * MINUTE;
    return rig_reserve(r, &w);
}

static void test_pick(void)
{
    struct rig r;
    rig_plain(&r, 4, 1, 4, 1, 1000, NULL);
    uint32_t run = rig_submit(&r, (struct rig_job){ .nodelist = "n1", .ntasks = 1, .limit_min = 30 });
    rig_plan(&r);
    ok(rig_where(&r, run)[0] == 'n', "a job runs on n1");
    struct bitmap n1 = only(0);
    is_int(reserve(&r, (struct rig_resv){ .name = "x", .named = &n1 }), 2016, "a node in use is busy");
    is_int(reserve(&r,
                   (struct rig_resv){
                       .name = "x", .named = &n1, .from_s = r.now_s + 30 * MINUTE, .to_s = r.now_s + 31 * MINUTE }),
           0, "but not when the job will be gone");
    is_int(reserve(&r, (struct rig_resv){ .name = "a", .nodes = 2 }), 0, "two nodes");
    ok(!bitmap_has(&cluster_resv_named(r.c, "a")->nodes, 0), "which are idle ones");
    is_int(reserve(&r, (struct rig_resv){ .name = "b", .nodes = 2 }), 2016, "two more are not there");
    is_int(reserve(&r, (struct rig_resv){ .name = "b", .nodes = 1 }), 0, "one is");
    struct bitmap n2 = only(1);
    is_int(reserve(&r, (struct rig_resv){ .name = "c", .named = &n2 }), 2058, "one that is promised is not");
    is_int(reserve(&r, (struct rig_resv){ .name = "c", .named = &n2, .flags = RESV_OVERLAP }), 0,
           "unless it may overlap");
    struct bitmap good = BITMAP_INIT;
    ok(!resv_stale(r.c, cluster_resv_named(r.c, "a"), &good), "its nodes are fine");
    rig_node_state(&r, 1, NODE_DOWN);
    bitmap_zero(&good);
    ok(resv_stale(r.c, cluster_resv_named(r.c, "a"), &good) && !bitmap_has(&good, 1) && bitmap_has(&good, 2),
       "one that is down is to be replaced");
    bitmap_clear(&good);
    bitmap_clear(&n1);
    bitmap_clear(&n2);
    rig_down(&r);
}

/* --signal=R: and MaxStartDelay: the job may run into the reservation, and is preempted when a job inside needs its
 * nodes. */
static void test_gives_way(void)
{
    struct rig r;
    rig_plain(&r, 1, 1, 4, 1, 1000, NULL);
    sched_configure(r.s,
                    &(struct sched_conf){ .backfill = true, .by_core = true, .preempt = true, .preempt_mode = "OFF" });
    struct bitmap n1 = only(0);
    is_int(reserve(&r, (struct rig_resv){ .name = "a", .named = &n1, .from_s = r.now_s + 10 * MINUTE }), 0,
           "in ten minutes");
    Pb__Resv pb = *cluster_resv_named(r.c, "a")->pb;
    pb.max_start_delay_s = 120;
    rig_resv_event(&r, &pb, false);
    uint32_t slow = rig_submit(&r, (struct rig_job){ .ntasks = 4, .limit_min = 30, .gives_way_s = 121 });
    uint32_t by = rig_submit(&r, (struct rig_job){ .ntasks = 4, .limit_min = 30, .gives_way_s = 120 });
    rig_plan(&r);
    is_str(rig_where(&r, slow), "-", "a job that needs longer than the delay is kept out");
    is_str(rig_where(&r, by), "n1:4/4", "one that does not is admitted");
    r.now_s += 10 * MINUTE;
    rig_resv_tick(&r);
    uint32_t in = rig_submit(&r, (struct rig_job){ .ntasks = 1, .reservation = "a", .limit_min = 5 });
    struct plan p;
    sched_plan(r.s, r.c, r.now_s, NULL, &p);
    ok(p.preempts.n == 1 && p.preempts.at[0].job->id == by && p.preempts.at[0].by == in,
       "and is preempted for a job inside");
    is_str(p.preempts.n ? p.preempts.at[0].mode : "", "REQUEUE", "back to the queue");
    plan_clear(&p);
    rig_end(&r, by);
    uint32_t next = rig_submit(&r, (struct rig_job){ .ntasks = 4, .limit_min = 30, .prio = 5000, .gives_way_s = 60 });
    rig_plan(&r);
    is_str(rig_where(&r, in), "n1:1/1", "which starts then");
    is_str(rig_where(&r, next), "-", "before another job runs into it");
    bitmap_clear(&n1);
    rig_down(&r);
}

/* A job of the reservation may run longer than it: a job that is planned for its end does not hold it back. */
static void test_licenses(void)
{
    struct rig r;
    rig_licenses = "lic:4";
    rig_plain(&r, 2, 1, 4, 1, 1000, NULL);
    rig_licenses = NULL;
    struct rig_resv w = {
        .name = "a", .from_s = r.now_s, .to_s = r.now_s + 60 * MINUTE, .licenses = "lic:3", .flags = RESV_ANY_NODES
    };
    ok(!rig_reserve(&r, &w), "3 of 4 licences are reserved");
    r.now_s += 2;
    uint32_t before = rig_submit(&r, (struct rig_job){ .ntasks = 1, .licenses = "lic:2", .limit_min = 60 });
    uint32_t in =
        rig_submit(&r, (struct rig_job){ .ntasks = 1, .licenses = "lic:3", .reservation = "a", .limit_min = 60 });
    uint32_t more =
        rig_submit(&r, (struct rig_job){ .ntasks = 1, .licenses = "lic:1", .reservation = "a", .limit_min = 60 });
    rig_plan(&r);
    is_str(rig_why(&r, before), "Licenses", "a job outside waits");
    is_int(sched_estimate(r.s, r.c, cluster_job(r.c, before), r.now_s, NULL), r.now_s + 60 * MINUTE,
           "until the job inside ends");
    is_str(rig_where(&r, in), "n1:1/1", "a job inside starts, two seconds longer than the reservation");
    is_str(rig_where(&r, more), "n1:1/1", "and takes what is not reserved as well");
    rig_down(&r);
}

int main(void)
{
    test_licenses();
    test_gives_way();
    test_outside();
    test_no_limit();
    test_inside();
    test_cores();
    test_gres();
    test_flags();
    test_pick();
    return test_done();
}
