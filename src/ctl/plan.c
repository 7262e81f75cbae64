/* plan - asks the scheduler, and makes its answer happen; see plan.h. */
#include "ctl/plan.h"

#include <signal.h>

#include "core/layout.h"
#include "ctl/config.h"
#include "ctl/gang.h"
#include "ctl/het.h"
#include "ctl/hook.h"
#include "ctl/priority_update.h"
#include "ctl/query_cache.h"
#include "ctl/stat.h"
#include "ctl/step.h"
#include "ctl/timers.h"
#include "ctl/turn.h"
#include "ctl/wait.h"
#include "ctl/yield.h"
#include "ctl/end.h"
#include "text/constraint.h"

/* So many starts a turn: the first launches leave while the rest are still being planned. */
#define STARTS_PER_TURN 128

struct planner {
    bool wanted;        /* at the end of this turn */
    bool more;          /* the budget was spent: the next turn goes on */
    int64_t timer_s;    /* a timer is set for then */
    struct map victims; /* job id -> the job it made room for, until that has begun */
};

static void plan_conf(const struct ctl *t, struct sched_conf *out)
{
    config_sched(t->site, out);
    out->admin_uid = t->admin_uid;
}

void plan_open(struct ctl *t)
{
    struct sched_conf conf;
    plan_conf(t, &conf);
    t->plan = NEW(struct planner);
    t->sched = sched_new(&conf);
}

void plan_configure(struct ctl *t)
{
    struct sched_conf conf;
    plan_conf(t, &conf);
    sched_configure(t->sched, &conf);
}

/* What a plan wrote into the job's record; no part of the log. */
static void forget_planned(struct job *j)
{
    if (!j->why.planned_s && !j->planned_nodes)
        return;
    j->why.planned_s = 0;
    free(take(j->planned_nodes));
    job_touch(j);
}

void plan_close(struct ctl *t)
{
    size_t pos = 0;
    for (struct job *j; (j = map_next(&t->c->jobs, &pos, NULL));)
        forget_planned(j);
    sched_free(take(t->sched)); /* with the planned starts: the next leader plans anew */
    map_clear(&t->plan->victims);
    free(take(t->plan));
}

void plan_want(struct ctl *t)
{
    t->plan->wanted = true;
}

void plan_turn_begin(struct ctl *t)
{
    t->plan->more = false;
}

bool plan_again(const struct ctl *t)
{
    return t->plan->more || t->plan->wanted;
}

bool plan_victim(const struct ctl *t, const struct job *j)
{
    return map_get(&t->plan->victims, j->id);
}

void plan_lead(struct ctl *t)
{
    sched_changed(t->sched, NULL);
    t->plan->wanted = true;
}

void plan_changed(struct ctl *t, const struct change *ch)
{
    switch (ch->kind) {
    case CHANGE_JOB_NEW:
    case CHANGE_JOB_UPDATED:
    case CHANGE_JOB_READY:
    case CHANGE_JOB_RESIZED:
        sched_changed(t->sched, ch->job);
        t->plan->wanted = true;
        break;
    case CHANGE_JOB_OVER:
        forget_planned(ch->job);
        sched_changed(t->sched, ch->job);
        t->plan->wanted = true;
        break;
    case CHANGE_JOB_SUSPENDED:
        sched_changed(t->sched, ch->job);
        t->plan->wanted |= !ch->event->suspend->gang; /* a time slice makes no room */
        break;
    case CHANGE_JOB_BEGAN:
        forget_planned(ch->job);
        sched_changed(t->sched, ch->job);
        break;
    case CHANGE_JOB_WARNED:
    case CHANGE_JOB_SPLIT: sched_changed(t->sched, ch->job); break;
    case CHANGE_NODES_CHANGED:
    case CHANGE_RESV_CHANGED:
    case CHANGE_ASSOCS_CHANGED:
        sched_changed(t->sched, NULL);
        t->plan->wanted = true;
        break;
    case CHANGE_USAGE_CHANGED:
        t->plan->wanted |= config_limits(t->site);
        break; /* a limit on what is used may be met again */
    case CHANGE_JOB_QUEUED:
    case CHANGE_STEP_NEW:
    case CHANGE_STEP_OVER: break;
    }
}

void plan_timer(struct ctl *t, const struct timer_entry *e)
{
    struct job *j = cluster_job(t->c, e->id);
    if (j)
        sched_changed(t->sched, j);
    t->plan->wanted = true;
}

void plan_begun(struct ctl *t, struct job *j)
{
    if (het_is(j)) {
        if (het_ready(t, j))
            het_begun(t, j);
        return;
    }
    if (j->step)
        step_first(t, j);
    wait_notify(t, j->id);
}

/* --batch: the first of its nodes that has what the script asks for, else the first. */
static uint32_t batch_place(const struct ctl *t, const struct job *j, const struct alloc *a)
{
    auto_constraint struct constraint *k = NULL;
    if (!j->spec->batch_features || constraint_parse(j->spec->batch_features, &k, NULL))
        return 0;
    for (uint32_t i = 0; i < a->n; i++)
        if (constraint_match(k, t->c->node[a->at[i].node].features_active))
            return i;
    return 0;
}

static void fill_start(struct ctl *t, struct sched_start *s, Pb__EvStart *e)
{
    struct job *j = s->job;
    pb__ev_start__init(e);
    e->job_id = j->id;
    e->split = s->task != TASK_NONE && j->array && j->array->count > 1;
    e->task = s->task != TASK_NONE ? s->task : 0;
    e->new_id = e->split ? cluster_free_id(t->c, t->c->next_job) : 0;
    e->attempt = t->c->next_attempt;
    e->resv = s->resv ? s->resv->pb->id : 0;
    e->resv_name = s->resv ? s->resv->pb->name : NULL;
    e->partition = s->part ? s->part->pb->name : j->partition;
    e->time_limit_min = s->limit_min ? s->limit_min : s->part ? job_limit_in(j, s->part->pb) : j->time_limit_min;
    e->alloc = alloc_to_pb(NULL, &s->alloc);
    e->n_alloc = s->alloc.n;
    layout_job(j->spec, e->alloc, e->n_alloc);
    e->configuring = hook_before_start(t);
    e->priority = priority_update_at_start(t, j);
    e->preferred = s->preferred;
    e->estimate = sched_expected_usage(t->sched, t->c, j);
    e->batch_pos = batch_place(t, j, &s->alloc);
    e->licenses = license_given(&j->spec->req.licenses, s->license, &e->n_licenses);
    e->oversub = s->oversub;
    if (!str_empty(t->site->preempt_type) && !str_ieq(t->site->preempt_type, "preempt/none"))
        e->preemptable_s = NOW_S(t) + t->site->preempt_exempt_s;
    e->user_exclusive = s->owner;
}

/* PrologSlurmctld comes first, if there is one: hook.c hears of the start. */
static void begin_started(struct ctl *t, uint32_t id, bool configuring)
{
    struct job *started = cluster_job(t->c, id);
    if (!configuring && (het_is(started) || !gang_takes(t, started)))
        plan_begun(t, started);
}

/* Start one job, or a heterogeneous job with all its components: the s->het entries that follow. */
static void plan_start(struct ctl *t, struct sched_start *s)
{
    EVENT(ev);
    struct err err = ERR_INIT;
    uint32_t n = s->het + 1;
    auto_free Pb__EvStart *e = mem_array(n, sizeof(*e));
    auto_free Pb__EvStart **more = mem_array(n, sizeof(*more));
    for (uint32_t i = 0; i < n; i++) {
        fill_start(t, &s[i], &e[i]);
        e[i].attempt += i;
        if (i)
            more[i - 1] = &e[i];
    }
    e[0].het = s->het ? more : NULL;
    e[0].n_het = s->het;
    BODY(ev, START, start, &e[0]);
    int rc = ctl_emit(t, &ev, &err);
    for (uint32_t i = 0; i < n; i++) {
        alloc_pb_free(e[i].alloc, e[i].n_alloc);
        free(e[i].licenses);
    }
    if (rc) {
        log_error("a planned start cannot be applied, the job stays pending job=%u: %s", e[0].job_id, err.text);
        return;
    }
    if (s->het && !e[0].configuring)
        begin_started(t, e[0].job_id, false); /* with all its components */
    for (uint32_t i = 0; i < n && (!s->het || e[0].configuring); i++)
        begin_started(t, e[i].split ? e[i].new_id : e[i].job_id, e[i].configuring);
}

static void tell_whys(struct ctl *t, struct plan *p)
{
    for (size_t i = 0; i < p->whys.n; i++) {
        struct job *j = p->whys.at[i].job;
        if (j->why.code == p->whys.at[i].why.code && j->why.planned_s == p->whys.at[i].why.planned_s)
            continue;
        j->why = p->whys.at[i].why;
        free(j->planned_nodes);
        j->planned_nodes = take(p->whys.at[i].nodes);
        job_touch(j);
        query_cache_stir(t);
    }
}

/*
 * By QOS the one that was preempted may stand before the one it made room for, and would take its nodes back.  It waits
 * until that one has begun, or is gone; if the leader changes, no longer than in Slurm.
 */
#define VICTIM_WAIT_S 121

static void victims_go_on(struct ctl *t)
{
    VEC(uint32_t) free_now = { 0 };
    uint64_t id;
    size_t pos = 0;
    for (void *by; t->plan->victims.n && (by = map_next(&t->plan->victims, &pos, &id));) {
        const struct job *first = cluster_job(t->c, (uint32_t)(uintptr_t)by);
        if (!first || !job_pending(first) || first->hold)
            vec_push(&free_now, (uint32_t)id);
    }
    for (size_t i = 0; i < free_now.n; i++) {
        const struct job *j = cluster_job(t->c, free_now.at[i]);
        EVENT(ev);
        Pb__EvUpdate e = PB__EV_UPDATE__INIT;
        map_del(&t->plan->victims, free_now.at[i]);
        if (!j || !job_pending(j) || j->eligible_s <= NOW_S(t))
            continue;
        e.job_id = j->id;
        e.has_eligible = true;
        e.eligible_s = NOW_S(t);
        BODY(ev, UPDATE, update, &e);
        ctl_emit(t, &ev, NULL);
    }
    vec_clear(&free_now);
}

/* Put back where it may be, ended otherwise, as its partition says. */
static void plan_preempt(struct ctl *t, const struct sched_preempt *v)
{
    struct err err = ERR_INIT;
    struct job *j = v->job;
    bool again = j->requeue && j->spec->kind == PB__JOB_KIND__KIND_BATCH && strcasestr(v->mode, "REQUEUE");
    if (site_param(site_value(t->site, "PreemptParameters"), "send_user_signal"))
        timers_warn(t, j);
    log_info("job is preempted job=%u by=%u %s", j->id, v->by, again ? "and requeued" : "and ended");
    bool waits = again && !het_is(j) && str_eq(t->site->preempt_type, "preempt/qos");
    if (again && !het_is(j))
        map_put(&t->plan->victims, j->id, (void *)(uintptr_t)v->by);
    if (again)
        end_requeue_later(t, j, HOLD_NONE, WHY_NONE, NULL, UINT32_MAX, waits ? VICTIM_WAIT_S : 0, &err);
    else
        end_job(t, j,
                &(struct end){
                    .state = JOB_PREEMPTED, .signal = SIGTERM, .notice = "DUE TO PREEMPTION", .done_node = UINT32_MAX },
                &err);
    t->plan->wanted = true;
}

static void plan_run(struct ctl *t)
{
    struct plan p = { 0 };
    struct sched_budget budget = { .max_starts = STARTS_PER_TURN };
    victims_go_on(t);
    t->plan->wanted = false;
    int64_t before = stat_clock(t);
    sched_plan(t->sched, t->c, NOW_S(t), &budget, &p);
    stat_plan(t, &p, stat_clock(t) - before, p.starts.n >= STARTS_PER_TURN);
    tell_whys(t, &p);
    for (size_t i = 0; i < p.starts.n; i += p.starts.at[i].het + 1)
        plan_start(t, &p.starts.at[i]);
    victims_go_on(t);
    bool woken = t->plan->wanted; /* a preempted job may have waited for one of these starts */
    for (size_t i = 0; i < p.preempts.n; i++)
        plan_preempt(t, &p.preempts.at[i]);
    for (size_t i = 0; i < p.yields.n; i++)
        yield_ask(t, &p.yields.at[i]);
    t->plan->more = p.more || p.starts.n >= STARTS_PER_TURN;
    t->plan->wanted = t->plan->more || woken; /* our own starts free nothing: no need to ask again for their sake */
    if (p.next_s > NOW_S(t) && p.next_s != t->plan->timer_s) {
        t->plan->timer_s = p.next_s;
        timer_add(&t->timers, p.next_s * 1000, TIMER_PLAN, 0, 0);
    }
    plan_clear(&p);
}

void plan_turn_end(struct ctl *t)
{
    if (t->plan->wanted && turn_has_room(t))
        plan_run(t);
}
