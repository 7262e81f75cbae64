/* yield - a job that checkpoints makes room for a while; see yield.h. */
#include "ctl/yield.h"

#include "ctl/act.h"
#include "ctl/end.h"

void yield_ask(struct ctl *t, const struct sched_preempt *v)
{
    EVENT(ev);
    Pb__EvWarned w = PB__EV_WARNED__INIT;
    struct job *j = v->job;
    w.job_id = j->id;
    w.yield_s = NOW_S(t) + MAX((int64_t)j->spec->signal_before_s, 1);
    BODY(ev, WARNED, warned, &w);
    if (ctl_emit(t, &ev, NULL))
        return;
    log_info("job is asked to make room job=%u for=%u", w.job_id, v->by);
    act_signal(t, j, j->spec->signal, j->spec->signal_batch, false, !j->spec->signal_batch);
}

void yield_timer(struct ctl *t, const struct timer_entry *e)
{
    struct err err = ERR_INIT;
    struct job *j = cluster_job(t->c, e->id);
    if (j && j->state == JOB_RUNNING && j->yield_s && j->yield_s <= NOW_S(t))
        end_requeue(t, j, HOLD_NONE, WHY_NONE, NULL, UINT32_MAX, &err);
}

bool yield_ended(struct ctl *t, struct job *j, uint32_t exit_code, uint32_t done_node)
{
    struct err err = ERR_INIT;
    return j->yield_s && exit_code && !end_requeue(t, j, HOLD_NONE, WHY_NONE, NULL, done_node, &err);
}
