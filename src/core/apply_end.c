/* apply_end - how jobs end: exits, cancels, requeues, nodes that come clean. */
#include "base/errnum.h"
#include "base/str.h"
#include "core/cluster_priv.h"
#include "core/runtime_history.h"
#include "core/step.h"

static struct job *find_job(struct cluster *c, uint32_t id, struct err *err)
{
    struct job *j = cluster_job(c, id);
    if (!j)
        err_set(err, ESLURM_INVALID_JOB_ID, "there is no job %u", id);
    return j;
}

static void drop_steps(struct cluster *c, struct job *j)
{
    step_holds_clear(j);
    for (size_t i = 0; i < j->steps.n; i++) {
        if (c->watch)
            c->watch->step_over(c->watch->arg, j, j->steps.at[i].pb);
        pb__step__free_unpacked(j->steps.at[i].pb, NULL);
    }
    j->steps.n = 0;
}

static void mark_completing(struct cluster *c, const struct job *j)
{
    for (uint32_t i = 0; i < j->alloc.n; i++)
        if (!j->alloc.at[i].done)
            c->node[j->alloc.at[i].node].completing++;
}

static bool all_done(const struct job *j)
{
    for (uint32_t i = 0; i < j->alloc.n; i++)
        if (!j->alloc.at[i].done)
            return false;
    return true;
}

/* Every node is clean: the job leaves them, to the past or back to the queue. */
static void leave_nodes(struct cluster *c, struct job *j)
{
    drop_steps(c, j);
    if (!(j->state & JOB_REQUEUE_FLAG)) {
        cluster_move_job(c, j, job_base(j));
        return;
    }
    cluster_move_job(c, j, JOB_PENDING);
    alloc_clear(&j->alloc);
    license_forget(j);
    j->preferred = false;
    j->batch_pos = 0;
    j->start_s = j->end_s = 0;
    j->exit_code = 0;
}

static void give_back(struct cluster *c, struct job *j, const uint32_t *nodes, size_t n, bool all)
{
    for (uint32_t i = 0; i < j->alloc.n; i++) {
        bool mine = all;
        for (size_t k = 0; k < n; k++)
            mine |= nodes[k] == i;
        if (mine)
            use_release(c, j, i);
    }
}

/* It stops using its nodes with `state` (its base): those already clean are given back, the rest keep it COMPLETING. */
static void stop_using_nodes(struct cluster *c, struct job *j, uint32_t state, const uint32_t *nodes, size_t n,
                             bool all)
{
    license_return(c, j);
    give_back(c, j, nodes, n, all);
    if (all_done(j)) {
        cluster_move_job(c, j, state | (j->alloc.n ? JOB_COMPLETING : 0));
        leave_nodes(c, j);
        return;
    }
    cluster_move_job(c, j, state | JOB_COMPLETING);
    mark_completing(c, j);
}

/* A suspended job that ends or goes back to the queue is suspended no more. */
static void end_suspension(struct cluster *c, struct job *j, int64_t at_s)
{
    if (job_base(j) != JOB_SUSPENDED)
        return;
    j->suspended_total_s += at_s - j->suspend_s;
    use_suspend(c, j, false);
    if (job_lends(j))
        use_lend(c, j, false);
    j->gang = j->unlaunched = false;
}

int apply_end(struct cluster *c, const Pb__EvEnd *e, int64_t at_s, struct err *err)
{
    struct job *j = find_job(c, e->job_id, err);
    if (!j)
        return err->code;
    bool returning = j->state == (JOB_PENDING | JOB_COMPLETING | JOB_REQUEUE_FLAG);
    if (job_ended(j) || (j->state & JOB_COMPLETING && !returning))
        return err_set(err, ESLURM_ALREADY_DONE, "job %u has ended already", j->id);
    if (e->state <= JOB_SUSPENDED || e->state >= JOB_STATE_COUNT)
        return err_set(err, EINVAL, "job %u cannot end as %u", j->id, e->state);
    bool ran = job_holds_nodes(j);
    end_suspension(c, j, at_s);
    j->end_s = at_s;
    j->exit_code = e->exit_code;
    if (e->state == JOB_PREEMPTED)
        j->preempt_s = at_s;
    job_use_more(j, e->usage);
    j->end_signal = e->end_signal;
    j->reason = e->reason;
    j->has_cancel_uid = e->has_cancel_uid;
    j->cancel_uid = e->cancel_uid;
    mem_set_str(&j->reason_text, str_empty(e->reason_text) ? NULL : e->reason_text);
    if (returning) {
        /* It was on its way back to the queue, its nodes are being cleaned: it ends there instead. */
        cluster_move_job(c, j, e->state | JOB_COMPLETING);
        give_back(c, j, e->done_nodes, e->n_done_nodes, e->all_done);
        if (all_done(j))
            leave_nodes(c, j);
    } else if (ran) {
        stop_using_nodes(c, j, e->state, e->done_nodes, e->n_done_nodes, e->all_done);
        runtime_history_ended(c, j);
    } else {
        j->start_s = at_s;
        cluster_move_job(c, j, e->state);
    }
    return 0;
}

int apply_node_done(struct cluster *c, const Pb__EvNodeDone *e, struct err *err)
{
    struct job *j = find_job(c, e->job_id, err);
    if (!j)
        return err->code;
    if (!(j->state & JOB_COMPLETING) || j->attempt != e->attempt)
        return err_set(err, ESLURM_ALREADY_DONE, "job %u is not completing", j->id);
    if (e->has_exit && !(j->state & JOB_REQUEUE_FLAG))
        j->exit_code = e->exit_code; /* how its script really ended, after it was told to */
    job_use_more(j, e->usage);
    give_back(c, j, e->node, e->n_node, false);
    job_changed(c, j);
    if (all_done(j))
        leave_nodes(c, j);
    return 0;
}

int apply_requeue(struct cluster *c, const Pb__EvRequeue *e, int64_t at_s, struct err *err)
{
    struct job *j = find_job(c, e->job_id, err);
    if (!j)
        return err->code;
    bool alone = j->het_job && job_ended(j) && (j->state & JOB_COMPLETING); /* a component that ended before its set */
    if (job_pending(j) || ((j->state & JOB_COMPLETING) && !alone))
        return err_set(err, ESLURM_JOB_PENDING, "job %u is waiting already", j->id);
    end_suspension(c, j, at_s);
    j->end_s = at_s;
    if (c->watch)
        c->watch->attempt_over(c->watch->arg, j);
    if (job_base(j) == JOB_RUNNING && job_checkpoints(j))
        j->ran_s += at_s - j->start_s - j->suspended_total_s;
    j->yield_s = 0;
    j->restarts++;
    j->hold = e->hold;
    if (j->hold)
        j->priority = 0;
    j->reason = e->reason;
    j->eligible_s = e->eligible_s;
    j->accrue_s = 0;
    j->has_cancel_uid = false;
    mem_set_str(&j->reason_text, str_empty(e->reason_text) ? NULL : e->reason_text);
    if (alone) {
        cluster_move_job(c, j, JOB_PENDING | JOB_COMPLETING | JOB_REQUEUE_FLAG);
    } else if (job_holds_nodes(j)) {
        stop_using_nodes(c, j, JOB_PENDING | JOB_REQUEUE_FLAG, e->done_nodes, e->n_done_nodes, e->all_done);
    } else {
        cluster_move_job(c, j, JOB_PENDING | JOB_REQUEUE_FLAG);
        leave_nodes(c, j);
    }
    return 0;
}
