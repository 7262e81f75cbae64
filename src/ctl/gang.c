/* gang - turns of jobs that share cores, as sched/gang.h says; see gang.h. */
#include "ctl/gang.h"

#include "ctl/plan.h"
#include "sched/gang.h"

struct gang_state {
    bool on;               /* PreemptMode=GANG */
    bool stale;            /* a job that holds cores came or went */
    VEC(uint32_t) started; /* in this turn, and not launched yet */
    int64_t timer_ms;      /* a timer is set for then; 0: none */
};

void gang_open(struct ctl *t)
{
    t->gang = NEW(struct gang_state);
}

void gang_close(struct ctl *t)
{
    vec_clear(&t->gang->started);
    free(take(t->gang));
}

void gang_changed(struct ctl *t, const struct change *ch)
{
    t->gang->stale |= t->gang->on;
}

bool gang_takes(struct ctl *t, const struct job *j)
{
    if (t->gang->on)
        vec_push(&t->gang->started, j->id);
    return t->gang->on;
}

void gang_configure(struct ctl *t)
{
    t->gang->on = t->site->preempt_mode && strcasestr(t->site->preempt_mode, "GANG");
    t->gang->stale = t->gang->on;
}

static bool is_new(const struct ctl *t, uint32_t id)
{
    for (size_t i = 0; i < t->gang->started.n; i++)
        if (t->gang->started.at[i] == id)
            return true;
    return false;
}

/* A job that has not been launched yet is not: its first turn is its start. */
static void gang_stop(struct ctl *t, struct job *j)
{
    EVENT(ev);
    Pb__EvSuspend e = PB__EV_SUSPEND__INIT;
    e.job_id = j->id;
    e.gang = true;
    e.unlaunched = is_new(t, j->id);
    BODY(ev, SUSPEND, suspend, &e);
    ctl_emit(t, &ev, NULL);
}

static void go_on(struct ctl *t, struct job *j)
{
    EVENT(ev);
    Pb__EvSuspend e = PB__EV_SUSPEND__INIT;
    bool unlaunched = j->unlaunched;
    e.job_id = j->id;
    e.gang = e.resume = true;
    BODY(ev, SUSPEND, suspend, &e);
    if (ctl_emit(t, &ev, NULL))
        return;
    if (unlaunched)
        plan_begun(t, j);
}

/* A job that was started in this turn and has the time slice begins now. */
static void launch_new(struct ctl *t)
{
    for (size_t i = 0; i < t->gang->started.n; i++) {
        struct job *j = cluster_job(t->c, t->gang->started.at[i]);
        if (j && j->state == JOB_RUNNING)
            plan_begun(t, j);
    }
    t->gang->started.n = 0;
}

static void gang_remind(struct ctl *t)
{
    if (t->gang->timer_ms)
        return;
    t->gang->timer_ms = t->now_ms + (int64_t)MAX(t->site->time_slice_s, 1u) * 1000;
    timer_add(&t->timers, t->gang->timer_ms, TIMER_GANG, 0, 0);
}

static void gang_turns(struct ctl *t, bool rotate)
{
    struct gang g;
    t->gang->stale = false;
    gang_plan(t->c, rotate, &g);
    for (size_t i = 0; i < g.changes.n; i++)
        if (!g.changes.at[i].resume)
            gang_stop(t, g.changes.at[i].job);
    for (size_t i = 0; i < g.changes.n; i++)
        if (g.changes.at[i].resume)
            go_on(t, g.changes.at[i].job);
    launch_new(t);
    if (g.waiting)
        gang_remind(t);
    vec_clear(&g.changes);
    t->gang->stale = false; /* by our own events: nothing to look at again */
}

void gang_refresh(struct ctl *t)
{
    if (t->gang->on && (t->gang->stale || t->gang->started.n))
        gang_turns(t, false);
}

void gang_timer(struct ctl *t, const struct timer_entry *e)
{
    if (!t->gang->timer_ms || t->gang->timer_ms > t->now_ms)
        return;
    t->gang->timer_ms = 0;
    if (t->gang->on)
        gang_turns(t, true);
}

void gang_lead(struct ctl *t)
{
    t->gang->stale = t->gang->on;
    gang_end(t);
}

/* Without time slices no job waits for one: jobs that do go on. */
void gang_end(struct ctl *t)
{
    VEC(struct job *) waiting = { 0 };
    for (struct job *j = t->gang->on ? NULL : t->c->active.head; j; j = j->next)
        if (j->state == JOB_SUSPENDED && j->gang)
            vec_push(&waiting, j);
    for (size_t i = 0; i < waiting.n; i++)
        go_on(t, waiting.at[i]);
    vec_clear(&waiting);
}
