/* change - which changes an event is; see change.h. */
#include "ctl/change.h"

#include "ctl/module.h"

static void notify_cluster(struct ctl *t, const Pb__Event *ev, enum change_kind kind)
{
    modules_changed(t, &(struct change){ .kind = kind, .event = ev });
}

static void notify_job(struct ctl *t, const Pb__Event *ev, enum change_kind kind, uint32_t job_id)
{
    struct job *j = cluster_job(t->c, job_id);
    if (j)
        modules_changed(t, &(struct change){ .kind = kind, .job = j, .event = ev });
}

static void notify_start(struct ctl *t, const Pb__Event *ev)
{
    const Pb__EvStart *s = ev->start;
    if (s->split)
        notify_job(t, ev, CHANGE_JOB_SPLIT, s->job_id);
    notify_job(t, ev, CHANGE_JOB_BEGAN, s->split ? s->new_id : s->job_id);
    for (size_t i = 0; i < s->n_het; i++)
        notify_job(t, ev, CHANGE_JOB_BEGAN, s->het[i]->job_id);
}

static void notify_resize(struct ctl *t, const Pb__Event *ev)
{
    notify_job(t, ev, CHANGE_JOB_RESIZED, ev->resize->job_id);
    if (ev->resize->into)
        notify_job(t, ev, CHANGE_JOB_RESIZED, ev->resize->into);
}

void change_notify(struct ctl *t, const Pb__Event *ev)
{
    switch (ev->body_case) {
    case PB__EVENT__BODY_SUBMIT:
        for (uint32_t i = 0; i <= ev->submit->n_het; i++)
            notify_job(t, ev, CHANGE_JOB_NEW, ev->submit->job_id + i);
        break;
    case PB__EVENT__BODY_START: notify_start(t, ev); break;
    case PB__EVENT__BODY_SPLIT:
        notify_job(t, ev, CHANGE_JOB_UPDATED, ev->split->job_id);
        notify_job(t, ev, CHANGE_JOB_NEW, ev->split->new_id);
        notify_job(t, ev, CHANGE_JOB_QUEUED, ev->split->new_id);
        break;
    case PB__EVENT__BODY_END: notify_job(t, ev, CHANGE_JOB_OVER, ev->end->job_id); break;
    case PB__EVENT__BODY_NODE_DONE: notify_job(t, ev, CHANGE_JOB_OVER, ev->node_done->job_id); break;
    case PB__EVENT__BODY_REQUEUE:
        notify_job(t, ev, CHANGE_JOB_OVER, ev->requeue->job_id);
        notify_job(t, ev, CHANGE_JOB_QUEUED, ev->requeue->job_id);
        break;
    case PB__EVENT__BODY_RESIZE: notify_resize(t, ev); break;
    case PB__EVENT__BODY_READY: notify_job(t, ev, CHANGE_JOB_READY, ev->ready->job_id); break;
    case PB__EVENT__BODY_SUSPEND: notify_job(t, ev, CHANGE_JOB_SUSPENDED, ev->suspend->job_id); break;
    case PB__EVENT__BODY_HOLD: notify_job(t, ev, CHANGE_JOB_UPDATED, ev->hold->job_id); break;
    case PB__EVENT__BODY_UPDATE: notify_job(t, ev, CHANGE_JOB_UPDATED, ev->update->job_id); break;
    case PB__EVENT__BODY_DEPEND: notify_job(t, ev, CHANGE_JOB_UPDATED, ev->depend->job_id); break;
    case PB__EVENT__BODY_WARNED:
        if (ev->warned->yield_s)
            notify_job(t, ev, CHANGE_JOB_WARNED, ev->warned->job_id);
        break;
    case PB__EVENT__BODY_STEP_START: notify_job(t, ev, CHANGE_STEP_NEW, ev->step_start->job_id); break;
    case PB__EVENT__BODY_STEP_END: notify_job(t, ev, CHANGE_STEP_OVER, ev->step_end->job_id); break;
    case PB__EVENT__BODY_CONFIG:
    case PB__EVENT__BODY_NODE_UP:
    case PB__EVENT__BODY_NODE_STATE:
    case PB__EVENT__BODY_NODE_UPDATE:
    case PB__EVENT__BODY_PART_UPDATE: notify_cluster(t, ev, CHANGE_NODES_CHANGED); break;
    case PB__EVENT__BODY_RESV: notify_cluster(t, ev, CHANGE_RESV_CHANGED); break;
    case PB__EVENT__BODY_ASSOC_UPDATE: notify_cluster(t, ev, CHANGE_ASSOCS_CHANGED); break;
    case PB__EVENT__BODY_USAGE: notify_cluster(t, ev, CHANGE_USAGE_CHANGED); break;
    case PB__EVENT__BODY_LEVEL:
    case PB__EVENT__BODY_REHEARSAL:
    case PB__EVENT__BODY_ACCRUE: /* emitted while the job's priority is worked out */
    case PB__EVENT__BODY_PURGE:
    case PB__EVENT__BODY_STEP_UPDATE:
    case PB__EVENT__BODY__NOT_SET:
    case _PB__EVENT__BODY__CASE_IS_INT_SIZE: break;
    }
}
