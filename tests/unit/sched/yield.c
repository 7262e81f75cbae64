/* SpurPolicy=short: who stands before whom, what is learned, and who makes room for a while. */
#include "rig.h"

#define HOUR 3600

static void up(struct rig *r, size_t nodes, int64_t yield_after_s)
{
    rig_plain(r, nodes, 1, 8, 1, 1000, NULL);
    struct sched_conf conf = { .backfill = true, .by_core = true, .policy = POLICY_SHORT, .yield_after_s = yield_after_s };
    sched_configure(r->s, &conf);
}

/* Whom a plan at this moment asks to make room, as "id id"; the starts happen. */
static const char *asked(struct rig *r)
{
    static char text[256];
    struct plan p;
    size_t n = 0;
    *text = '\0';
    sched_note(r->s, NULL);
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
    ok(*rig_where(&r, small) == 'n' && *rig_where(&r, lengthy) == '-', "who needs little passes who came a little earlier");
    r.now_s += 7 * 24 * HOUR;
    uint32_t late = rig_submit(&r, (struct rig_job){ .ntasks = 8, .limit_min = 10 });
    rig_end(&r, small);
    rig_plan(&r);
    ok(*rig_where(&r, lengthy) == 'n' && *rig_where(&r, late) == '-', "but nobody is passed for ever");
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

static void test_learned(void)
{
    struct rig r;
    up(&r, 1, 0);
    struct rig_job quick = { .ntasks = 8, .limit_min = 1440, .uid = 7 }, slow = { .ntasks = 8, .limit_min = 1440, .uid = 8 };
    for (int i = 0; i < 20; i++) {
        run_one(&r, quick, 60);
        run_one(&r, slow, 20 * HOUR);
    }
    uint32_t busy = rig_submit(&r, (struct rig_job){ .ntasks = 8, .limit_min = 60 });
    rig_plan(&r);
    uint32_t a = rig_submit(&r, slow);
    r.now_s += HOUR;
    uint32_t b = rig_submit(&r, quick);
    rig_end(&r, busy);
    rig_plan(&r);
    ok(*rig_where(&r, b) == 'n' && *rig_where(&r, a) == '-', "with equal limits, whose jobs ended early before goes first");
    rig_down(&r);
}

static void test_yield(void)
{
    struct rig r;
    up(&r, 2, HOUR);
    uint32_t can = rig_submit(&r, (struct rig_job){ .ntasks = 8, .limit_min = 20000, .checkpoints = true });
    uint32_t cannot = rig_submit(&r, (struct rig_job){ .ntasks = 8, .limit_min = 20000 });
    ok(!*asked(&r) && *rig_where(&r, can) == 'n' && *rig_where(&r, cannot) == 'n', "two begin, and nobody waits");
    r.now_s += HOUR / 2;
    rig_submit(&r, (struct rig_job){ .ntasks = 8, .limit_min = 10 });
    ok(!*asked(&r), "who has not run for long is left alone");
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
    const char *who = asked(&r);
    ok(*who && !strchr(who, ' '), "for a small job one goes, though any of four would do (%s)", who);
    r.now_s += 61;
    rig_submit(&r, (struct rig_job){ .nodes = 3, .ntasks = 24, .limit_min = 10 });
    Pb__EvWarned w = PB__EV_WARNED__INIT;
    w.job_id = (uint32_t)atoi(who), w.yield_s = r.now_s + 60;
    Pb__Event ev = PB__EVENT__INIT;
    ev.body_case = PB__EVENT__BODY_WARNED, ev.warned = &w;
    rig_apply(&r, &ev);
    ok(!*asked(&r), "room that is being made is not made twice, and nobody goes for a job that would not start then");
    ok(cluster_job(r.c, one)->state == JOB_PENDING, "meanwhile it waits");
    rig_down(&r);
}

int main(void)
{
    test_order();
    test_learned();
    test_yield();
    test_no_more_than_needed();
    return test_done();
}
