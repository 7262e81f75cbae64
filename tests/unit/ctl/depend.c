/* depend - dependencies of every kind, also after a failover. */
#include "rig.h"

static char depend_on[64];

static void depends(Pb__SubmitRequest *q)
{
    q->spec->dependency = depend_on;
}

static void array(Pb__SubmitRequest *q)
{
    q->spec->array = TEXT("0-2");
}

static void array_depends(Pb__SubmitRequest *q)
{
    depends(q);
    array(q);
}

static uint32_t after(struct rig *r, const char *fmt, uint32_t id)
{
    snprintf(depend_on, sizeof(depend_on), fmt, id, id);
    return rig_submit(r, ADA, depends);
}

static void test_kinds(void)
{
    static const struct {
        const char *depend;
        uint32_t status;
        const char *running, *ended, *name;
    } cases[] = {
        { "afterok:%u", 0, "PENDING", "RUNNING", "afterok starts after a success" },
        { "afterok:%u", 256, "PENDING", "PENDING", "afterok waits for ever after a failure" },
        { "afternotok:%u", 256, "PENDING", "RUNNING", "afternotok starts after a failure" },
        { "afternotok:%u", 0, "PENDING", "PENDING", "afternotok waits for ever after a success" },
        { "afterany:%u", 256, "PENDING", "RUNNING", "afterany starts after a failure" },
        { "after:%u", 0, "RUNNING", "RUNNING", "after starts with the other" },
        { "afterok:%u?afternotok:%u", 256, "PENDING", "RUNNING", "with ? one of them is enough" },
        { "afterok:%u,afternotok:%u", 0, "PENDING", "PENDING", "with , all are needed" },
        { "singleton", 0, "PENDING", "RUNNING", "a singleton waits for its namesakes" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct rig r;
        rig_up(&r);
        uint32_t first = rig_submit(&r, ADA, NULL);
        uint32_t second = after(&r, cases[i].depend, first);
        is_str(rig_state(&r, second), cases[i].running, "%s: while the other runs", cases[i].name);
        rig_finish(&r, first, cases[i].status);
        is_str(rig_state(&r, second), cases[i].ended, "%s", cases[i].name);
        rig_down(&r);
    }
}

static void test_unknown(void)
{
    struct rig r;
    rig_up(&r);
    ok(!after(&r, "afterok:%u", 4711), "a dependency on a job that is not there is refused");
    is_int(rig_code(&r), ESLURM_DEPENDENCY, "with Slurm's number");
    ok(after(&r, "afterany:%u", 4711), "afterany of a job that is gone is fine");
    rig_down(&r);
}

/* A cancelled job goes back to the queue; what it waited for ended meanwhile. */
static void test_requeued(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t first = rig_submit(&r, ADA, NULL);
    uint32_t second = after(&r, "afterany:%u", first);
    rig_cancel(&r, ADA, second);
    rig_finish(&r, first, 0);
    is_int(rig_op(&r, ADA, PB__JOB_OP__OP_REQUEUE, second), 0, "a cancelled job is requeued");
    is_str(rig_state(&r, second), "RUNNING", "it does not wait for what is over");
    rig_down(&r);
}

/* after:ID+1 is a reminder in the leader's memory; the next leader has to set it again. */
static void test_failover(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t first = rig_submit(&r, ADA, NULL);
    uint32_t second = after(&r, "after:%u+1", first);
    rig_failover(&r);
    for (uint32_t i = 1; i <= 4; i++) {
        Pb__Running run = PB__RUNNING__INIT, *list[] = { &run };
        run.job_id = first, run.attempt = rig_job(&r, first)->attempt, run.step_id = PB__STEP_NUMBER__STEP_BATCH;
        rig_register(&r, i, "boot", list, rig_job(&r, first)->alloc.at[0].node + 1 == i);
    }
    is_str(rig_state(&r, second), "PENDING", "a minute has to pass");
    rig_pass(&r, 61);
    is_str(rig_state(&r, second), "RUNNING", "it passes under another leader, too");
    rig_down(&r);
}

/* A task that leaves its array waits for the same jobs. */
static void test_split(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t first = rig_submit(&r, ADA, NULL);
    snprintf(depend_on, sizeof(depend_on), "afterok:%u", first);
    uint32_t tasks = rig_submit(&r, ADA, array_depends);
    Pb__JobOpRequest q = PB__JOB_OP_REQUEST__INIT;
    Pb__JobRef ref = PB__JOB_REF__INIT, *refs[] = { &ref };
    ref.job = tasks, ref.has_task = true, ref.task = 1;
    q.op = PB__JOB_OP__OP_UHOLD, q.jobs = refs, q.n_jobs = 1;
    rig_ask(&r, ADA, MSG_JOB_OP, &q.base);
    q.op = PB__JOB_OP__OP_RELEASE;
    rig_ask(&r, ADA, MSG_JOB_OP, &q.base);
    rig_finish(&r, first, 0);
    struct job *one = cluster_array_task(ctl_cluster(r.t), tasks, 1);
    ok(one && job_base(one) == JOB_RUNNING, "a task that was held and released starts with the others");
    rig_down(&r);
}

static void test_array(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t tasks = rig_submit(&r, ADA, array), second = after(&r, "afterok:%u", tasks);
    for (uint32_t i = 0; i < 3; i++) {
        is_str(rig_state(&r, second), "PENDING", "with %u of 3 tasks done it waits", i);
        rig_finish(&r, cluster_array_task(ctl_cluster(r.t), tasks, i)->id, 0);
    }
    is_str(rig_state(&r, second), "RUNNING", "an array is over when all its tasks are");
    rig_down(&r);
}

/* The last task keeps the array's number; it ends first and is forgotten while two siblings run. */
static void test_array_number_gone(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t tasks = rig_submit(&r, ADA, array), second = after(&r, "afterok:%u", tasks);
    uint32_t task0 = cluster_array_task(ctl_cluster(r.t), tasks, 0)->id,
             task1 = cluster_array_task(ctl_cluster(r.t), tasks, 1)->id;
    rig_finish(&r, tasks, 0);
    rig_pass(&r, 200);
    is_str(rig_state(&r, tasks), "gone", "the task with the array's number is forgotten");
    rig_finish(&r, task0, 0);
    is_str(rig_state(&r, second), "PENDING", "one task is left");
    rig_finish(&r, task1, 0);
    is_str(rig_state(&r, second), "RUNNING", "it was the last");
    rig_down(&r);
}

int main(void)
{
    test_kinds();
    test_unknown();
    test_requeued();
    test_failover();
    test_split();
    test_array();
    test_array_number_gone();
    return test_done();
}
