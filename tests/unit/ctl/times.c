/* times - limits, warnings, deadlines, begin times, purges, on a clock that the test moves. */
#include <signal.h>

#include "rig.h"

static void c_limit(Pb__SubmitRequest *q) { q->spec->time_limit_min = 2; }
static void c_warn(Pb__SubmitRequest *q) { c_limit(q), q->spec->signal = SIGUSR1, q->spec->signal_before_s = 30; }
static void c_warn_batch(Pb__SubmitRequest *q) { c_warn(q), q->spec->signal_batch = true; }
static void c_begin(Pb__SubmitRequest *q) { q->spec->begin_s = START_MS / 1000 + 50; }
static void c_deadline(Pb__SubmitRequest *q) { q->spec->deadline_s = START_MS / 1000 + 50, q->spec->hold = true; }

/* The last kill order to the job's node; free it. */
static Pb__KillOrder *kill_order(const struct rig *r, uint32_t id)
{
    return rig_said(r, rig_job(r, id)->alloc.at[0].node + 1, MSG_KILL);
}

static void test_limit(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t id = rig_submit(&r, ADA, c_limit);
    rig_pass(&r, 119);
    is_str(rig_state(&r, id), "RUNNING", "a second before its limit it runs");
    rig_forget(&r);
    rig_pass(&r, 2);
    is_str(rig_state(&r, id), "COMPLETING", "then it is ended");
    Pb__KillOrder *k = kill_order(&r, id);
    ok(k && k->terminate && k->grace_s == 5, "its node is told, with KillWait's grace");
    ok(k && strstr(k->reason, "DUE TO TIME LIMIT"), "and what to write into its output");
    rig_free(k);
    rig_finish(&r, id, SIGTERM);
    is_str(rig_state(&r, id), "TIMEOUT", "it timed out");
    is_int(rig_job(&r, id)->reason, WHY_TIME_LIMIT, "for that reason");
    rig_down(&r);
}

static void test_raised(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t id = rig_submit(&r, ADA, c_limit);
    Pb__UpdateRequest q = PB__UPDATE_REQUEST__INIT;
    Pb__Pair a = PB__PAIR__INIT, b = PB__PAIR__INIT, *pairs[] = { &a, &b };
    a.key = TEXT("JobId"), a.value = TEXT("1"), b.key = TEXT("TimeLimit"), b.value = TEXT("4");
    q.pairs = pairs, q.n_pairs = 2;
    rig_ask(&r, ROOT, MSG_UPDATE, &q.base);
    rig_pass(&r, 200);
    is_str(rig_state(&r, id), "RUNNING", "a limit that was raised is a new one");
    rig_pass(&r, 50);
    is_str(rig_state(&r, id), "COMPLETING", "and counts");
    rig_down(&r);
}

static void test_suspended(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t id = rig_submit(&r, ADA, c_limit);
    rig_op(&r, ROOT, PB__JOB_OP__OP_SUSPEND, id);
    rig_pass(&r, 1000);
    is_str(rig_state(&r, id), "SUSPENDED", "a suspended job does not run out of time");
    rig_op(&r, ROOT, PB__JOB_OP__OP_RESUME, id);
    rig_pass(&r, 119);
    is_str(rig_state(&r, id), "RUNNING", "awake, it has what was left");
    rig_pass(&r, 3);
    is_str(rig_state(&r, id), "COMPLETING", "and no more");
    rig_down(&r);
}

static void test_warning(void)
{
    for (int batch = 0; batch < 2; batch++) {
        struct rig r;
        rig_up(&r);
        uint32_t id = rig_submit(&r, ADA, batch ? c_warn_batch : c_warn);
        rig_forget(&r);
        rig_pass(&r, 89);
        Pb__KillOrder *k = kill_order(&r, id);
        ok(!k, "31 seconds before its limit no job is warned");
        rig_pass(&r, 2);
        k = kill_order(&r, id);
        ok(k && k->signal == SIGUSR1 && !k->terminate && k->batch_only == (batch == 1),
           "29 before it has its signal (%s)", batch ? "the script" : "the steps");
        rig_free(k);
        rig_forget(&r);
        rig_pass(&r, 20);
        ok(!kill_order(&r, id), "once");
        rig_failover(&r);
        ok(rig_job(&r, id)->warned, "the next leader knows");
        rig_down(&r);
    }
}

static void test_begin_and_deadline(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t begin = rig_submit(&r, ADA, c_begin), dead = rig_submit(&r, ADA, c_deadline);
    rig_pass(&r, 49);
    is_str(rig_state(&r, begin), "PENDING", "before its time it waits");
    is_str(rig_state(&r, dead), "PENDING", "before its deadline it may");
    rig_pass(&r, 2);
    is_str(rig_state(&r, begin), "RUNNING", "at its time it starts");
    is_str(rig_state(&r, dead), "DEADLINE", "at its deadline it ends");
    rig_down(&r);
}

static void test_purge(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t id = rig_submit(&r, ADA, NULL);
    rig_finish(&r, id, 0);
    rig_pass(&r, 99);
    is_str(rig_state(&r, id), "COMPLETED", "a job is remembered for MinJobAge");
    rig_pass(&r, 2);
    is_str(rig_state(&r, id), "gone", "and then forgotten");
    rig_down(&r);
}

/* A time that is behind the log, as no clock tells it: nothing in the state moves back with it. */
static void test_clock(void)
{
    struct rig r;
    rig_up(&r);
    rig_pass(&r, 10);
    uint32_t first = rig_submit(&r, ADA, NULL);
    r.now_ms -= 3600000;
    uint32_t second = rig_submit(&r, ADA, NULL);
    ok(rig_job(&r, second)->submit_s >= rig_job(&r, first)->submit_s, "the later job is not older");
    rig_finish(&r, first, 0);
    ok(rig_job(&r, first)->end_s >= rig_job(&r, first)->start_s, "nothing ends before it began");
    rig_down(&r);
}

static void test_failover_limit(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t id = rig_submit(&r, ADA, c_limit);
    rig_pass(&r, 60);
    rig_failover(&r);
    Pb__Running run = PB__RUNNING__INIT, *list[] = { &run };
    run.job_id = id, run.attempt = rig_job(&r, id)->attempt, run.step_id = PB__STEP_NUMBER__STEP_BATCH;
    for (uint32_t i = 1; i <= 4; i++)
        rig_register(&r, i, "boot", list, rig_job(&r, id)->alloc.at[0].node + 1 == i);
    rig_pass(&r, 59);
    is_str(rig_state(&r, id), "RUNNING", "under the next leader it has the rest of its time");
    rig_pass(&r, 3);
    is_str(rig_state(&r, id), "COMPLETING", "and no more");
    rig_down(&r);
}

int main(void)
{
    test_limit();
    test_raised();
    test_suspended();
    test_warning();
    test_begin_and_deadline();
    test_purge();
    test_clock();
    test_failover_limit();
    return test_done();
}
