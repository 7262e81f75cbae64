/* timers - what a job's times ask for; see timers.h. */
#include "ctl/agent.h"
#include "ctl/timers.h"

#include <signal.h>

#include "ctl/act.h"
#include "ctl/end.h"
#include "ctl/het.h"
#include "ctl/turn.h"
#include "ctl/usage_charge.h"
#include "ctl/module.h"

#define STALL_MS 5000 /* timers that fire so late say that this process stood still */
#define KEY_LIFE_S 3600 /* how long a submission's key is remembered */

struct job_timers {
    VEC(uint32_t) purge; /* jobs to forget with one event */
};

void timers_open(struct ctl *t)
{
    t->job_timers = NEW(struct job_timers);
}

void timers_close(struct ctl *t)
{
    vec_clear(&t->job_timers->purge);
    free(take(t->job_timers));
}

/* When a job that overruns its limit is ended: as its partition says, else as the cluster does; 0: never. */
static int64_t end_by_s(const struct ctl *t, const struct job *j)
{
    const struct part *p = cluster_part(t->c, j->partition);
    uint32_t over = p && p->pb->over_time_limit_min ? p->pb->over_time_limit_min : t->site->over_time_limit_min;
    int64_t limit = job_limit_s(j);
    return limit && over < UINT16_MAX - 1 ? limit + (int64_t)over * 60 : 0;
}

/* When it has to begin at the latest, to end before its deadline. */
static int64_t last_start_s(const struct job *j)
{
    uint32_t least = j->spec->req.time_min ? j->spec->req.time_min : j->limit_set ? j->time_limit_min : 0;
    return j->spec->deadline_s - (least == INFINITE_MIN ? 0 : (int64_t)least * 60);
}

static void set_timers(struct ctl *t, const struct job *j)
{
    if (job_ended(j) && !(j->state & JOB_COMPLETING)) {
        timer_add(&t->timers, (j->end_s + t->site->min_job_age_s) * 1000, TIMER_PURGE, j->id, 0);
        return;
    }
    if (j->state == JOB_PENDING) {
        if (j->eligible_s > NOW_S(t))
            timer_add(&t->timers, j->eligible_s * 1000, TIMER_PLAN, j->id, 0);
        if (j->spec->deadline_s)
            timer_add(&t->timers, (last_start_s(j) + 1) * 1000, TIMER_DEADLINE, j->id, 0);
    }
    if (j->state == JOB_RUNNING && j->yield_s)
        timer_add(&t->timers, j->yield_s * 1000, TIMER_YIELD, j->id, j->attempt);
    int64_t limit_s = j->state == JOB_RUNNING ? job_limit_s(j) : 0;
    if (!limit_s)
        return;
    if (end_by_s(t, j))
        timer_add(&t->timers, end_by_s(t, j) * 1000, TIMER_LIMIT, j->id, j->attempt);
    if (j->spec->signal && !j->warned)
        timer_add(&t->timers, MAX(limit_s - (int64_t)j->spec->signal_before_s, j->start_s) * 1000, TIMER_WARN, j->id,
                j->attempt);
}

void timers_changed(struct ctl *t, const struct change *ch)
{
    set_timers(t, ch->job);
}

void timers_lead(struct ctl *t)
{
    struct joblist *all[] = { &t->c->pending, &t->c->active, &t->c->done };
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        for (const struct job *j = all[i]->head; j; j = j->next)
            set_timers(t, j);
}

/* ---- when they fire ---- */

void timers_end(struct ctl *t, struct job *j)
{
    struct err err = ERR_INIT;
    end_job(t, j,
            &(struct end){ .state = JOB_TIMEOUT,
                           .reason = WHY_TIME_LIMIT,
                           .exit_code = 0,
                           .signal = SIGTERM,
                           .notice = "DUE TO TIME LIMIT",
                           .done_node = UINT32_MAX },
            &err);
}

static void emit_warned(struct ctl *t, struct job *j)
{
    EVENT(ev);
    Pb__EvWarned w = PB__EV_WARNED__INIT;
    w.job_id = j->id;
    BODY(ev, WARNED, warned, &w);
    if (!ctl_emit(t, &ev, NULL))
        act_signal(t, j, j->spec->signal, j->spec->signal_batch, false, !j->spec->signal_batch);
}

void timers_warn(struct ctl *t, struct job *j)
{
    if (j->spec->signal && !j->warned)
        emit_warned(t, j);
}

static struct job *running_job(const struct ctl *t, const struct timer_entry *e)
{
    struct job *j = cluster_job(t->c, e->id);
    return j && j->state == JOB_RUNNING && j->attempt == e->attempt ? j : NULL;
}

/* The limit may have been raised since: then another timer is set. */
void timers_limit(struct ctl *t, const struct timer_entry *e)
{
    struct job *j = running_job(t, e);
    if (j && end_by_s(t, j) && end_by_s(t, j) <= NOW_S(t))
        timers_end(t, j);
}

void timers_warn_due(struct ctl *t, const struct timer_entry *e)
{
    struct job *j = running_job(t, e);
    if (j && !j->warned && job_limit_s(j) - (int64_t)j->spec->signal_before_s <= NOW_S(t))
        emit_warned(t, j);
}

void timers_deadline(struct ctl *t, const struct timer_entry *e)
{
    struct err err = ERR_INIT;
    struct job *j = cluster_job(t->c, e->id);
    struct end end = { .state = JOB_DEADLINE, .exit_code = 1, .reason = WHY_DEADLINE, .done_node = UINT32_MAX };
    if (j && j->state == JOB_PENDING && j->spec->deadline_s && last_start_s(j) < NOW_S(t))
        end_job(t, j, &end, &err);
}

void timers_immediate(struct ctl *t, const struct timer_entry *e)
{
    struct err err = ERR_INIT;
    struct job *j = cluster_job(t->c, e->id);
    if (j && j->state == JOB_PENDING)
        end_job(t, j, &(struct end){ .state = JOB_CANCELLED, .done_node = UINT32_MAX }, &err);
}

void timers_purge(struct ctl *t, const struct timer_entry *e)
{
    const struct job *j = cluster_job(t->c, e->id);
    int64_t age_s = t->site->min_job_age_s;
    if (j && ((het_is(j) && het_lives(t, j)) || usage_charge_owes(t, j)))
        timer_add(&t->timers, t->now_ms + MAX(age_s, 1) * 1000, TIMER_PURGE, j->id, 0);
    else if (j && job_ended(j) && !(j->state & JOB_COMPLETING) && j->end_s + age_s <= NOW_S(t))
        vec_push(&t->job_timers->purge, j->id);
}

static void emit_purge(struct ctl *t)
{
    EVENT(ev);
    Pb__EvPurge purge = PB__EV_PURGE__INIT;
    if (!t->job_timers->purge.n)
        return;
    purge.job_id = t->job_timers->purge.at;
    purge.n_job_id = t->job_timers->purge.n;
    purge.keys_before_s = (uint64_t)MAX(NOW_S(t) - KEY_LIFE_S, 0);
    BODY(ev, PURGE, purge, &purge);
    ctl_emit(t, &ev, NULL);
    t->job_timers->purge.n = 0;
}

void ctl_timers(struct ctl *t)
{
    struct timer_entry e;
    int64_t late_ms = timer_next(&t->timers) ? t->now_ms - timer_next(&t->timers) : 0;
    if (late_ms >= STALL_MS)
        agent_forgive(t, t->now_ms - t->last_turn_ms);
    /* A timer that is set again for now fires in the next turn: a mistake there must not stop the loop. */
    for (size_t n = t->timers.v.n; n && !ctl_full(t) && timer_pop(&t->timers, t->now_ms, &e); n--)
        modules_timer(t, &e);
    emit_purge(t);
}
