/* act - what the state still needs from the world; see act.h. */
#include "ctl/act.h"

#include <signal.h>

#include "core/limits.h"
#include "core/step.h"
#include "ctl/agent.h"
#include "ctl/end.h"
#include "ctl/fanout.h"
#include "ctl/hook.h"
#include "ctl/order.h"
#include "ctl/plan.h"
#include "ctl/reconcile.h"

/* ---- launching ---- */

static uint32_t step_index(const Pb__Step *s, uint32_t pos)
{
    for (size_t i = 0; i < s->n_node; i++)
        if (s->node[i] == pos)
            return (uint32_t)i;
    return UINT32_MAX;
}

/* Order one step (NULL: the batch script) on these places of the allocation. */
static void act_launch(struct ctl *t, struct job *j, const Pb__Step *s, const uint32_t *pos, size_t n)
{
    auto_buf struct buf order = BUF_INIT;
    order_make(t, j, s, &order);
    fanout_launch(t, j, s ? s->id : PB__STEP_NUMBER__STEP_BATCH, pos, n, &order);
}

static void launch_one(struct ctl *t, struct job *j, const Pb__Step *s, uint32_t pos)
{
    if (agent_session(t, j->alloc.at[pos].node))
        act_launch(t, j, s, &pos, 1);
}

void act_step(struct ctl *t, struct job *j, const Pb__Step *s)
{
    act_launch(t, j, s, s->node, s->n_node);
}

static void act_prolog(struct ctl *t, struct job *j, const uint32_t *pos, size_t n)
{
    auto_buf struct buf order = BUF_INIT;
    order_prolog(t, j, &order);
    fanout_launch(t, j, PB__STEP_NUMBER__STEP_PROLOG, pos, n, &order);
}

/* All places of the allocation, or the places that are not clean yet.  The caller frees the list. */
static uint32_t *act_places(const struct job *j, bool open, size_t *n)
{
    uint32_t *pos = mem_array(j->alloc.n + 1, sizeof(*pos));
    *n = 0;
    for (uint32_t i = 0; i < j->alloc.n; i++)
        if (!open || !j->alloc.at[i].done)
            pos[(*n)++] = i;
    return pos;
}

void act_started(struct ctl *t, struct job *j)
{
    size_t n;
    auto_free uint32_t *pos = hook_at_once(t) ? act_places(j, false, &n) : NULL;
    if (pos)
        act_prolog(t, j, pos, n);
    if (j->spec->kind == PB__JOB_KIND__KIND_BATCH && !j->het_offset)
        launch_one(t, j, NULL, j->batch_pos);
}

static bool is_done(const Pb__Step *s, uint32_t pos)
{
    for (size_t i = 0; i < s->n_done; i++)
        if (s->done[i] == pos)
            return true;
    return false;
}

void act_launch_again(struct ctl *t, struct job *j, uint32_t step_id, const uint32_t *pos, size_t n)
{
    if (step_id == PB__STEP_NUMBER__STEP_PROLOG) {
        act_prolog(t, j, pos, n);
        return;
    }
    const Pb__Step *s = step_find(j, step_id);
    if (!s || (j->state & JOB_COMPLETING))
        return;
    auto_free uint32_t *open = mem_array(n + 1, sizeof(*open));
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        if (!is_done(s, pos[i]))
            open[k++] = pos[i];
    if (k)
        act_launch(t, j, s, open, k);
}

/* ---- ending and signalling ---- */

struct told { /* the order to end a job, once its epilog's words are in it */
    struct ctl *t;
    const struct job *j;
    const uint32_t *pos;
    size_t n;
    Pb__KillOrder *order;
};

static void terminate_told(void *arg, const Pb__HookJob *b)
{
    struct told *told = arg;
    told->order->job = (Pb__HookJob *)b;
    fanout_kill(told->t, told->j, told->pos, told->n, told->order);
}

static void terminate_on(struct ctl *t, const struct job *j, const uint32_t *pos, size_t n, const char *reason)
{
    Pb__KillOrder k = PB__KILL_ORDER__INIT;
    const struct part *p = cluster_part(t->c, j->partition);
    const struct qos *qos = limits_qos(t->c, j->spec->qos);
    k.terminate = true;
    k.signal = SIGTERM;
    k.grace_s = t->site->kill_wait_s;
    if ((job_base(j) == JOB_PREEMPTED || plan_victim(t, j)) && p)
        k.warn_s = qos && str_eq(t->site->preempt_type, "preempt/qos") ? qos->pb->grace_s : p->pb->grace_s;
    k.reason = (char *)reason;
    struct told told = { t, j, pos, n, &k };
    if (str_empty(t->site->epilog))
        fanout_kill(t, j, pos, n, &k);
    else
        hook_with_brief(t, j, terminate_told, &told);
}

void act_terminate(struct ctl *t, struct job *j, const char *reason)
{
    size_t n;
    auto_free uint32_t *pos = act_places(j, true, &n);
    terminate_on(t, j, pos, n, reason);
}

/* Seconds between SIGTSTP and the halt: PreemptParameters=suspend_grace_time. */
static uint32_t suspend_grace_s(const struct ctl *t)
{
    const char *said = site_param(site_value(t->site, "PreemptParameters"), "suspend_grace_time");
    return said ? (uint32_t)strtoul(said, NULL, 10) : 2;
}

void act_pace(struct ctl *t, struct job *j, bool stop)
{
    Pb__KillOrder k = PB__KILL_ORDER__INIT;
    size_t n;
    auto_free uint32_t *pos = act_places(j, false, &n);
    k.signal = stop ? SIGSTOP : SIGCONT;
    k.full = true;
    k.grace_s = stop ? suspend_grace_s(t) : 0;
    fanout_kill(t, j, pos, n, &k);
}

void act_signal(struct ctl *t, struct job *j, uint32_t signal, bool batch_only, bool full, bool steps_only)
{
    reconcile_job(t, j); /* what it signals has been launched */
    Pb__KillOrder k = PB__KILL_ORDER__INIT;
    size_t n;
    auto_free uint32_t *pos = act_places(j, false, &n);
    k.signal = signal;
    k.batch_only = batch_only;
    k.full = full;
    k.steps_only = steps_only;
    fanout_kill(t, j, batch_only ? &j->batch_pos : pos, batch_only ? MIN(n, (size_t)1) : n, &k);
}

void act_signal_step(struct ctl *t, struct job *j, uint32_t step, uint32_t signal)
{
    reconcile_job(t, j);
    const Pb__Step *s = step_find(j, step);
    if (!s)
        return;
    Pb__KillOrder k = PB__KILL_ORDER__INIT;
    k.one_step = true;
    k.step_id = step;
    k.signal = signal;
    k.terminate = signal == SIGKILL;
    k.grace_s = t->site->kill_wait_s;
    fanout_kill(t, j, s->node, s->n_node, &k);
}

void act_end_step(struct ctl *t, struct job *j, const Pb__Step *s, uint32_t signal, const char *reason)
{
    reconcile_job(t, j); /* what it signals has been launched */
    Pb__KillOrder k = PB__KILL_ORDER__INIT;
    k.one_step = true;
    k.step_id = s->id;
    k.signal = signal;
    k.terminate = true;
    k.grace_s = signal == SIGKILL ? 0 : t->site->kill_wait_s;
    k.reason = (char *)reason;
    fanout_kill(t, j, s->node, s->n_node, &k);
}

/* ---- a node came back ---- */

static bool act_has(const Pb__RegisterRequest *r, uint32_t job, uint32_t step, uint32_t attempt)
{
    for (size_t i = 0; i < r->n_running; i++)
        if (r->running[i]->job_id == job && r->running[i]->step_id == step && r->running[i]->attempt == attempt)
            return true;
    return false;
}

/* Orders to stop and to go on may have been lost while the node was away: the last word is said again. */
static void renew_pace(struct ctl *t, struct job *j, uint32_t pos)
{
    Pb__KillOrder k = PB__KILL_ORDER__INIT;
    k.signal = job_base(j) == JOB_SUSPENDED ? SIGSTOP : SIGCONT;
    k.full = true;
    fanout_kill(t, j, &pos, 1, &k);
}

static void renew_job(struct ctl *t, struct job *j, uint32_t pos, const Pb__RegisterRequest *r)
{
    if (j->state & JOB_COMPLETING) {
        terminate_on(t, j, &pos, 1, NULL);
        return;
    }
    if ((j->state & JOB_CONFIGURING) || j->unlaunched)
        return;
    if (hook_at_once(t) && !act_has(r, j->id, PB__STEP_NUMBER__STEP_PROLOG, j->attempt))
        act_prolog(t, j, &pos, 1);
    if (pos == j->batch_pos && j->spec->kind == PB__JOB_KIND__KIND_BATCH && !j->het_offset &&
        !act_has(r, j->id, PB__STEP_NUMBER__STEP_BATCH, j->attempt))
        launch_one(t, j, NULL, pos);
    for (size_t i = 0; i < j->steps.n; i++) {
        const Pb__Step *s = j->steps.at[i].pb;
        if (step_index(s, pos) != UINT32_MAX && !is_done(s, pos) && !act_has(r, j->id, s->id, j->attempt))
            launch_one(t, j, s, pos);
    }
    if (j->suspend_s)
        renew_pace(t, j, pos);
}

static void end_orphan(struct ctl *t, struct node *n, const Pb__Running *run)
{
    struct job *j = cluster_job(t->c, run->job_id);
    if (j && job_holds_nodes(j) && j->attempt == run->attempt && alloc_pos(j, n->index) != UINT32_MAX)
        return;
    log_info("node runs a step of a job that it is not allocated to: the step is ended node=%s job=%u attempt=%u",
             n->name, run->job_id, run->attempt);
    Pb__KillOrder k = PB__KILL_ORDER__INIT;
    k.job_id = run->job_id;
    k.attempt = run->attempt;
    k.terminate = true;
    k.signal = SIGTERM;
    k.grace_s = t->site->kill_wait_s;
    ctl_say(t, agent_session(t, n->index), MSG_KILL, 0, 0, &k.base);
}

void act_node(struct ctl *t, struct node *n, const Pb__RegisterRequest *r)
{
    for (size_t i = 0; i < r->n_running; i++)
        end_orphan(t, n, r->running[i]);
    for (size_t i = 0; i < n->held.n; i++) {
        struct job *j = cluster_job(t->c, n->held.at[i]);
        uint32_t pos = j ? alloc_pos(j, n->index) : UINT32_MAX;
        if (pos != UINT32_MAX && !j->alloc.at[pos].done)
            renew_job(t, j, pos, r);
    }
}
