/* apply_step - a step starts and takes its share of the job, ends and gives it back. */
#include "base/errnum.h"
#include "core/cluster_priv.h"
#include "core/pbutil.h"
#include "core/step.h"
#include "text/signal.h"

static int check_step(const struct job *j, const Pb__Step *s, struct err *err)
{
    if (j->state != JOB_RUNNING || !s)
        return err_set(err, ESLURM_JOB_NOT_RUNNING, "job %u is not running", j->id);
    for (size_t i = 0; i < s->n_node; i++)
        if (s->node[i] >= j->alloc.n)
            return err_set(err, EINVAL, "a step of job %u would run on a node that is not the job's", j->id);
    if (step_find(j, s->id))
        return err_set(err, EEXIST, "job %u has a step %u already", j->id, s->id);
    return 0;
}

int apply_step_start(struct cluster *c, const Pb__EvStepStart *e, int64_t at_s, struct err *err)
{
    struct job *j = cluster_job(c, e->job_id);
    if (!j)
        return err_set(err, ESLURM_INVALID_JOB_ID, "there is no job %u", e->job_id);
    int rc = check_step(j, e->step, err);
    if (rc)
        return rc;
    Pb__Step *s = PB_DUP(Pb__Step, e->step);
    s->start_s = at_s;
    vec_push(&j->steps, (struct step){ s });
    step_take(j, s);
    if (s->id < PB__STEP_NUMBER__STEP_INTERACTIVE) /* the extern and interactive steps have numbers of their own */
        j->next_step = MAX(j->next_step, s->id + 1);
    job_changed(c, j);
    return 0;
}

/* Nodes that say it again change nothing. */
static bool heard_all(const struct job *j, Pb__Step *s, const uint32_t *node, size_t n, bool all)
{
    auto_free bool *done = mem_array(j->alloc.n, sizeof(*done));
    for (size_t i = 0; i < s->n_done; i++)
        if (s->done[i] < j->alloc.n)
            done[s->done[i]] = true;
    s->done = mem_grow(s->done, s->n_done + n, sizeof(*s->done));
    for (size_t i = 0; i < n; i++)
        if (node[i] < j->alloc.n && !done[node[i]]) {
            done[node[i]] = true;
            s->done[s->n_done++] = node[i];
        }
    return all || s->n_done >= s->n_node;
}

int apply_step_end(struct cluster *c, const Pb__EvStepEnd *e, int64_t at_s, struct err *err)
{
    (void)at_s;
    struct job *j = cluster_job(c, e->job_id);
    if (!j)
        return err_set(err, ESLURM_INVALID_JOB_ID, "there is no job %u", e->job_id);
    for (size_t i = 0; i < j->steps.n; i++) {
        Pb__Step *s = j->steps.at[i].pb;
        if (s->id != e->step_id)
            continue;
        s->exit_code = status_worst(s->exit_code, e->exit_code);
        job_use_more(j, e->usage);
        if (e->stats) {
            if (s->stats)
                pb__step_usage__free_unpacked(s->stats, NULL);
            s->stats = PB_DUP(Pb__StepUsage, e->stats); /* all nodes so far: the event has them added up */
        }
        if (e->cancelled)
            s->state = PB__STEP_STATE__STEP_CANCELLED;
        if (heard_all(j, s, e->n_nodes ? e->nodes : &e->node, e->n_nodes ? e->n_nodes : 1, e->all)) {
            j->derived_code = status_worst(j->derived_code, s->exit_code);
            step_release(j, s);
            if (c->watch)
                c->watch->step_over(c->watch->arg, j, s);
            pb__step__free_unpacked(s, NULL);
            vec_remove(&j->steps, i);
        }
        job_changed(c, j);
        return 0;
    }
    return err_set(err, ESLURM_INVALID_JOB_ID, "job %u has no step %u", j->id, e->step_id);
}

int apply_step_update(struct cluster *c, const Pb__EvStepUpdate *e, struct err *err)
{
    struct job *j = cluster_job(c, e->job_id);
    Pb__Step *s = j ? step_find(j, e->step_id) : NULL;
    if (!s || !s->spec)
        return err_set(err, ESLURM_INVALID_JOB_ID, "job %u has no step %u", e->job_id, e->step_id);
    s->spec->time_limit_min = e->time_limit_min;
    job_changed(c, j);
    return 0;
}
