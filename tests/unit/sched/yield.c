/* yield - SpurPolicy=short: the order of jobs, what is learned, and which jobs yield. */
#include "core/runtime_history.h"
#include "rig.h"

#define HOUR 3600

static void up(struct rig *r, size_t nodes, int64_t yield_after_s)
{
    rig_learns = true;
    rig_plain(r, nodes, 1, 8, 1, 1000, NULL);
    struct sched_conf conf = {
        .backfill = true, .by_core = true, .policy = POLICY_SHORT, .yield_after_s = yield_after_s
    };
    sched_configure(r->s, &conf);
}

/* The jobs that a cycle at this time asks to yield, as "id id"; the starts are applied. */
static const char *asked(struct rig *r)
{
    static char text[256];
    struct plan p;
    size_t n = 0;
    *text = '\0';
    sched_changed(r->s, NULL);
    sched_plan(r->s, r->c, r->now_s, NULL, &p);
    for (size_t i = 0; i < p.yields.n; i++)
        n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%u", i ? " " : "", p.yields.at[i].job->id);
    for (size_t i = 0; i < p.starts.n; i++)
        rig_start(r, &p.starts.at[i]);
    plan_clear(&p);
    return text;
}

static void test_order(void)
{
    struct rig r;
    up(&r, 1, 0);
    uint32_t first = rig_submit(&r, (struct rig_job){ .ntasks = 8, .limit_min = 60 });
    rig_plan(&r);
    uint32_t lengthy = rig_submit(&r, (struct rig_job){ .ntasks = 8, .limit_min = 2880 });
    r.now_s += 60;
    uint32_t small = rig_submit(&r, (struct rig_job){ .ntasks = 8, .limit_min = 10 });
    rig_end(&r, first);
    rig_plan(&r);
    ok(*rig_where(&r, small) == 'n' && *rig_where(&r, lengthy) == '-',
       "a small job passes one that came a little earlier");
    r.now_s += 7 * 24 * HOUR;
    uint32_t late = rig_submit(&r, (struct rig_job){ .ntasks = 8, .limit_min = 10 });
    rig_end(&r, small);
    rig_plan(&r);
    ok(*rig_where(&r, lengthy) == 'n' && *rig_where(&r, late) == '-', "but no job is passed for ever");
    rig_down(&r);
}

/* Of two pending jobs, the one with the larger expected usage was submitted four days earlier; it is among the largest
 * one percent, or not. */
static bool lets_pass(uint32_t like_it)
{
    struct rig r;
    up(&r, 1, 0);
    for (uint32_t i = 0; i < 1000; i++)
        runtime_history_began(r.c, i < like_it ? 110 : 30);
    uint32_t first = rig_submit(&r, (struct rig_job){ .ntasks = 8, .limit_min = 60 });
    rig_plan(&r);
    uint32_t much = rig_submit(&r, (struct rig_job){ .ntasks = 8, .limit_min = 1440 });
    r.now_s += 100 * HOUR;
    uint32_t little = rig_submit(&r, (struct rig_job){ .ntasks = 8, .limit_min = 1 });
    rig_end(&r, first);
    rig_plan(&r);
    bool passed = *rig_where(&r, little) == 'n' && *rig_where(&r, much) == '-';
    rig_down(&r);
    return passed;
}

static void test_few(void)
{
    ok(lets_pass(10), "the one job in a hundred with the longest expected run time waits for the others");
    ok(!lets_pass(20), "not so where there are more of its kind");
}

static void test_settled(void)
{
    struct rig r;
    up(&r, 3, 0);
    rig_submit(&r, (struct rig_job){ .ntasks = 1, .limit_min = 6000, .nodelist = "n2" });
    rig_plan(&r);
    r.now_s += 5 * HOUR;
    rig_submit(&r, (struct rig_job){ .ntasks = 1, .limit_min = 6000, .nodelist = "n1" });
    rig_plan(&r);
    uint32_t small = rig_submit(&r, (struct rig_job){ .ntasks = 1, .limit_min = 60 });
    uint32_t whole = rig_submit(&r, (struct rig_job){ .ntasks = 8, .limit_min = 60 });
    rig_plan(&r);
    is_str(rig_where(&r, small), "n2:1/1", "a small job goes to the node of a long-running one");
    is_str(rig_where(&r, whole), "n3:8/8", "and free nodes are left to jobs that need them");
    rig_down(&r);
}

static void run_one(struct rig *r, struct rig_job j, int64_t run_s)
{
    uint32_t id = rig_submit(r, j);
    rig_plan(r);
    r->now_s += run_s;
    rig_end(r, id);
    rig_plan(r);
}

/* Equal requests; the jobs of one user have ended early so far. */
static const struct rig_job quick = { .ntasks = 8, .limit_min = 1440, .uid = 7 };
static const struct rig_job slow = { .ntasks = 8, .limit_min = 1440, .uid = 8 };

static void teach(struct rig *r)
{
    for (int i = 0; i < 20; i++) {
        run_one(r, quick, 60);
        run_one(r, slow, 20 * HOUR);
    }
}

static void test_learned(void)
{
    struct rig r;
    up(&r, 1, 0);
    teach(&r);
    uint32_t busy = rig_submit(&r, (struct rig_job){ .ntasks = 8, .limit_min = 60 });
    rig_plan(&r);
    uint32_t a = rig_submit(&r, slow);
    r.now_s += HOUR;
    uint32_t b = rig_submit(&r, quick);
    rig_end(&r, busy);
    rig_plan(&r);
    ok(*rig_where(&r, b) == 'n' && *rig_where(&r, a) == '-',
       "with equal limits, whose jobs ended early before goes first");
    rig_down(&r);
}

/* The leader fails: another controller has read the state, and its scheduler knows nothing else. */
static void fail_over(struct rig *r)
{
    auto_buf struct buf state = BUF_INIT;
    struct err err = ERR_INIT;
    cluster_encode(r->c, &state);
    rig_down(r);
    if (cluster_decode(&r->c, state.s, state.len, &err))
        abort();
    struct sched_conf conf = { .backfill = true, .by_core = true, .policy = POLICY_SHORT };
    r->s = sched_new(&conf);
}

static void test_fail_over(void)
{
    struct rig r;
    up(&r, 1, 0);
    teach(&r);
    fail_over(&r);
    uint32_t busy = rig_submit(&r, (struct rig_job){ .ntasks = 8, .limit_min = 60 });
    rig_plan(&r);
    uint32_t a = rig_submit(&r, slow);
    r.now_s += HOUR;
    uint32_t b = rig_submit(&r, quick);
    fail_over(&r);
    rig_end(&r, busy);
    rig_plan(&r);
    ok(*rig_where(&r, b) == 'n' && *rig_where(&r, a) == '-', "a new leader expects what the old one did");
    rig_down(&r);
}

static void test_yield(void)
{
    struct rig r;
    up(&r, 2, HOUR);
    uint32_t can = rig_submit(&r, (struct rig_job){ .ntasks = 8, .limit_min = 20000, .checkpoints = true });
    uint32_t cannot = rig_submit(&r, (struct rig_job){ .ntasks = 8, .limit_min = 20000 });
    ok(!*asked(&r) && *rig_where(&r, can) == 'n' && *rig_where(&r, cannot) == 'n', "two start, and no job waits");
    r.now_s += HOUR / 2;
    rig_submit(&r, (struct rig_job){ .ntasks = 8, .limit_min = 10 });
    ok(!*asked(&r), "a job that has not run for long is not asked");
    r.now_s += HOUR;
    is_str(asked(&r), "1", "then it is asked: the one that can, alone");
    ok(!*asked(&r), "and not again in the same minute");
    rig_down(&r);
}

static void test_no_more_than_needed(void)
{
    struct rig r;
    up(&r, 2, HOUR);
    for (int i = 0; i < 4; i++)
        rig_submit(&r, (struct rig_job){ .ntasks = 4, .limit_min = 20000, .checkpoints = true });
    rig_plan(&r);
    r.now_s += 2 * HOUR;
    uint32_t one = rig_submit(&r, (struct rig_job){ .ntasks = 2, .limit_min = 10 });
    const char *job = asked(&r);
    ok(*job && !strchr(job, ' '), "for a small job one goes, though any of four would do (%s)", job);
    r.now_s += 61;
    rig_submit(&r, (struct rig_job){ .nodes = 3, .ntasks = 24, .limit_min = 10 });
    Pb__EvWarned w = PB__EV_WARNED__INIT;
    w.job_id = (uint32_t)atoi(job), w.yield_s = r.now_s + 60;
    Pb__Event ev = PB__EVENT__INIT;
    ev.body_case = PB__EVENT__BODY_WARNED, ev.warned = &w;
    rig_apply(&r, &ev);
    ok(!*asked(&r), "no second job yields for the same start, nor for a job that would not start then");
    ok(cluster_job(r.c, one)->state == JOB_PENDING, "meanwhile it waits");
    rig_down(&r);
}

/* ---- random jobs ---- */

static uint64_t dice(uint64_t *seed, uint64_t n)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (*seed >> 33) % n;
}

/* CPUs of a node that are free, or held by a job that was asked to yield or ends within a quarter of an hour. */
static uint32_t free_then(const struct rig *r, const struct plan *p, uint32_t node)
{
    uint32_t cpus = r->c->node[node].cpus;
    for (const struct job *j = r->c->active.head; j; j = j->next) {
        int64_t left_s = j->start_s + (int64_t)j->time_limit_min * 60 - r->now_s;
        bool goes = j->yield_s > 0 || (left_s <= HOUR / 4 && left_s > 0);
        for (size_t i = 0; i < p->yields.n; i++)
            goes |= p->yields.at[i].job == j;
        for (uint32_t i = 0; i < j->alloc.n && !goes; i++)
            if (j->alloc.at[i].node == node && !j->alloc.at[i].done)
                cpus -= MIN(cpus, j->alloc.at[i].cpus);
    }
    return cpus;
}

static bool all_right(const struct rig *r, const struct plan *p, int64_t after_s)
{
    for (size_t i = 0; i < p->yields.n; i++) {
        const struct job *j = p->yields.at[i].job, *by = cluster_job(r->c, p->yields.at[i].by);
        bool room = false;
        for (size_t k = 0; by && k < r->c->nnodes; k++)
            room |= free_then(r, p, (uint32_t)k) >= req_cpus(&by->spec->req);
        for (size_t k = 0; k < i; k++)
            room &= p->yields.at[k].job != j;
        if (!by || by->state != JOB_PENDING || j->state != JOB_RUNNING || !j->spec->signal || j->yield_s ||
            r->now_s - j->start_s < after_s || !room)
            return false;
    }
    return true;
}

static void step(struct rig *r, uint64_t *seed, size_t *asked_for, bool *right)
{
    struct plan p;
    if (dice(seed, 2))
        rig_submit(r, (struct rig_job){ .nodes = 1,
                                        .ntasks = 1 + (uint32_t)dice(seed, 8),
                                        .limit_min = 1u << dice(seed, 14),
                                        .checkpoints = dice(seed, 2) });
    r->now_s += (int64_t)dice(seed, 3 * HOUR);
    sched_plan(r->s, r->c, r->now_s, NULL, &p);
    *right &= all_right(r, &p, HOUR);
    *asked_for += p.yields.n;
    for (size_t i = 0; i < p.starts.n; i++)
        rig_start(r, &p.starts.at[i]);
    for (size_t i = 0; i < p.yields.n; i++) { /* it ends at once */
        Pb__EvRequeue e = PB__EV_REQUEUE__INIT;
        e.job_id = p.yields.at[i].job->id, e.all_done = true, e.eligible_s = r->now_s;
        Pb__Event ev = PB__EVENT__INIT;
        ev.body_case = PB__EVENT__BODY_REQUEUE, ev.requeue = &e;
        rig_apply(r, &ev);
        sched_changed(r->s, cluster_job(r->c, e.job_id));
        *right &= cluster_job(r->c, e.job_id)->ran_s >= HOUR;
    }
    plan_clear(&p);
    for (const struct job *j = r->c->active.head, *next; j; j = next) {
        next = j->next;
        if (!dice(seed, 12))
            rig_end(r, j->id);
    }
}

static void test_any(void)
{
    size_t n = 0;
    bool right = true;
    for (uint64_t round = 1; round <= 40; round++) {
        struct rig r;
        uint64_t seed = round;
        up(&r, 1 + dice(&seed, 4), HOUR);
        for (int i = 0; i < 60; i++)
            step(&r, &seed, &n, &right);
        rig_down(&r);
        if (!right)
            break;
    }
    ok(right, "only jobs that can and have run an hour are asked, never twice, and the pending job then fits");
    ok(n > 20, "and some were asked (%zu)", n);
}

int main(void)
{
    test_order();
    test_few();
    test_settled();
    test_learned();
    test_fail_over();
    test_yield();
    test_no_more_than_needed();
    test_any();
    return test_done();
}
