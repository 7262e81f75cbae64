/* resize - running jobs that give nodes away: the nodes are free, the steps know where they are now. */
#include "core/step.h"
#include "rig.h"

static int resize(struct rig *r, uint32_t id, uint32_t *drop, size_t n, uint32_t into)
{
    Pb__EvResize e = PB__EV_RESIZE__INIT;
    e.job_id = id, e.drop = drop, e.n_drop = n, e.into = into;
    return RIG_EVENT(r, RESIZE, resize, &e);
}

/* A step of two tasks on each node of job 10. */
static void add_step(struct rig *r, uint32_t id, uint32_t *nodes, size_t n)
{
    Pb__EvStepStart e = PB__EV_STEP_START__INIT;
    Pb__Step s = PB__STEP__INIT;
    Pb__StepSpec spec = PB__STEP_SPEC__INIT;
    Pb__NodeAlloc at[4], *list[4];
    uint32_t tasks[] = { 2, 2, 2, 2 };
    for (size_t i = 0; i < n; i++) {
        pb__node_alloc__init(&at[i]);
        at[i].cpus = 1;
        list[i] = &at[i];
    }
    s.id = id, s.spec = &spec, s.node = nodes, s.n_node = n, s.tasks = tasks, s.n_tasks = n, s.alloc = list,
    s.n_alloc = n;
    e.job_id = 10, e.step = &s;
    is_int(RIG_EVENT(r, STEP_START, step_start, &e), 0, "a step begins");
}

static const char *where(const struct rig *r, uint32_t id)
{
    static char text[128];
    const struct job *j = cluster_job(r->c, id);
    size_t n = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < j->alloc.n; i++)
        n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s:%u", i ? " " : "", r->c->node[j->alloc.at[i].node].name,
                              j->alloc.at[i].cpus);
    return text;
}

static void test_shrink(void)
{
    struct rig r;
    rig_up(&r);
    rig_submit(&r, 10);
    rig_start(&r, 10, 0, 4);
    add_step(&r, 0, (uint32_t[]){ 0, 1, 2, 3 }, 4);
    add_step(&r, 1, (uint32_t[]){ 1 }, 1);
    is_int(resize(&r, 10, (uint32_t[]){ 1 }, 1, 0), 0, "the second of four nodes goes");
    is_str(where(&r, 10), "n1:2 n3:2 n4:2", "three are left");
    is_int(r.c->node[1].jobs + r.c->node[1].cpus_used, 0, "and the one is free");
    const struct job *j = cluster_job(r.c, 10);
    is_int(j->steps.n, 1, "a step that had nothing else is gone");
    const Pb__Step *s = step_find(j, 0);
    ok(s && s->n_node == 3 && s->node[0] == 0 && s->node[1] == 1 && s->node[2] == 2, "the other is on the three");
    ok(s && s->n_ranks == 3 && s->ranks[1]->rank[0] == 4 && s->ranks[2]->rank[1] == 7,
       "and its tasks have the ranks they had");
    is_int(j->held[1].cpus, 1, "what it holds is counted where it is now");
    is_int(j->resize_s, r.now_s, "when it was");
    ok(rig_round_trip(&r), "it is the same after a restart");
    is_int(rig_end(&r, 10, JOB_COMPLETED, true), 0, "and ends");
    is_int(r.c->node[0].jobs + r.c->node[3].jobs, 0, "leaving nothing");
    rig_down(&r);
}

static void test_hand_over(void)
{
    struct rig r;
    rig_up(&r);
    rig_submit(&r, 10);
    rig_submit(&r, 11);
    rig_start(&r, 10, 0, 2);
    rig_start(&r, 11, 1, 2);
    is_int(resize(&r, 11, NULL, 0, 10), 0, "all of one goes to another");
    is_str(where(&r, 10), "n1:2 n2:4 n3:2", "a node that both had is there once");
    is_int(r.c->node[1].jobs, 1, "with one job on it");
    is_int(r.c->node[1].cpus_used, 4, "and the CPUs of both");
    is_str(rig_state(&r, 11), "RUNNING", "the other has not ended");
    is_int(cluster_job(r.c, 11)->alloc.n, 0, "and has nothing");
    ok(rig_round_trip(&r), "it is the same after a restart");
    is_int(rig_end(&r, 11, JOB_COMPLETED, true), 0, "it ends without nodes");
    is_int(rig_end(&r, 10, JOB_COMPLETED, true), 0, "the one that grew with all");
    is_int(r.c->node[1].jobs + r.c->node[1].cpus_used + r.c->node[2].jobs, 0, "nothing is left");
    rig_down(&r);
}

static void test_refused(void)
{
    struct rig r;
    rig_up(&r);
    rig_submit(&r, 10);
    is_int(resize(&r, 10, (uint32_t[]){ 0 }, 1, 0), ESLURM_JOB_NOT_RUNNING, "one that waits");
    rig_start(&r, 10, 0, 2);
    is_int(resize(&r, 9, (uint32_t[]){ 0 }, 1, 0), ESLURM_INVALID_JOB_ID, "one that is not there");
    is_int(resize(&r, 10, (uint32_t[]){ 2 }, 1, 0), EINVAL, "a node that it does not have");
    is_int(resize(&r, 10, (uint32_t[]){ 1, 1 }, 2, 0), EINVAL, "one twice");
    is_int(resize(&r, 10, (uint32_t[]){ 0, 1 }, 2, 0), ESLURM_INVALID_NODE_COUNT, "all of them");
    is_int(resize(&r, 10, NULL, 0, 10), ESLURM_JOB_NOT_RUNNING, "to itself");
    add_step(&r, 0, (uint32_t[]){ 0 }, 1);
    rig_submit(&r, 11);
    rig_start(&r, 11, 2, 1);
    is_int(resize(&r, 10, NULL, 0, 11), ESLURMD_STEP_EXISTS, "what runs does not change its job");
    rig_down(&r);
}

int main(void)
{
    test_shrink();
    test_hand_over();
    test_refused();
    return test_done();
}
