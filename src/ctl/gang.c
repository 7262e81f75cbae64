/* gang - turns of jobs that share cores, as sched/gang.h says; see gang.h. */
#include "ctl/gang.h"
#include "sched/gang.h"

void gang_configure(struct ctl *t)
{
    t->gang = t->site->preempt_mode && strcasestr(t->site->preempt_mode, "GANG");
    t->gang_stale = t->gang;
}

static bool is_new(const struct ctl *t, uint32_t id)
{
    for (size_t i = 0; i < t->gang_new.n; i++)
        if (t->gang_new.at[i] == id)
            return true;
    return false;
}

/* A job that has not been launched yet is not: its first turn is its start. */
static void stop(struct ctl *t, struct job *j)
{
    EVENT(ev);
    Pb__EvSuspend e = PB__EV_SUSPEND__INIT;
    e.job_id = j->id;
    e.turn = true;
    e.unborn = is_new(t, j->id);
    BODY(ev, SUSPEND, suspend, &e);
    if (!ctl_emit(t, &ev, NULL) && !e.unborn)
        act_pace(t, j, true);
}

static void go_on(struct ctl *t, struct job *j)
{
    EVENT(ev);
    Pb__EvSuspend e = PB__EV_SUSPEND__INIT;
    bool unborn = j->unborn;
    e.job_id = j->id;
    e.turn = e.resume = true;
    BODY(ev, SUSPEND, suspend, &e);
    if (ctl_emit(t, &ev, NULL))
        return;
    if (unborn)
        plan_begun(t, j);
    else
        act_pace(t, j, false);
}

/* Who was started in this turn and runs is launched now. */
static void launch_new(struct ctl *t)
{
    for (size_t i = 0; i < t->gang_new.n; i++) {
        struct job *j = cluster_job(t->c, t->gang_new.at[i]);
        if (j && j->state == JOB_RUNNING)
            plan_begun(t, j);
    }
    t->gang_new.n = 0;
}

static void remind(struct ctl *t)
{
    if (t->gang_timer_ms)
        return;
    t->gang_timer_ms = t->now_ms + (int64_t)MAX(t->site->time_slice_s, 1u) * 1000;
    timer_add(&t->timers, t->gang_timer_ms, TIMER_GANG, 0, 0);
}

static void turns(struct ctl *t, bool rotate)
{
    struct gang g;
    t->gang_stale = false;
    gang_plan(t->c, rotate, &g);
    for (size_t i = 0; i < g.changes.n; i++)
        if (!g.changes.at[i].resume)
            stop(t, g.changes.at[i].job);
    for (size_t i = 0; i < g.changes.n; i++)
        if (g.changes.at[i].resume)
            go_on(t, g.changes.at[i].job);
    launch_new(t);
    if (g.waiting)
        remind(t);
    vec_clear(&g.changes);
    t->gang_stale = false; /* by our own events: nothing to look at again */
}

void gang_refresh(struct ctl *t)
{
    if (t->gang_stale || t->gang_new.n)
        turns(t, false);
}

void gang_timer(struct ctl *t)
{
    if (!t->gang_timer_ms || t->gang_timer_ms > t->now_ms)
        return;
    t->gang_timer_ms = 0;
    if (t->gang)
        turns(t, true);
}

/* Without turns nobody waits for one: whoever does goes on. */
void gang_end(struct ctl *t)
{
    VEC(struct job *) waiting = { 0 };
    for (struct job *j = t->gang ? NULL : t->c->active.head; j; j = j->next)
        if (j->state == JOB_SUSPENDED && j->turn)
            vec_push(&waiting, j);
    for (size_t i = 0; i < waiting.n; i++)
        go_on(t, waiting.at[i]);
    vec_clear(&waiting);
}
