/* limits - limits of QOS and associations: each stops what it should with its reason, and none is ever exceeded. */
#include "rig_het.h"

#include "core/limits.h"

#define USERS 3
#define SEEDS 60

#define ACCOUNTS 2

struct holder { /* the random configuration, for the checker; associations are allowed `factor` times their CPUs */
    uint32_t jobs_user, jobs_group, jobs_account;
    uint64_t cpus_user, cpus_group, cpus_account, cpus_job, cpus_node, run_mins;
    double factor;
};

static Pb__Limit *limit(enum limit_what what, enum limit_scope scope, const char *tres, uint64_t max)
{
    Pb__Limit *l = NEW(Pb__Limit);
    pb__limit__init(l);
    l->what = (Pb__LimitWhat)what, l->scope = (Pb__LimitScope)scope, l->max = max;
    l->tres = mem_str(tres);
    return l;
}

static void add_limit(Pb__Qos *q, Pb__Limit *l)
{
    q->limits = mem_grow(q->limits, q->n_limits + 1, sizeof(Pb__Limit *));
    q->limits[q->n_limits++] = l;
}

static Pb__Qos *qos(uint32_t id, const char *name)
{
    Pb__Qos *q = NEW(Pb__Qos);
    pb__qos__init(q);
    q->id = id, q->name = mem_str(name), q->usage_factor = 1;
    return q;
}

static Pb__Assoc *assoc(uint32_t id, uint32_t parent, const char *account, const char *user, uint32_t uid)
{
    Pb__Assoc *a = NEW(Pb__Assoc);
    pb__assoc__init(a);
    a->id = id, a->parent = parent, a->account = mem_str(account), a->user = mem_str(user), a->shares = 1;
    a->has_uid = *user != '\0', a->uid = uid;
    return a;
}

static void add_to(Pb__Assoc *a, Pb__Limit *l)
{
    a->limits = mem_grow(a->limits, a->n_limits + 1, sizeof(Pb__Limit *));
    a->limits[a->n_limits++] = l;
}

static void load_assocs(struct rig *r, Pb__Qos **q, size_t nq, Pb__Assoc **a, size_t na)
{
    Pb__EvAssocUpdate e = PB__EV_ASSOC_UPDATE__INIT;
    Pb__Event ev = PB__EVENT__INIT;
    e.qos = q, e.n_qos = nq, e.assoc = a, e.n_assoc = na;
    ev.body_case = PB__EVENT__BODY_ASSOC_UPDATE, ev.assoc_update = &e;
    rig_apply(r, &ev);
    for (size_t i = 0; i < nq; i++)
        pb__qos__free_unpacked(q[i], NULL);
    for (size_t i = 0; i < na; i++)
        pb__assoc__free_unpacked(a[i], NULL);
    struct sched_conf conf = { .backfill = true, .by_core = true, .by_memory = true, .limits = true };
    sched_configure(r->s, &conf);
    sched_changed(r->s, NULL);
}

static void be_safe(struct rig *r)
{
    struct sched_conf conf = {
        .backfill = true, .by_core = true, .by_memory = true, .limits = true, .limits_safe = true
    };
    sched_configure(r->s, &conf);
}

/* CPU-seconds charged to a QOS so far. */
static void charge(struct rig *r, const char *name, double cpu_s)
{
    Pb__EvUsage e = PB__EV_USAGE__INIT;
    Pb__Qos q = PB__QOS__INIT, *qs[] = { &q };
    Pb__Charged ch = PB__CHARGED__INIT;
    Pb__TresSeconds cpu = PB__TRES_SECONDS__INIT, *tres[] = { &cpu };
    Pb__Event ev = PB__EVENT__INIT;
    cpu.name = (char[]){ "cpu" }, cpu.seconds = cpu_s;
    ch.tres = tres, ch.n_tres = 1;
    q.name = (char *)(uintptr_t)name, q.charged = &ch;
    e.qos = qs, e.n_qos = 1, e.until_s = r->now_s;
    ev.body_case = PB__EVENT__BODY_USAGE, ev.usage = &e;
    rig_apply(r, &ev);
}

/* One limit, two jobs: the first runs, the second waits with that reason. */
static void test_each(void)
{
    static const struct {
        enum limit_what what;
        enum limit_scope scope;
        const char *tres;
        uint64_t max;
        const char *want_qos, *want_assoc;
    } cases[] = {
        { LIMIT_JOBS, LIMIT_GROUP, "", 1, "QOSGrpJobsLimit", "AssocGrpJobsLimit" },
        { LIMIT_JOBS, LIMIT_USER, "", 1, "QOSMaxJobsPerUserLimit", "AssocMaxJobsLimit" },
        { LIMIT_JOBS, LIMIT_ACCOUNT, "", 1, "MaxJobsPerAccount", NULL },
        { LIMIT_TRES, LIMIT_GROUP, "cpu", 3, "QOSGrpCpuLimit", "AssocGrpCpuLimit" },
        { LIMIT_TRES, LIMIT_GROUP, "gres/gpu", 1, "QOSGrpGRES", "AssocGrpGRES" },
        { LIMIT_TRES, LIMIT_USER, "node", 1, "QOSMaxNodePerUserLimit", NULL },
        { LIMIT_TRES, LIMIT_ACCOUNT, "mem", 150, "MaxMemoryPerAccount", NULL },
        { LIMIT_RUN_MINS, LIMIT_GROUP, "cpu", 150, "QOSGrpCPURunMinutesLimit", "AssocGrpCPURunMinutesLimit" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        for (int of_qos = 1; of_qos >= 0; of_qos--) {
            const char *want = of_qos ? cases[i].want_qos : cases[i].want_assoc;
            if (!want)
                continue;
            struct rig r;
            rig_plain(&r, 4, 1, 8, 1, 1000, "gpu:4");
            Pb__Qos *q[] = { qos(1, "q") };
            Pb__Assoc *a[] = { assoc(1, 0, "root", "", 0), assoc(2, 1, "phys", "", 0), assoc(3, 2, "phys", "ann", 1) };
            Pb__Limit *l = limit(cases[i].what, cases[i].scope, cases[i].tres, cases[i].max);
            if (of_qos)
                add_limit(q[0], l);
            else
                add_to(a[1], l);
            load_assocs(&r, q, 1, a, 3);
            struct rig_job j = {
                .uid = 1, .account = "phys", .qos = "q", .ntasks = 2, .mem = 100, .gres = "gpu:1", .limit_min = 60
            };
            uint32_t first = rig_submit(&r, j), second = rig_submit(&r, j);
            rig_plan(&r);
            ok(*rig_where(&r, first) != '-', "%s: the first runs", want);
            is_str(rig_where(&r, second), "-", "%s: the second waits", want);
            is_str(rig_why(&r, second), want, "and says why");
            rig_end(&r, first);
            r.now_s++;
            rig_plan(&r);
            ok(*rig_where(&r, second) != '-', "%s: it runs once the first has ended", want);
            rig_down(&r);
        }
}

/* What a single job may not have, even on an empty cluster. */
static void test_single(void)
{
    static const struct {
        enum limit_what what;
        enum limit_scope scope;
        const char *tres;
        uint64_t max;
        const char *want;
    } cases[] = {
        { LIMIT_TRES, LIMIT_JOB, "cpu", 1, "QOSMaxCpuPerJobLimit" },
        { LIMIT_TRES, LIMIT_NODE, "gres/gpu", 0, "QOSMaxGRESPerNode" },
        { LIMIT_MINS, LIMIT_JOB, "cpu", 100, "QOSMaxCpuMinutesPerJobLimit" },
        { LIMIT_WALL, LIMIT_JOB, "", 59, "QOSMaxWallDurationPerJobLimit" },
        { LIMIT_MIN_TRES, LIMIT_JOB, "gres/gpu", 2, "QOSMinGRES" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct rig r;
        rig_plain(&r, 1, 1, 8, 1, 1000, "gpu:4");
        Pb__Qos *q[] = { qos(1, "q") };
        add_limit(q[0], limit(cases[i].what, cases[i].scope, cases[i].tres, cases[i].max));
        load_assocs(&r, q, 1, NULL, 0);
        uint32_t id = rig_submit(
            &r, (struct rig_job){ .uid = 1, .qos = "q", .ntasks = 2, .gres = "gpu:1", .limit_min = 60 });
        rig_plan(&r);
        is_str(rig_why(&r, id), cases[i].want, "one job alone");
        rig_down(&r);
    }
}

/* Where two QOS limit the same, that of the partition counts. */
static void test_partition_first(void)
{
    struct rig r;
    struct rig_node node = { .name = "n1", .sockets = 1, .cores = 8, .threads = 1, .mem_mb = 1000, .weight = 1 };
    Pb__Part part = PB__PART__INIT, *parts[] = { &part };
    part.name = (char[]){ "main" }, part.nodes = (char[]){ "n1" }, part.is_default = true, part.priority_tier = 1;
    part.qos = (char[]){ "part" };
    rig_up(&r, &node, 1, parts, 1);
    Pb__Qos *q[] = { qos(1, "part"), qos(2, "own"), qos(3, "over") };
    add_limit(q[0], limit(LIMIT_TRES, LIMIT_JOB, "cpu", 4));
    add_limit(q[1], limit(LIMIT_TRES, LIMIT_JOB, "cpu", 2));
    add_limit(q[2], limit(LIMIT_TRES, LIMIT_JOB, "cpu", 2));
    q[2]->flags = QOS_OVER_PART;
    load_assocs(&r, q, 3, NULL, 0);
    uint32_t own = rig_submit(&r, (struct rig_job){ .qos = "own", .ntasks = 3 });
    uint32_t over = rig_submit(&r, (struct rig_job){ .qos = "over", .ntasks = 3 });
    rig_plan(&r);
    ok(*rig_where(&r, own) != '-', "the partition's word counts");
    is_str(rig_why(&r, over), "QOSMaxCpuPerJobLimit", "unless the job's QOS says OverPartQOS");
    rig_down(&r);
}

/* A job stopped by a limit gets no planned start and preempts no job, however full the cluster is. */
static void test_full(void)
{
    struct rig r;
    rig_plain(&r, 2, 1, 8, 1, 1000, "gpu:4");
    Pb__Qos *q[] = { qos(1, "low"), qos(2, "high") };
    q[1]->preempt = mem_str("low");
    q[1]->priority = 10;
    add_limit(q[1], limit(LIMIT_TRES, LIMIT_USER, "gres/gpu", 2));
    load_assocs(&r, q, 2, NULL, 0);
    struct sched_conf conf = { .backfill = true,
                               .by_core = true,
                               .by_memory = true,
                               .limits = true,
                               .preempt = true,
                               .preempt_qos = true,
                               .preempt_mode = "CANCEL" };
    sched_configure(r.s, &conf);
    uint32_t low = rig_submit(&r,
                              (struct rig_job){ .uid = 1, .qos = "low", .nodes = 2, .gres = "gpu:4", .limit_min = 60 });
    rig_plan(&r);
    ok(*rig_where(&r, low) != '-', "the GPUs are all taken");
    uint32_t high = rig_submit(
        &r, (struct rig_job){ .uid = 2, .qos = "high", .nodes = 2, .gres = "gpu:2", .limit_min = 60, .prio = 9 });
    struct plan p = { 0 };
    sched_plan(r.s, r.c, r.now_s, NULL, &p);
    is_int(p.preempts.n, 0, "no job is preempted for one that its QOS stops");
    ok(p.whys.n == 1 && p.whys.at[0].job->id == high, "it is told why");
    is_str(p.whys.n ? why_name(p.whys.at[0].why.code) : "", "QOSMaxGRESPerUser", "the limit, not the GPUs");
    plan_clear(&p);
    rig_down(&r);
}

/* Of several limits of one kind, the one that stops the job is reported, with what it requests. */
static void test_told(void)
{
    struct rig r;
    rig_plain(&r, 2, 1, 8, 1, 1000, "gpu:4");
    Pb__Assoc *a[] = { assoc(1, 0, "root", "", 0), assoc(2, 1, "phys", "", 0), assoc(3, 2, "phys", "ann", 1) };
    add_to(a[1], limit(LIMIT_TRES, LIMIT_GROUP, "gres/gpu", 5));
    add_to(a[2], limit(LIMIT_TRES, LIMIT_GROUP, "gres/gpu", 100));
    load_assocs(&r, NULL, 0, a, 3);
    struct rig_job j = { .uid = 1, .account = "phys", .nodes = 1, .gres = "gpu:3", .limit_min = 60 };
    rig_submit(&r, j);
    uint32_t second = rig_submit(&r, j);
    rig_plan(&r);
    is_str(rig_why(&r, second), "AssocGrpGRES", "the second waits");
    struct why_text t = { 0 };
    sched_explain(r.s, r.c, cluster_job(r.c, second), r.now_s, &t);
    ok(strstr(t.sentence, "account phys allows all together gres/gpu=5, and 3 are held now; it asks for 3") != NULL,
       "told: %s", t.sentence);
    why_text_clear(&t);
    rig_down(&r);
}

/* ---- minutes ---- */

static void test_safe(void)
{
    static const struct {
        uint32_t flags;
        double factor;
        uint32_t first_min, second_min;
        bool safe;
        const char *want_first, *want_second;
    } cases[] = {
        /* 100 minutes of CPU in all, one CPU a job */
        { 0, 1, 101, 1, false, "None", "None" },
        { 0, 1, 101, 1, true, "QOSGrpCPUMinutesLimit", "None" },
        { 0, 1, 100, 1, true, "None", "QOSGrpCPUMinutesLimit" },
        { 0, 1, 60, 40, true, "None", "None" },
        { 0, 1, 60, 41, true, "None", "QOSGrpCPUMinutesLimit" },
        { 0, 2, 100, 1, true, "None", "QOSGrpCPUMinutesLimit" },
        { QOS_FACTOR_SAFE, 2, 51, 10, true, "QOSGrpCPUMinutesLimit", "None" },
        { QOS_FACTOR_SAFE, 2, 50, 10, true, "None", "QOSGrpCPUMinutesLimit" },
        { 0, 1, INFINITE_MIN, 10, true, "QOSGrpCPUMinutesLimit", "None" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct rig r;
        rig_plain(&r, 1, 1, 8, 1, 1000, NULL);
        Pb__Qos *q[] = { qos(1, "q") };
        q[0]->flags = cases[i].flags, q[0]->usage_factor = cases[i].factor;
        add_limit(q[0], limit(LIMIT_MINS, LIMIT_GROUP, "cpu", 100));
        load_assocs(&r, q, 1, NULL, 0);
        if (cases[i].safe)
            be_safe(&r);
        uint32_t first = rig_submit(
            &r, (struct rig_job){ .qos = "q", .ntasks = 1, .limit_min = cases[i].first_min, .prio = 20 });
        uint32_t second = rig_submit(
            &r, (struct rig_job){ .qos = "q", .ntasks = 1, .limit_min = cases[i].second_min, .prio = 10 });
        rig_plan(&r);
        is_str(*rig_where(&r, first) != '-' ? "None" : rig_why(&r, first), cases[i].want_first,
               "minutes %zu: the first", i);
        is_str(*rig_where(&r, second) != '-' ? "None" : rig_why(&r, second), cases[i].want_second,
               "minutes %zu: the second", i);
        rig_down(&r);
    }
}

/* Used-up minutes stop other jobs, and running ones; after decay they are tested again. */
static void test_spent(void)
{
    struct rig r;
    rig_plain(&r, 1, 1, 8, 1, 1000, NULL);
    Pb__Qos *q[] = { qos(1, "q") };
    add_limit(q[0], limit(LIMIT_MINS, LIMIT_GROUP, "cpu", 100));
    load_assocs(&r, q, 1, NULL, 0);
    charge(&r, "q", 90 * 60);
    uint32_t first = rig_submit(&r, (struct rig_job){ .qos = "q", .ntasks = 2, .limit_min = 600 });
    rig_plan(&r);
    ok(*rig_where(&r, first) != '-', "ten minutes are left: it starts");
    const struct job *j = cluster_job(r.c, first);
    struct holders h;
    auto_tres struct tres_list t = TRES_INIT;
    limits_holders(r.c, j, r.c->part.at[0], &h);
    limits_tres(r.c, r.c->part.at[0], &j->alloc, &t);
    is_int(limits_spent(r.c, &h, &t, j->start_s, r.now_s + 299), WHY_NONE, "two CPUs may run for five minutes");
    is_int(limits_spent(r.c, &h, &t, j->start_s, r.now_s + 300), WHY_QOS_GRP_CPU_MINS, "and no longer");
    r.now_s += 300;
    charge(&r, "q", 100 * 60);
    uint32_t second = rig_submit(&r, (struct rig_job){ .qos = "q", .ntasks = 1 });
    rig_plan(&r);
    is_str(rig_why(&r, second), "QOSGrpCPUMinutesLimit", "nothing is left for other jobs");
    auto_free char *told = limits_tell(r.c, &h, &(struct limit_ask){ .now_s = r.now_s }, WHY_QOS_GRP_CPU_MINS);
    is_str(told, "QOS q allows all together minutes of cpu=100, and 100 are used", "in words");
    r.now_s += 60;
    charge(&r, "q", 50 * 60);
    rig_plan(&r);
    ok(*rig_where(&r, second) != '-', "it starts when something has faded, though nothing else happened");
    rig_down(&r);
}

/* ---- flags of a QOS ---- */

static void test_partition_lifted(void)
{
    static const struct {
        uint32_t flags;
        uint32_t nodes, limit_min;
        const char *want;
    } cases[] = {
        { 0, 2, 61, "PartitionTimeLimit" },
        { QOS_PART_TIME, 2, 61, NULL },
        { 0, 4, 60, "PartitionNodeLimit" },
        { QOS_PART_MAX_NODES, 4, 60, NULL },
        { 0, 1, 60, "PartitionNodeLimit" },
        { QOS_PART_MIN_NODES, 1, 60, NULL },
        { QOS_PART_MIN_NODES, 4, 60, "PartitionNodeLimit" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct rig r;
        struct rig_node node[4];
        char names[4][4];
        for (int n = 0; n < 4; n++) {
            snprintf(names[n], sizeof(names[n]), "n%d", n + 1);
            node[n] = (struct rig_node){
                .name = names[n], .sockets = 1, .cores = 2, .threads = 1, .mem_mb = 100, .weight = 1
            };
        }
        Pb__Part part = PB__PART__INIT, *parts[] = { &part };
        part.name = (char[]){ "main" }, part.nodes = (char[]){ "n[1-4]" }, part.is_default = true,
        part.priority_tier = 1;
        part.max_nodes = 3, part.min_nodes = 2, part.max_time_min = 60;
        rig_up(&r, node, 4, parts, 1);
        Pb__Qos *q[] = { qos(1, "plain"), qos(2, "q") };
        q[1]->flags = cases[i].flags;
        load_assocs(&r, q, 2, NULL, 0);
        struct rig_job j = { .qos = "plain", .nodes = cases[i].nodes, .limit_min = cases[i].limit_min };
        uint32_t plain = rig_submit(&r, j);
        j.qos = "q";
        uint32_t id = rig_submit(&r, j);
        rig_plan(&r);
        ok(*rig_where(&r, plain) == '-', "flags %x: the partition's limit holds for other jobs", cases[i].flags);
        if (cases[i].want)
            is_str(rig_why(&r, id), cases[i].want, "flags %x: it holds", cases[i].flags);
        else
            ok(*rig_where(&r, id) != '-', "flags %x: it is lifted (%s)", cases[i].flags, rig_why(&r, id));
        rig_down(&r);
    }
}

/* LimitFactor applies to the limits of associations, and only to these. */
static void test_factor(void)
{
    struct rig r;
    rig_plain(&r, 4, 1, 8, 1, 1000, NULL);
    Pb__Qos *q[] = { qos(1, "one"), qos(2, "two") };
    Pb__Assoc *a[] = { assoc(1, 0, "root", "", 0), assoc(2, 1, "root", "ann", 1) };
    q[1]->limit_factor = 2;
    add_limit(q[1], limit(LIMIT_TRES, LIMIT_NODE, "cpu", 4));
    add_to(a[1], limit(LIMIT_TRES, LIMIT_GROUP, "cpu", 4));
    load_assocs(&r, q, 2, a, 2);
    struct rig_job j = { .uid = 1, .account = "root", .qos = "one", .nodes = 1, .ntasks = 6 };
    uint32_t one = rig_submit(&r, j);
    j.qos = "two", j.nodes = 2, j.per_node = 3;
    uint32_t two = rig_submit(&r, j);
    j.ntasks = 9, j.nodes = 3;
    uint32_t many = rig_submit(&r, j);
    j.ntasks = 5, j.nodes = 1, j.per_node = 0;
    uint32_t dense = rig_submit(&r, j);
    rig_plan(&r);
    is_str(rig_why(&r, one), "AssocGrpCpuLimit", "six of four");
    ok(*rig_where(&r, two) != '-', "six of two times four");
    is_str(rig_why(&r, many), "AssocGrpCpuLimit", "nine of two times four");
    rig_end(&r, two);
    r.now_s++;
    rig_plan(&r);
    is_str(rig_why(&r, dense), "QOSMaxCpuPerNode", "the QOS's own are what they are");
    rig_down(&r);
}

/* Relative: percents of the cluster, or of the partition that has the QOS. */
static void test_relative(void)
{
    struct rig r;
    struct rig_node node[] = { { .name = "n1", .sockets = 1, .cores = 8, .threads = 1, .mem_mb = 1000, .weight = 1 },
                               { .name = "n2", .sockets = 1, .cores = 8, .threads = 1, .mem_mb = 1000, .weight = 1 } };
    Pb__Part part = PB__PART__INIT, half = PB__PART__INIT, *parts[] = { &part, &half };
    part.name = (char[]){ "main" }, part.nodes = (char[]){ "n[1-2]" }, part.is_default = true, part.priority_tier = 1;
    half.name = (char[]){ "half" }, half.nodes = (char[]){ "n1" }, half.priority_tier = 1,
    half.qos = (char[]){ "part" };
    rig_up(&r, node, 2, parts, 2);
    Pb__Qos *q[] = { qos(1, "q"), qos(2, "part") };
    q[0]->flags = q[1]->flags = QOS_RELATIVE;
    add_limit(q[0], limit(LIMIT_TRES, LIMIT_GROUP, "cpu", 50));
    add_limit(q[1], limit(LIMIT_TRES, LIMIT_GROUP, "cpu", 50));
    load_assocs(&r, q, 2, NULL, 0);
    uint32_t a = rig_submit(&r, (struct rig_job){ .qos = "q", .nodes = 2, .ntasks = 8 });
    uint32_t b = rig_submit(&r, (struct rig_job){ .qos = "q", .ntasks = 1 });
    rig_plan(&r);
    ok(*rig_where(&r, a) != '-', "half of the cluster: 8 CPUs");
    is_str(rig_why(&r, b), "QOSGrpCpuLimit", "and no more");
    rig_end(&r, a);
    rig_end(&r, b);
    r.now_s++;
    a = rig_submit(&r, (struct rig_job){ .part = "half", .ntasks = 4 });
    b = rig_submit(&r, (struct rig_job){ .part = "half", .ntasks = 1 });
    rig_plan(&r);
    ok(*rig_where(&r, a) != '-', "half of the partition: 4 CPUs");
    is_str(rig_why(&r, b), "QOSGrpCpuLimit", "and no more there");
    rig_down(&r);
}

static void test_threshold(void)
{
    struct rig r;
    rig_plain(&r, 1, 1, 8, 1, 1000, NULL);
    Pb__Qos *q[] = { qos(1, "told"), qos(2, "held") };
    Pb__Assoc *a[] = { assoc(1, 0, "root", "", 0), assoc(2, 1, "root", "ann", 1) };
    q[0]->has_threshold = q[1]->has_threshold = true, q[0]->usage_threshold = q[1]->usage_threshold = 0.5;
    q[1]->flags = QOS_ENFORCE_THRESHOLD;
    load_assocs(&r, q, 2, a, 2);
    struct assoc *ann = (struct assoc *)(uintptr_t)limits_assoc(r.c, 1, "root", NULL);
    ann->fair_known = true, ann->fair = 0.4;
    uint32_t told = rig_submit(&r, (struct rig_job){ .uid = 1, .account = "root", .qos = "told", .ntasks = 1 });
    uint32_t held = rig_submit(&r, (struct rig_job){ .uid = 1, .account = "root", .qos = "held", .ntasks = 1 });
    rig_plan(&r);
    ok(*rig_where(&r, told) != '-', "without EnforceUsageThreshold no job is stopped");
    is_str(rig_why(&r, held), "QOSUsageThreshold", "with it a job with a lower share is");
    ann->fair = 0.5;
    r.now_s += 60;
    charge(&r, "held", 0);
    rig_plan(&r);
    ok(*rig_where(&r, held) != '-', "until it is high enough");
    rig_down(&r);
}

/* A planned start for jobs with a sufficient priority, and without NoReserve. */
static void test_places(void)
{
    static const struct {
        uint32_t flags;
        uint64_t least; /* priority of the pending job: 50 */
        bool passes;
    } cases[] = { { 0, 50, false }, { 0, 51, true }, { QOS_NO_RESERVE, 0, true } };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct rig r;
        rig_plain(&r, 1, 1, 8, 1, 1000, NULL);
        Pb__Qos *q[] = { qos(1, "q") };
        q[0]->flags = cases[i].flags;
        add_limit(q[0], limit(LIMIT_MIN_PRIO, LIMIT_JOB, "", cases[i].least));
        load_assocs(&r, q, 1, NULL, 0);
        rig_submit(&r, (struct rig_job){ .ntasks = 4, .limit_min = 60, .prio = 99 });
        rig_plan(&r);
        rig_submit(&r, (struct rig_job){ .qos = "q", .ntasks = 8, .limit_min = 60, .prio = 50 });
        uint32_t late = rig_submit(&r, (struct rig_job){ .ntasks = 4, .limit_min = 600, .prio = 10 });
        rig_plan(&r);
        ok((*rig_where(&r, late) != '-') == cases[i].passes, "flags %x, MinPrioThreshold=%llu", cases[i].flags,
           (unsigned long long)cases[i].least);
        rig_down(&r);
    }
}

/* ---- heterogeneous jobs ---- */

static void test_together(void)
{
    static const struct {
        uint32_t a, b;
        const char *want;
    } cases[] = { { 2, 2, NULL }, { 2, 3, "QOSGrpCpuLimit" }, { 4, 1, "QOSGrpCpuLimit" }, { 1, 3, NULL } };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct rig r;
        rig_plain(&r, 3, 1, 8, 1, 1000, NULL);
        Pb__Qos *q[] = { qos(1, "q") };
        add_limit(q[0], limit(LIMIT_TRES, LIMIT_GROUP, "cpu", 4));
        load_assocs(&r, q, 1, NULL, 0);
        struct rig_job set[] = { { .qos = "q", .ntasks = cases[i].a, .prio = 20 },
                                 { .qos = "q", .ntasks = cases[i].b, .prio = 20 } };
        uint32_t id = rig_submit_set(&r, set, 2);
        uint32_t alone = rig_submit(&r, (struct rig_job){ .qos = "q", .ntasks = 1, .prio = 10 });
        rig_plan(&r);
        if (cases[i].want)
            is_str(rig_why(&r, id), cases[i].want, "components of %u and %u CPUs are one too many", cases[i].a,
                   cases[i].b);
        else
            ok(*rig_where(&r, id) != '-' && *rig_where(&r, id + 1) != '-', "%u and %u CPUs may be held", cases[i].a,
               cases[i].b);
        ok((*rig_where(&r, alone) != '-') == (cases[i].want != NULL), "a set that does not start holds nothing");
        rig_down(&r);
    }
}

static void test_rate(void)
{
    static const struct {
        const char *weights, *tres;
        Pb__Billing how;
        double want;
    } cases[] = {
        { NULL, "cpu=4,mem=8G,gres/gpu=2", PB__BILLING__BILLING_SUM, 4 },
        { "CPU=1.0,Mem=0.25G,GRES/gpu=2", "cpu=4,mem=8G,gres/gpu=2", PB__BILLING__BILLING_SUM, 4 + 2 + 4 },
        { "CPU=1.0,Mem=0.25G,GRES/gpu=2", "cpu=4,mem=64G,gres/gpu=2", PB__BILLING__BILLING_MAX, 16 },
        { "CPU=1.0,Mem=0.25G,GRES/gpu=2", "cpu=4,mem=64G,gres/gpu=2", PB__BILLING__BILLING_MAX_GRES, 16 + 4 },
        { "CPU=1.0,Mem=0.25G,License/x=5", "cpu=4,mem=8G,license/x=2", PB__BILLING__BILLING_MAX, 4 + 10 },
        { "CPU=0.5", "cpu=3", PB__BILLING__BILLING_SUM, 1.5 },
        { "gres/gpu:a100=3", "gres/gpu=2,gres/gpu:a100=2", PB__BILLING__BILLING_SUM, 6 },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        auto_tres struct tres_list t = TRES_INIT;
        ok(!tres_parse(cases[i].tres, &t, NULL), "what is held: %s", cases[i].tres);
        double got = limits_rate(cases[i].weights, &t, cases[i].how);
        ok(got > cases[i].want - 0.001 && got < cases[i].want + 0.001, "%s costs %g", str_or(cases[i].weights, "CPUs"),
           got);
    }
}

/* ---- random associations: no limit is ever exceeded ---- */

static uint64_t state;

static uint32_t rnd(uint32_t n)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(state >> 33) % n;
}

struct sums {
    uint32_t jobs;
    uint64_t cpus, ahead_s;
};

static uint64_t cpus_of(const struct job *j, uint64_t *most)
{
    uint64_t all = 0;
    *most = 0;
    for (uint32_t i = 0; i < j->alloc.n; i++) {
        all += j->alloc.at[i].cpus;
        *most = MAX(*most, (uint64_t)j->alloc.at[i].cpus);
    }
    return all;
}

static void sum_up(struct sums *s, uint64_t cpus, int64_t left_s)
{
    s->jobs++;
    s->cpus += cpus;
    s->ahead_s += cpus * (uint64_t)MAX(left_s, 0);
}

static bool within(const struct rig *r, const struct holder *h)
{
    struct sums user[USERS] = { 0 }, account[ACCOUNTS] = { 0 }, all = { 0 };
    bool good = true;
    for (const struct job *j = r->c->active.head; j; j = j->next) {
        uint64_t most, cpus = cpus_of(j, &most);
        int64_t left_s = job_limit_s(j) - r->now_s;
        if (job_ended(j))
            continue;
        sum_up(&user[j->uid], cpus, left_s);
        sum_up(&account[j->spec->account[4] - '0'], cpus, left_s);
        sum_up(&all, cpus, left_s);
        good &= most <= h->cpus_node && cpus <= h->cpus_job;
    }
    for (uint32_t u = 0; u < USERS; u++)
        good &= user[u].jobs <= h->jobs_user && user[u].cpus <= h->cpus_user;
    for (uint32_t a = 0; a < ACCOUNTS; a++)
        good &= account[a].jobs <= h->jobs_account && account[a].cpus <= h->cpus_account;
    return good && all.jobs <= h->jobs_group && (double)all.cpus <= (double)h->cpus_group * h->factor &&
           all.ahead_s <= h->run_mins * 60;
}

/* Some pending jobs accrue age, some do not: counted, and kept. */
static void random_accrual(struct rig *r)
{
    Pb__EvAccrue e = PB__EV_ACCRUE__INIT;
    Pb__Event ev = PB__EVENT__INIT;
    ev.body_case = PB__EVENT__BODY_ACCRUE, ev.accrue = &e;
    for (const struct job *j = r->c->pending.head; j; j = j->next)
        if (!rnd(3)) {
            e.job_id = j->id, e.stop = rnd(2);
            rig_apply(r, &ev);
        }
}

static uint32_t accruing(const struct cluster *c)
{
    uint32_t n = 0;
    for (const struct job *j = c->pending.head; j; j = j->next)
        n += j->accrue_s > 0;
    return n;
}

static bool same_after_restart(const struct rig *r)
{
    struct cluster *again = NULL;
    struct err err = ERR_INIT;
    auto_buf struct buf b = BUF_INIT, c = BUF_INIT;
    cluster_encode(r->c, &b);
    if (cluster_decode(&again, b.s, b.len, &err))
        return false;
    cluster_encode(again, &c);
    bool same = b.len == c.len && !memcmp(b.s, c.s, b.len);
    const struct limit_use *x = limits_held_qos(r->c, limits_qos(r->c, "q")),
                           *y = limits_held_qos(again, limits_qos(again, "q"));
    if (x || y)
        same &= (x ? x->accruing : 0) == accruing(r->c) && (y ? y->accruing : 0) == accruing(again) &&
                accruing(r->c) == accruing(again) && (x ? x->jobs : 0) == (y ? y->jobs : 0) &&
                (x ? x->submitted : 0) == (y ? y->submitted : 0) &&
                tres_get(x ? &x->tres : &y->tres, "cpu", 0) == tres_get(y ? &y->tres : &x->tres, "cpu", 0);
    cluster_free(again);
    return same;
}

static void random_assocs(struct rig *r, struct holder *h)
{
    *h = (struct holder){ .jobs_user = 1 + rnd(4),
                          .jobs_group = 2 + rnd(6),
                          .jobs_account = 2 + rnd(5),
                          .cpus_user = 2 + rnd(10),
                          .cpus_group = 4 + rnd(16),
                          .cpus_account = 3 + rnd(12),
                          .cpus_job = 2 + rnd(4),
                          .cpus_node = 2 + rnd(4),
                          .run_mins = 200 + rnd(1000),
                          .factor = rnd(2) ? 1 : 1.5 };
    Pb__Qos *q[] = { qos(1, "q") };
    Pb__Assoc *a[1 + ACCOUNTS + ACCOUNTS * USERS] = { assoc(1, 0, "root", "", 0) };
    uint32_t n = 1;
    add_limit(q[0], limit(LIMIT_JOBS, LIMIT_USER, "", h->jobs_user));
    add_limit(q[0], limit(LIMIT_TRES, LIMIT_USER, "cpu", h->cpus_user));
    add_limit(q[0], limit(LIMIT_JOBS, LIMIT_ACCOUNT, "", h->jobs_account));
    add_limit(q[0], limit(LIMIT_TRES, LIMIT_ACCOUNT, "cpu", h->cpus_account));
    add_limit(q[0], limit(LIMIT_TRES, LIMIT_JOB, "cpu", h->cpus_job));
    add_limit(q[0], limit(LIMIT_TRES, LIMIT_NODE, "cpu", h->cpus_node));
    q[0]->limit_factor = h->factor;
    add_to(a[0], limit(LIMIT_JOBS, LIMIT_GROUP, "", h->jobs_group));
    add_to(a[0], limit(LIMIT_TRES, LIMIT_GROUP, "cpu", h->cpus_group));
    add_to(a[0], limit(LIMIT_RUN_MINS, LIMIT_GROUP, "cpu", h->run_mins));
    for (uint32_t k = 0; k < ACCOUNTS; k++) {
        char name[8];
        snprintf(name, sizeof(name), "acct%u", k);
        a[n] = assoc(n + 1, 1, name, "", 0);
        uint32_t above = ++n;
        for (uint32_t u = 0; u < USERS; u++, n++)
            a[n] = assoc(n + 1, above, name, "user", u);
    }
    load_assocs(r, q, 1, a, n);
}

/* One job, an array, or a heterogeneous job. */
static void random_job(struct rig *r)
{
    struct rig_job j = { .uid = rnd(USERS),
                         .account = rnd(2) ? "acct0" : "acct1",
                         .qos = "q",
                         .ntasks = 1 + rnd(3),
                         .array = rnd(5) ? 0 : 1 + rnd(4),
                         .prio = 1 + rnd(100),
                         .limit_min = 10 + rnd(60) };
    struct rig_job set[] = { j, j };
    set[0].array = set[1].array = 0;
    set[1].ntasks = 1 + rnd(2);
    if (rnd(6))
        rig_submit(r, j);
    else
        rig_submit_set(r, set, 2);
}

/* Could it run alone? */
static bool allowed(const struct rig *r, const struct job *j, const struct holder *h)
{
    uint64_t cpus = 0, most = 0, jobs = 0, mins = 0;
    for (uint32_t i = 0; i < MAX(j->het_size, 1u); i++) {
        const struct job *one = cluster_job(r->c, (j->het_job ? j->het_job : j->id) + i);
        uint64_t own = req_cpus(&one->spec->req);
        cpus += own, most = MAX(most, own), mins += own * one->time_limit_min, jobs++;
    }
    return cpus <= MIN(h->cpus_user, h->cpus_account) && (double)cpus <= (double)h->cpus_group * h->factor &&
           most <= MIN(h->cpus_job, h->cpus_node) && mins <= h->run_mins &&
           jobs <= MIN(h->jobs_user, MIN(h->jobs_group, h->jobs_account));
}

static void one_random(uint64_t seed)
{
    struct rig r;
    struct holder h;
    state = seed;
    rig_plain(&r, 2 + rnd(3), 1, 8, 1, 100000, NULL);
    random_assocs(&r, &h);
    bool good = true, all = true;
    for (int turn = 0; turn < 60; turn++) {
        for (uint32_t n = rnd(4); n; n--)
            random_job(&r);
        random_accrual(&r);
        rig_plan(&r);
        good &= within(&r, &h);
        if (turn % 10 == 0)
            all &= same_after_restart(&r);
        for (const struct job *j = r.c->active.head, *next; j; j = next) {
            next = j->next;
            if (!rnd(3))
                rig_end(&r, j->id);
        }
        r.now_s += rnd(30);
    }
    for (int turn = 0; turn < 2000 && r.c->pending.n; turn++) {
        while (r.c->active.head)
            rig_end(&r, r.c->active.head->id);
        r.now_s++;
        rig_plan(&r);
    }
    bool stuck = false; /* the remaining jobs request more than one job may have */
    for (const struct job *j = r.c->pending.head; j; j = j->next)
        stuck |= allowed(&r, j, &h);
    ok(good, "seed %llu: no limit is exceeded", (unsigned long long)seed);
    ok(all, "seed %llu: a restart counts the same", (unsigned long long)seed);
    ok(!stuck, "seed %llu: every job that may run does", (unsigned long long)seed);
    rig_down(&r);
}

/* Components count for each other; and what a set that did not start would have held is free again. */
static void test_set(void)
{
    struct rig r;
    rig_plain(&r, 4, 1, 4, 1, 1000, NULL);
    Pb__Qos *q[] = { qos(1, "few") };
    add_limit(q[0], limit(LIMIT_TRES, LIMIT_GROUP, "cpu", 3));
    load_assocs(&r, q, 1, NULL, 0);
    struct rig_job two = { .ntasks = 2, .qos = "few" }, one = { .ntasks = 1, .qos = "few" };
    uint32_t many = rig_submit_set(&r, (struct rig_job[]){ two, two }, 2);
    uint32_t some = rig_submit_set(&r, (struct rig_job[]){ two, one }, 2);
    rig_plan(&r);
    is_str(rig_where(&r, many), "-", "a set of four CPUs, where three are allowed, does not begin");
    ok(*rig_where(&r, some) == 'n' && *rig_where(&r, some + 1) == 'n', "one of three does, in the same plan");
    rig_down(&r);
}

int main(void)
{
    test_set();
    test_each();
    test_single();
    test_partition_first();
    test_full();
    test_told();
    test_rate();
    test_safe();
    test_spent();
    test_partition_lifted();
    test_factor();
    test_relative();
    test_threshold();
    test_places();
    test_together();
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        one_random(seed);
    return test_done();
}
