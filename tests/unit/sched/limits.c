/* Limits of QOS and associations: each stops what it should with its reason, and none is ever exceeded. */
#include "rig_het.h"

#include "core/limits.h"

#define USERS 3
#define SEEDS 40

struct holder { /* what a random roster says, for the checker */
    uint32_t jobs_user, jobs_group;
    uint64_t cpus_user, cpus_group;
};

static Pb__Limit *limit(enum limit_what what, enum limit_who who, const char *tres, uint64_t max)
{
    Pb__Limit *l = NEW(Pb__Limit);
    pb__limit__init(l);
    l->what = what, l->who = who, l->max = max;
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

static void roster(struct rig *r, Pb__Qos **q, size_t nq, Pb__Assoc **a, size_t na)
{
    Pb__EvRoster e = PB__EV_ROSTER__INIT;
    Pb__Event ev = PB__EVENT__INIT;
    e.qos = q, e.n_qos = nq, e.assoc = a, e.n_assoc = na;
    ev.body_case = PB__EVENT__BODY_ROSTER, ev.roster = &e;
    rig_apply(r, &ev);
    for (size_t i = 0; i < nq; i++)
        pb__qos__free_unpacked(q[i], NULL);
    for (size_t i = 0; i < na; i++)
        pb__assoc__free_unpacked(a[i], NULL);
    struct sched_conf conf = { .backfill = true, .by_core = true, .by_memory = true, .limits = true };
    sched_configure(r->s, &conf);
    sched_note(r->s, NULL);
}

/* One limit, two jobs: the first runs, the second waits with that reason. */
static void test_each(void)
{
    static const struct {
        enum limit_what what;
        enum limit_who who;
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
            Pb__Limit *l = limit(cases[i].what, cases[i].who, cases[i].tres, cases[i].max);
            if (of_qos)
                add_limit(q[0], l);
            else
                add_to(a[1], l);
            roster(&r, q, 1, a, 3);
            struct rig_job j = { .uid = 1, .account = "phys", .qos = "q", .ntasks = 2, .mem = 100, .gres = "gpu:1", .limit_min = 60 };
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

/* What a single job may not have, however empty the cluster is. */
static void test_single(void)
{
    static const struct {
        enum limit_what what;
        enum limit_who who;
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
        add_limit(q[0], limit(cases[i].what, cases[i].who, cases[i].tres, cases[i].max));
        roster(&r, q, 1, NULL, 0);
        uint32_t id = rig_submit(&r, (struct rig_job){ .uid = 1, .qos = "q", .ntasks = 2, .gres = "gpu:1", .limit_min = 60 });
        rig_plan(&r);
        is_str(rig_why(&r, id), cases[i].want, "one job alone");
        rig_down(&r);
    }
}

/* Of two QOS that speak of the same, the partition's counts. */
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
    roster(&r, q, 3, NULL, 0);
    uint32_t own = rig_submit(&r, (struct rig_job){ .qos = "own", .ntasks = 3 });
    uint32_t over = rig_submit(&r, (struct rig_job){ .qos = "over", .ntasks = 3 });
    rig_plan(&r);
    ok(*rig_where(&r, own) != '-', "the partition's word counts");
    is_str(rig_why(&r, over), "QOSMaxCpuPerJobLimit", "unless the job's QOS says OverPartQOS");
    rig_down(&r);
}

/* Who may not start keeps no place and sends nobody away, however full the cluster is. */
static void test_full(void)
{
    struct rig r;
    rig_plain(&r, 2, 1, 8, 1, 1000, "gpu:4");
    Pb__Qos *q[] = { qos(1, "low"), qos(2, "high") };
    q[1]->preempt = mem_str("low");
    q[1]->priority = 10;
    add_limit(q[1], limit(LIMIT_TRES, LIMIT_USER, "gres/gpu", 2));
    roster(&r, q, 2, NULL, 0);
    struct sched_conf conf = { .backfill = true, .by_core = true, .by_memory = true, .limits = true, .preempt = true,
                               .preempt_qos = true, .preempt_mode = "CANCEL" };
    sched_configure(r.s, &conf);
    uint32_t low = rig_submit(&r, (struct rig_job){ .uid = 1, .qos = "low", .nodes = 2, .gres = "gpu:4", .limit_min = 60 });
    rig_plan(&r);
    ok(*rig_where(&r, low) != '-', "the GPUs are all taken");
    uint32_t high = rig_submit(&r, (struct rig_job){ .uid = 2, .qos = "high", .nodes = 2, .gres = "gpu:2", .limit_min = 60, .prio = 9 });
    struct plan p = { 0 };
    sched_plan(r.s, r.c, r.now_s, NULL, &p);
    is_int(p.preempts.n, 0, "nobody goes for a job that its QOS does not let start");
    ok(p.whys.n == 1 && p.whys.at[0].job->id == high, "it is told why");
    is_str(p.whys.n ? why_name(p.whys.at[0].why.code) : "", "QOSMaxGRESPerUser", "the limit, not the GPUs");
    plan_clear(&p);
    rig_down(&r);
}

/* Of several limits of one kind the one is told that is in the way, with what is asked for. */
static void test_told(void)
{
    struct rig r;
    rig_plain(&r, 2, 1, 8, 1, 1000, "gpu:4");
    Pb__Assoc *a[] = { assoc(1, 0, "root", "", 0), assoc(2, 1, "phys", "", 0), assoc(3, 2, "phys", "ann", 1) };
    add_to(a[1], limit(LIMIT_TRES, LIMIT_GROUP, "gres/gpu", 5));
    add_to(a[2], limit(LIMIT_TRES, LIMIT_GROUP, "gres/gpu", 100));
    roster(&r, NULL, 0, a, 3);
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

static void test_rate(void)
{
    static const struct {
        const char *weights, *tres;
        bool max;
        double want;
    } cases[] = {
        { NULL, "cpu=4,mem=8G,gres/gpu=2", false, 4 },
        { "CPU=1.0,Mem=0.25G,GRES/gpu=2", "cpu=4,mem=8G,gres/gpu=2", false, 4 + 2 + 4 },
        { "CPU=1.0,Mem=0.25G,GRES/gpu=2", "cpu=4,mem=64G,gres/gpu=2", true, 16 },
        { "CPU=0.5", "cpu=3", false, 1.5 },
        { "gres/gpu:a100=3", "gres/gpu=2,gres/gpu:a100=2", false, 6 },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        auto_tres struct tres_list t = TRES_INIT;
        ok(!tres_parse(cases[i].tres, &t, NULL), "what is held: %s", cases[i].tres);
        double got = limits_rate(cases[i].weights, &t, cases[i].max);
        ok(got > cases[i].want - 0.001 && got < cases[i].want + 0.001, "%s costs %g", str_or(cases[i].weights, "CPUs"), got);
    }
}

/* ---- random rosters: nobody ever has more ---- */

static uint64_t state;

static uint32_t rnd(uint32_t n)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(state >> 33) % n;
}

static bool within(const struct rig *r, const struct holder *h)
{
    uint32_t jobs[USERS] = { 0 }, all_jobs = 0;
    uint64_t cpus[USERS] = { 0 }, all_cpus = 0;
    for (const struct job *j = r->c->active.head; j; j = j->next) {
        if (job_ended(j))
            continue;
        jobs[j->uid]++, all_jobs++;
        for (uint32_t i = 0; i < j->alloc.n; i++)
            cpus[j->uid] += j->alloc.at[i].cpus, all_cpus += j->alloc.at[i].cpus;
    }
    for (uint32_t u = 0; u < USERS; u++)
        if (jobs[u] > h->jobs_user || cpus[u] > h->cpus_user)
            return false;
    return all_jobs <= h->jobs_group && all_cpus <= h->cpus_group;
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
    const struct limit_use *x = smap_get(&r->c->limits->book.uses, "q/q"), *y = smap_get(&again->limits->book.uses, "q/q");
    if (x || y)
        same &= (x ? x->jobs : 0) == (y ? y->jobs : 0) && (x ? x->submitted : 0) == (y ? y->submitted : 0) &&
                tres_get(x ? &x->tres : &y->tres, "cpu", 0) == tres_get(y ? &y->tres : &x->tres, "cpu", 0);
    cluster_free(again);
    return same;
}

static void one_random(uint64_t seed)
{
    struct rig r;
    state = seed;
    rig_plain(&r, 2 + rnd(3), 1, 8, 1, 100000, NULL);
    struct holder h = { 1 + rnd(4), 2 + rnd(6), 2 + rnd(10), 4 + rnd(16) };
    Pb__Qos *q[] = { qos(1, "q") };
    Pb__Assoc *a[1 + USERS] = { assoc(1, 0, "root", "", 0) };
    add_limit(q[0], limit(LIMIT_JOBS, LIMIT_USER, "", h.jobs_user));
    add_limit(q[0], limit(LIMIT_TRES, LIMIT_USER, "cpu", h.cpus_user));
    add_to(a[0], limit(LIMIT_JOBS, LIMIT_GROUP, "", h.jobs_group));
    add_to(a[0], limit(LIMIT_TRES, LIMIT_GROUP, "cpu", h.cpus_group));
    for (uint32_t u = 0; u < USERS; u++)
        a[1 + u] = assoc(2 + u, 1, "root", "somebody", u);
    roster(&r, q, 1, a, 1 + USERS);
    bool good = true, all = true;
    for (int turn = 0; turn < 60; turn++) {
        for (uint32_t n = rnd(4); n; n--)
            rig_submit(&r, (struct rig_job){ .uid = rnd(USERS), .account = "root", .qos = "q", .ntasks = 1 + rnd(3),
                                             .array = rnd(5) ? 0 : 1 + rnd(4), .prio = 1 + rnd(100) });
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
    bool stuck = false; /* whoever is left asks for more CPUs than one may have */
    for (const struct job *j = r.c->pending.head; j; j = j->next)
        stuck |= req_cpus(&j->spec->req) <= MIN(h.cpus_user, h.cpus_group);
    ok(good, "seed %llu: no limit is exceeded", (unsigned long long)seed);
    ok(all, "seed %llu: a restart counts the same", (unsigned long long)seed);
    ok(!stuck, "seed %llu: everybody who may run does", (unsigned long long)seed);
    rig_down(&r);
}

/* Components count for each other; and what a set that did not start would have held is free again. */
static void test_set(void)
{
    struct rig r;
    rig_plain(&r, 4, 1, 4, 1, 1000, NULL);
    Pb__Qos *q[] = { qos(1, "few") };
    add_limit(q[0], limit(LIMIT_TRES, LIMIT_GROUP, "cpu", 3));
    roster(&r, q, 1, NULL, 0);
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
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        one_random(seed);
    return test_done();
}
