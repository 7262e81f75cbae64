/* timers - what a job's times ask for: its limit, its warning, its deadline, its purge. */
#include <signal.h>
#include <time.h>

#include "ctl/usage_charge.h"
#include "ctl/het.h"
#include "ctl/gang.h"
#include "ctl/priority_update.h"
#include "ctl/resv.h"
#include "ctl/fanout.h"

#define KEY_LIFE_S 3600 /* how long a submission's key is remembered */

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

void timers_job(struct ctl *t, const struct job *j)
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

static void time_is_up(struct ctl *t, struct job *j)
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

void timers_up(struct ctl *t, struct job *j)
{
    time_is_up(t, j);
}

static void warn(struct ctl *t, struct job *j)
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
        warn(t, j);
}

static void deadline(struct ctl *t, struct job *j)
{
    struct err err = ERR_INIT;
    end_job(t, j, &(struct end){ .state = JOB_DEADLINE, .exit_code = 1, .reason = WHY_DEADLINE, .done_node = UINT32_MAX }, &err);
}

/* Is its id that of a job? */
static bool of_a_job(const struct timer_entry *d)
{
    return d->kind != TIMER_NODE && d->kind != TIMER_HEARTBEAT && d->kind != TIMER_FANOUT && d->kind != TIMER_PRIORITY &&
           d->kind != TIMER_GANG && d->kind != TIMER_USAGE && d->kind != TIMER_QUERY_CACHE;
}

static void fire(struct ctl *t, const struct timer_entry *d, Pb__EvPurge *purge)
{
    struct job *j = of_a_job(d) ? cluster_job(t->c, d->id) : NULL;
    int64_t now = NOW_S(t);
    switch (d->kind) {
    case TIMER_LIMIT:
        /* The limit may have been raised since: then another reminder is on its way. */
        if (j && j->state == JOB_RUNNING && j->attempt == d->attempt && end_by_s(t, j) &&
            end_by_s(t, j) <= now)
            time_is_up(t, j);
        break;
    case TIMER_WARN:
        if (j && j->state == JOB_RUNNING && j->attempt == d->attempt && !j->warned &&
            job_limit_s(j) - (int64_t)j->spec->signal_before_s <= now)
            warn(t, j);
        break;
    case TIMER_DEADLINE:
        if (j && j->state == JOB_PENDING && j->spec->deadline_s && last_start_s(j) < now)
            deadline(t, j);
        break;
    case TIMER_PURGE:
        if (j && ((het_is(j) && het_lives(t, j)) || usage_charge_owes(t, j)))
            timer_add(&t->timers, t->now_ms + MAX((int64_t)t->site->min_job_age_s, 1) * 1000, TIMER_PURGE, j->id, 0);
        else if (j && job_ended(j) && !(j->state & JOB_COMPLETING) && j->end_s + t->site->min_job_age_s <= now) {
            purge->job_id = mem_grow(purge->job_id, purge->n_job_id + 1, sizeof(*purge->job_id));
            purge->job_id[purge->n_job_id++] = j->id;
        }
        break;
    case TIMER_DEPEND:
        if (j && job_pending(j))
            depend_settle(t, j);
        break;
    case TIMER_IMMEDIATE:
        if (j && j->state == JOB_PENDING) {
            struct err err = ERR_INIT;
            end_job(t, j, &(struct end){ .state = JOB_CANCELLED, .done_node = UINT32_MAX }, &err);
        }
        break;
    case TIMER_STEP:
        if (j && j->state == JOB_RUNNING)
            step_time_is_up(t, j, d->attempt);
        break;
    case TIMER_STEP_WAIT: step_wait_timer(t, d->id); break;
    case TIMER_FANOUT: fanout_timer(t, d->id); break;
    case TIMER_PRIORITY: priority_update_timer(t); break;
    case TIMER_USAGE: usage_charge_timer(t); break;
    case TIMER_QUERY_CACHE: break; /* the turn is what they waited for */
    case TIMER_RESV: resv_timer(t, d->id); break;
    case TIMER_GANG: gang_timer(t); break;
    case TIMER_YIELD:
        if (j)
            yield_timer(t, j);
        break;
    case TIMER_NODE: agent_timer(t, d->id); break;
    case TIMER_HEARTBEAT: agent_heartbeat_timer(t, d->id); break;
    case TIMER_PLAN:
        if (j)
            sched_changed(t->sched, j);
        t->want_plan = true;
        break;
    }
}

void ctl_timers(struct ctl *t)
{
    struct timer_entry d;
    Pb__EvPurge purge = PB__EV_PURGE__INIT;
    /* What a reminder sets anew for now has its turn in the next: a mistake there must not stop the loop. */
    for (size_t n = t->timers.v.n; n && !ctl_full(t) && timer_pop(&t->timers, t->now_ms, &d); n--)
        fire(t, &d, &purge);
    if (purge.n_job_id) {
        EVENT(ev);
        purge.keys_before_s = (uint64_t)MAX(NOW_S(t) - KEY_LIFE_S, 0);
        BODY(ev, PURGE, purge, &purge);
        ctl_emit(t, &ev, NULL);
    }
    free(purge.job_id);
}
