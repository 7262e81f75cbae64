/*
 * act - what the state still needs from the world: launches, signals, ends.
 *
 * Safe to ask again: a node that knows an order already says so, and one that comes back
 * is told everything it should be doing.
 */
#include <signal.h>

#include "ctl/order.h"

/* ---- launching ---- */

static uint32_t step_index(const Pb__Step *s, uint32_t pos)
{
    for (size_t i = 0; i < s->n_node; i++)
        if (s->node[i] == pos)
            return (uint32_t)i;
    return UINT32_MAX;
}

/* Order one step (NULL: the batch script) on the allocation's node `pos`. */
static void launch(struct ctl *t, struct job *j, const Pb__Step *s, uint32_t pos)
{
    uint64_t session = agent_session(t, j->alloc.at[pos].node);
    if (!session)
        return;
    struct buf out = BUF_INIT;
    order_make(t, j, s, &out);
    ctl_say_bytes(t, session, MSG_LAUNCH, 0, 0, &out);
}

void act_step(struct ctl *t, struct job *j, const Pb__Step *s)
{
    for (size_t i = 0; i < s->n_node; i++)
        launch(t, j, s, s->node[i]);
}

static void prolog(struct ctl *t, struct job *j, uint32_t pos)
{
    uint64_t session = agent_session(t, j->alloc.at[pos].node);
    struct buf out = BUF_INIT;
    if (!session)
        return;
    order_prolog(t, j, &out);
    ctl_say_bytes(t, session, MSG_LAUNCH, 0, 0, &out);
}

void act_started(struct ctl *t, struct job *j)
{
    for (uint32_t i = 0; hook_at_once(t) && i < j->alloc.n; i++)
        prolog(t, j, i);
    if (j->spec->kind == PB__JOB_KIND__KIND_BATCH)
        launch(t, j, NULL, 0);
}

/* ---- ending and signalling ---- */

static void kill_on(struct ctl *t, const struct job *j, uint32_t pos, Pb__KillOrder *k)
{
    k->job_id = j->id;
    k->attempt = j->attempt;
    ctl_say(t, agent_session(t, j->alloc.at[pos].node), MSG_KILL, 0, 0, &k->base);
}

struct told { /* the order to end a job, once its epilog's words are in it */
    struct ctl *t;
    const struct job *j;
    uint32_t pos;
    Pb__KillOrder *order;
};

static void terminate_told(void *arg, const Pb__JobBrief *b)
{
    struct told *told = arg;
    told->order->job = (Pb__JobBrief *)b;
    kill_on(told->t, told->j, told->pos, told->order);
}

static void terminate_on(struct ctl *t, const struct job *j, uint32_t pos, const char *reason)
{
    Pb__KillOrder k = PB__KILL_ORDER__INIT;
    k.terminate = true;
    k.signal = SIGTERM;
    k.grace_s = t->site->kill_wait_s;
    k.reason = (char *)reason;
    struct told told = { t, j, pos, &k };
    if (str_empty(t->site->epilog))
        kill_on(t, j, pos, &k);
    else
        hook_with_brief(t, j, terminate_told, &told);
}

void act_terminate(struct ctl *t, struct job *j, const char *reason)
{
    for (uint32_t i = 0; i < j->alloc.n; i++)
        if (!j->alloc.at[i].done)
            terminate_on(t, j, i, reason);
}

void act_signal(struct ctl *t, struct job *j, uint32_t signal, bool batch_only, bool full, bool steps_only)
{
    for (uint32_t i = 0; i < (batch_only ? MIN(j->alloc.n, 1u) : j->alloc.n); i++) {
        Pb__KillOrder k = PB__KILL_ORDER__INIT;
        k.signal = signal;
        k.batch_only = batch_only;
        k.full = full;
        k.steps_only = steps_only;
        kill_on(t, j, i, &k);
    }
}

void act_signal_step(struct ctl *t, struct job *j, uint32_t step, uint32_t signal)
{
    for (size_t s = 0; s < j->steps.n; s++) {
        const Pb__Step *p = j->steps.at[s].pb;
        for (size_t i = 0; p->id == step && i < p->n_node; i++) {
            Pb__KillOrder k = PB__KILL_ORDER__INIT;
            k.one_step = true;
            k.step_id = step;
            k.signal = signal;
            k.terminate = signal == SIGKILL;
            k.grace_s = t->site->kill_wait_s;
            kill_on(t, j, p->node[i], &k);
        }
    }
}

/* ---- a node came back ---- */

static bool has(const Pb__RegisterRequest *r, uint32_t job, uint32_t step, uint32_t attempt)
{
    for (size_t i = 0; i < r->n_running; i++)
        if (r->running[i]->job_id == job && r->running[i]->step_id == step && r->running[i]->attempt == attempt)
            return true;
    return false;
}

static void renew_job(struct ctl *t, struct job *j, uint32_t pos, const Pb__RegisterRequest *r)
{
    if (j->state & JOB_COMPLETING) {
        terminate_on(t, j, pos, NULL);
        return;
    }
    if (j->state & JOB_CONFIGURING)
        return;
    if (hook_at_once(t) && !has(r, j->id, PB__STEP_NUMBER__STEP_PROLOG, j->attempt))
        prolog(t, j, pos);
    if (pos == 0 && j->spec->kind == PB__JOB_KIND__KIND_BATCH &&
        !has(r, j->id, PB__STEP_NUMBER__STEP_BATCH, j->attempt))
        launch(t, j, NULL, 0);
    for (size_t i = 0; i < j->steps.n; i++) {
        const Pb__Step *s = j->steps.at[i].pb;
        uint32_t k = step_index(s, pos);
        bool done = false;
        for (size_t d = 0; d < s->n_done; d++)
            done |= s->done[d] == pos;
        if (k != UINT32_MAX && !done && !has(r, j->id, s->id, j->attempt))
            launch(t, j, s, pos);
    }
}

static void end_orphan(struct ctl *t, struct node *n, const Pb__Running *run)
{
    struct job *j = cluster_job(t->c, run->job_id);
    if (j && job_holds_nodes(j) && j->attempt == run->attempt && alloc_pos(j, n->index) != UINT32_MAX)
        return;
    log_info("node runs what it should not: ending it node=%s job=%u attempt=%u", n->name, run->job_id, run->attempt);
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
    for (struct job *j = t->c->active.head; j; j = j->next) {
        uint32_t pos = alloc_pos(j, n->index);
        if (pos != UINT32_MAX && !j->alloc.at[pos].done)
            renew_job(t, j, pos, r);
    }
}
