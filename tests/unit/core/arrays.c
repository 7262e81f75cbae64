/* arrays - tasks that share a record, leave it one by one, and are the record in the end. */
#include "rig.h"

static int split(struct rig *r, uint32_t id, uint32_t task, uint32_t new_id)
{
    Pb__EvSplit e = PB__EV_SPLIT__INIT;
    e.job_id = id, e.task = task, e.new_id = new_id;
    return RIG_EVENT(r, SPLIT, split, &e);
}

static void test_tasks(void)
{
    struct rig r;
    rig_up(&r);
    ok(!rig_submit_as(&r, 10, "array", 3, 0, 1001), "an array of three tasks is one record");
    is_int(r.c->jobs.n, 1, "one");
    ok(!rig_start_task(&r, 10, 0, 1, 1, 11), "task 1 starts and gets a record of its own");
    is_int(cluster_job(r.c, 11)->array_task, 1, "it knows its task");
    is_int(cluster_job(r.c, 11)->array_job, 10, "and its array");
    is_int(cluster_job(r.c, 10)->array->count, 2, "two are left");
    is_int(cluster_array(r.c, 10)->running, 1, "one of the array runs");
    ok(rig_start_task(&r, 10, 1, 1, 1, 12), "a task leaves once");
    ok(rig_start_task(&r, 10, 1, 1, 7, 12), "a task that is not in the array does not leave");
    ok(rig_start_task(&r, 10, 1, 1, 0, 11), "a number in use is not given again");
    ok(!split(&r, 10, 0, 12), "task 0 leaves without starting");
    is_str(rig_state(&r, 12), "PENDING", "it waits on its own");
    ok(!rig_start_task(&r, 10, 1, 1, 2, 0), "the last task starts");
    is_int(cluster_job(r.c, 10)->array_task, 2, "it keeps the array's number");
    ok(!cluster_job(r.c, 10)->array, "no task waits behind it");
    is_int(cluster_array_task(r.c, 10, 0)->id, 12, "a task is found by its number: 0");
    is_int(cluster_array_task(r.c, 10, 1)->id, 11, "1");
    is_int(cluster_array_task(r.c, 10, 2)->id, 10, "2");
    ok(!cluster_array_task(r.c, 10, 3), "3 is none");
    ok(rig_round_trip(&r), "all of it survives a snapshot");
    is_int(cluster_array(r.c, 10)->running, 2, "also how many run");
    rig_down(&r);
}

static void test_cancel_some(void)
{
    struct rig r;
    rig_up(&r);
    rig_submit_as(&r, 10, "array", 3, 0, 1001);
    ok(!split(&r, 10, 1, 11) && !rig_end(&r, 11, JOB_CANCELLED, false), "one task is cancelled before it starts");
    is_str(rig_state(&r, 11), "CANCELLED", "it has ended");
    is_str(rig_state(&r, 10), "PENDING", "the others wait");
    ok(!rig_end(&r, 10, JOB_CANCELLED, false), "the rest is cancelled as one");
    is_str(rig_state(&r, 10), "CANCELLED", "it has ended, too");
    Pb__EvPurge p = PB__EV_PURGE__INIT;
    uint32_t ids[] = { 10, 11 };
    p.job_id = ids, p.n_job_id = 2;
    ok(!RIG_EVENT(&r, PURGE, purge, &p), "both are forgotten");
    ok(!cluster_array(r.c, 10) && !r.c->jobs.n && !r.c->blobs.n && !r.c->specs.n, "nothing is left of the array");
    rig_down(&r);
}

/* A restart reads the array from a snapshot; its tasks then leave one after the other. */
static void test_after_snapshot(void)
{
    struct rig r;
    rig_up(&r);
    rig_submit_as(&r, 10, "array", 3, 0, 1001);
    ok(rig_round_trip(&r), "an array that waits survives a snapshot");
    ok(!rig_start_task(&r, 10, 0, 1, 0, 11) && !rig_start_task(&r, 10, 1, 1, 1, 12) &&
           !rig_start_task(&r, 10, 2, 1, 2, 0),
       "its tasks start from there");
    ok(!rig_end(&r, 11, JOB_COMPLETED, true) && !rig_end(&r, 12, JOB_COMPLETED, true) &&
           !rig_end(&r, 10, JOB_COMPLETED, true),
       "and end");
    rig_down(&r);
}

/* Without tasks its throttle would be lost in a snapshot, which tells an array by its tasks. */
static void test_no_tasks(void)
{
    static uint8_t zeros[2];
    struct rig r;
    rig_up(&r);
    rig_submit(&r, 9);
    Pb__EvSubmit e = PB__EV_SUBMIT__INIT;
    e.job_id = 10, e.spec = 1, e.partition = TEXT("main"), e.is_array = true, e.array_max_running = 2;
    ok(RIG_EVENT(&r, SUBMIT, submit, &e), "an array without tasks is refused");
    e.array_pending = (ProtobufCBinaryData){ sizeof(zeros), zeros };
    ok(RIG_EVENT(&r, SUBMIT, submit, &e), "also when it has a bitmap");
    zeros[1] = 1;
    ok(!RIG_EVENT(&r, SUBMIT, submit, &e), "one task is enough");
    ok(rig_round_trip(&r), "and survives a snapshot");
    rig_down(&r);
}

int main(void)
{
    test_no_tasks();
    test_tasks();
    test_cancel_some();
    test_after_snapshot();
    return test_done();
}
