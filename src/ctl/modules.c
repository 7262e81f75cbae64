/*
 * modules - the modules of the controller, and the handler of each kind of timer.
 *
 * The order is that of opening, of leading, of the end of a turn and of hearing of a change: a reservation's nodes and
 * the priorities are up to date before the plan is made, and the plan is made before time slices are given; the job
 * itself (priority, scheduler, timers) is up to date before a module looks at others because of it.
 */
#include "ctl/module.h"

#include "ctl/agent.h"
#include "ctl/clean.h"
#include "ctl/clock.h"
#include "ctl/depend.h"
#include "ctl/directory.h"
#include "ctl/fanout.h"
#include "ctl/fence.h"
#include "ctl/gang.h"
#include "ctl/hook.h"
#include "ctl/level.h"
#include "ctl/plan.h"
#include "ctl/priority_fairshare.h"
#include "ctl/priority_update.h"
#include "ctl/query_cache.h"
#include "ctl/reconcile.h"
#include "ctl/resv.h"
#include "ctl/stat.h"
#include "ctl/step.h"
#include "ctl/timers.h"
#include "ctl/usage_charge.h"
#include "ctl/wait.h"
#include "ctl/watchdog.h"
#include "ctl/yield.h"

static const struct ctl_module modules[] = {
    { "directory", directory_open, directory_close },
    { "stat", stat_open, stat_close },
    { "watchdog", watchdog_open, watchdog_close },
    { "query_cache", query_cache_open, query_cache_close },
    { "agent", agent_open, agent_close, .lead = agent_lead, .session_closed = agent_lost },
    { "clock", clock_open, clock_close },
    { "fanout", fanout_open, fanout_close, .session_closed = fanout_session_lost },
    { "fence", fence_open, fence_close, .lead = fence_lead },
    { "resv", resv_open, resv_close, .lead = resv_lead, .turn_end = resv_refill, .changed = resv_changed,
      .wants = CHANGE(JOB_BEGAN) | CHANGE(JOB_OVER) | CHANGE(JOB_UPDATED) | CHANGE(NODES_CHANGED) |
               CHANGE(RESV_CHANGED) },
    { "fairshare", priority_fairshare_open, priority_fairshare_close },
    { "priority", priority_update_open, priority_update_close, priority_update_configure, .lead = priority_update_stale,
      .turn_end = priority_update_refresh, .changed = priority_update_changed,
      .wants = CHANGES_JOB | CHANGES_CLUSTER | CHANGE(USAGE_CHANGED) },
    { "plan", plan_open, plan_close, plan_configure, .lead = plan_lead, .turn_end = plan_turn_end,
      .changed = plan_changed, .wants = CHANGES_JOB | CHANGE(JOB_SPLIT) | CHANGES_CLUSTER | CHANGE(USAGE_CHANGED) },
    { "timers", timers_open, timers_close, .lead = timers_lead, .changed = timers_changed, .wants = CHANGES_JOB },
    { "gang", gang_open, gang_close, gang_configure, .lead = gang_lead, .turn_end = gang_refresh,
      .changed = gang_changed, .wants = CHANGE(JOB_READY) | CHANGE(JOB_SUSPENDED) | CHANGE(JOB_OVER) },
    { "clean", clean_open, clean_close, .changed = clean_changed, .wants = CHANGE(JOB_OVER) },
    { "usage", usage_charge_open, usage_charge_close, .lead = usage_charge_lead, .changed = usage_charge_changed,
      .wants = CHANGE(JOB_NEW) | CHANGE(JOB_BEGAN) | CHANGE(JOB_OVER) | CHANGE(ASSOCS_CHANGED) },
    { "depend", depend_open, depend_close, .lead = depend_lead, .changed = depend_changed,
      .wants = CHANGE(JOB_BEGAN) | CHANGE(JOB_OVER) | CHANGE(JOB_QUEUED) },
    { "level", level_open, level_close, .turn_end = level_raise, .changed = level_job_new, .wants = CHANGE(JOB_NEW) },
    { "hook", hook_open, hook_close, .lead = hook_lead, .changed = hook_changed,
      .wants = CHANGE(JOB_BEGAN) | CHANGE(JOB_OVER) },
    { "wait", wait_open, wait_close, .session_closed = wait_session_closed, .changed = wait_changed,
      .wants = CHANGE(JOB_OVER) },
    { "step", step_wait_open, step_wait_close, .lead = step_lead, .session_closed = step_wait_session_closed,
      .changed = step_wait_changed,
      .wants = CHANGE(JOB_OVER) | CHANGE(JOB_READY) | CHANGE(JOB_SUSPENDED) | CHANGE(JOB_RESIZED) | CHANGE(STEP_OVER) },
    /* last: it sends what the turn has decided */
    { "reconcile", reconcile_open, reconcile_close, .lead = reconcile_lead, .turn_end = reconcile_all,
      .changed = reconcile_changed,
      .wants = CHANGE(JOB_BEGAN) | CHANGE(JOB_READY) | CHANGE(JOB_SUSPENDED) | CHANGE(JOB_OVER) | CHANGE(STEP_NEW) },
};

static timer_fn *const timers[TIMER_KINDS] = {
    [TIMER_LIMIT] = timers_limit,
    [TIMER_WARN] = timers_warn_due,
    [TIMER_DEADLINE] = timers_deadline,
    [TIMER_PURGE] = timers_purge,
    [TIMER_IMMEDIATE] = timers_immediate,
    [TIMER_NODE] = agent_timer,
    [TIMER_HEARTBEAT] = agent_heartbeat_timer,
    [TIMER_FENCE] = fence_timer,
    [TIMER_DEPEND] = depend_timer,
    [TIMER_PLAN] = plan_timer,
    [TIMER_STEP] = step_timer,
    [TIMER_STEP_WAIT] = step_wait_timer,
    [TIMER_FANOUT] = fanout_timer,
    [TIMER_RESV] = resv_timer,
    [TIMER_PRIORITY] = priority_update_timer,
    [TIMER_GANG] = gang_timer,
    [TIMER_YIELD] = yield_timer,
    [TIMER_USAGE] = usage_charge_timer,
    [TIMER_QUERY_CACHE] = query_cache_timer,
};

void modules_open(struct ctl *t)
{
    for (size_t i = 0; i < ARRAY_LEN(modules); i++)
        modules[i].open(t);
    modules_configure(t);
}

void modules_close(struct ctl *t)
{
    for (size_t i = ARRAY_LEN(modules); i-- > 0;)
        modules[i].close(t);
}

void modules_configure(struct ctl *t)
{
    for (size_t i = 0; i < ARRAY_LEN(modules); i++)
        if (modules[i].configure)
            modules[i].configure(t);
}

void modules_lead(struct ctl *t)
{
    for (size_t i = 0; i < ARRAY_LEN(modules); i++)
        if (modules[i].lead)
            modules[i].lead(t);
}

void modules_session_closed(struct ctl *t, uint64_t session)
{
    for (size_t i = 0; i < ARRAY_LEN(modules); i++)
        if (modules[i].session_closed)
            modules[i].session_closed(t, session);
}

void modules_turn_end(struct ctl *t)
{
    for (size_t i = 0; i < ARRAY_LEN(modules); i++)
        if (modules[i].turn_end)
            modules[i].turn_end(t);
}

void modules_changed(struct ctl *t, const struct change *ch)
{
    for (size_t i = 0; i < ARRAY_LEN(modules); i++)
        if (modules[i].wants & (1u << ch->kind))
            modules[i].changed(t, ch);
}

void modules_timer(struct ctl *t, const struct timer_entry *e)
{
    timers[e->kind](t, e);
}
