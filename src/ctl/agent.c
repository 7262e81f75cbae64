/* agent - the nodes' daemons; see agent.h. */
#include "ctl/agent.h"

#include "ctl/act.h"
#include "ctl/clock.h"
#include "ctl/end.h"
#include "ctl/fence.h"
#include "ctl/query_cache.h"
#include "ctl/reconcile.h"
#include "ctl/request.h"

#define SILENT_MS 10000 /* a lost connection is forgiven this long before the node is shown as not responding */

struct agent {        /* per node: its daemon's connection */
    uint64_t session; /* 0: none */
    int64_t heard_ms, lost_ms;
    bool watched;            /* a heartbeat timer is set */
    uint64_t order;          /* of its last registration */
    uint64_t asked, question; /* the session that last claimed a new boot, and what it is to answer */
};

struct agents {
    struct agent *at; /* by the node's index */
    size_t n;
    struct map of_session; /* session -> node index + 1 */
    uint64_t questions;    /* asked so far */
};

void agent_open(struct ctl *t)
{
    t->agent = NEW(struct agents);
}

void agent_close(struct ctl *t)
{
    map_clear(&t->agent->of_session);
    free(t->agent->at);
    free(take(t->agent));
}

void agent_fit(struct ctl *t)
{
    if (t->agent->n >= t->c->nnodes)
        return;
    t->agent->at = mem_grow(t->agent->at, t->c->nnodes, sizeof(*t->agent->at));
    memset(t->agent->at + t->agent->n, 0, (t->c->nnodes - t->agent->n) * sizeof(*t->agent->at));
    t->agent->n = t->c->nnodes;
}

uint64_t agent_session(const struct ctl *t, uint32_t node)
{
    return node < t->agent->n ? t->agent->at[node].session : 0;
}

int64_t agent_lost_ms(const struct ctl *t, uint32_t node)
{
    return node < t->agent->n ? t->agent->at[node].lost_ms : t->now_ms;
}

struct node *agent_node(const struct ctl *t, uint64_t session)
{
    uintptr_t i = (uintptr_t)map_get(&t->agent->of_session, session);
    return i ? &t->c->node[i - 1] : NULL;
}

static void set_state(struct ctl *t, struct node *n, uint32_t state, const char *reason)
{
    EVENT(ev);
    Pb__EvNodeState s = PB__EV_NODE_STATE__INIT;
    s.node = n->index;
    s.state = state;
    s.has_reason = reason != NULL;
    s.reason = (char *)reason;
    BODY(ev, NODE_STATE, node_state, &s);
    ctl_emit(t, &ev, NULL);
}

/* What the node is now that it is here: a drained one stays drained, a configured DOWN stays DOWN unless it may return.
 */
static uint32_t state_after_register(const struct ctl *t, const struct node *n, const char **reason)
{
    uint32_t keep = n->state & (NODE_DRAIN | NODE_FAIL | NODE_MAINT);
    *reason = keep ? n->reason : NULL;
    if (node_base(n) != NODE_DOWN)
        return NODE_IDLE | NODE_REGISTERED | keep;
    bool lost = str_eq(n->reason, "Not responding") || str_eq(n->reason, "Node unexpectedly rebooted");
    if (t->site->return_to_service == 2 || (t->site->return_to_service == 1 && lost))
        return NODE_IDLE | NODE_REGISTERED | keep;
    *reason = n->reason;
    return NODE_DOWN | NODE_REGISTERED | keep;
}

static const char *agent_misfit(const struct ctl *t, const struct node *n, const Pb__NodeHw *hw)
{
    if (t->site->config_overrides || !n->def->hw || !hw)
        return NULL;
    if (n->def->hw->cpus > hw->cpus && hw->cpus)
        return "Low CPUs";
    if (n->def->hw->mem_mb > hw->mem_mb && hw->mem_mb)
        return "Low RealMemory";
    return NULL;
}

static void node_up(struct ctl *t, struct node *n, const Pb__RegisterRequest *r)
{
    EVENT(ev);
    Pb__EvNodeUp up = PB__EV_NODE_UP__INIT;
    const char *reason, *bad = agent_misfit(t, n, r->hw);
    up.node = n->index;
    up.boot_id = r->boot_id;
    up.hw = r->hw;
    up.version = r->version;
    up.boot_s = r->boot_s;
    up.start_s = r->start_s;
    up.state = state_after_register(t, n, &reason);
    if (bad) {
        up.state |= NODE_DRAIN;
        reason = bad;
    }
    up.reason = (char *)reason;
    BODY(ev, NODE_UP, node_up, &up);
    bool same = str_eq(n->boot_id, r->boot_id) && n->state == up.state && n->start_s == r->start_s &&
                str_eq(n->version, r->version);
    if (!same)
        ctl_emit(t, &ev, NULL);
}

static int64_t timeout_ms(const struct ctl *t)
{
    return (int64_t)t->site->node_timeout_s * 1000;
}

static void agent_watch(struct ctl *t, struct agent *a, uint32_t node)
{
    if (a->watched)
        return;
    a->watched = true;
    timer_add(&t->timers, a->heard_ms + timeout_ms(t), TIMER_HEARTBEAT, node, 0);
}

/* ---- registration ---- */

/*
 * A connection may be closed by its node and its registration still be unread here, while the node registers by another
 * one.  Within one boot the node numbers its registrations.  Boots have no order that a node could know: the last
 * connection that claims a new boot is asked, and only a node that lives answers.
 */
static bool register_is_old(const struct agent *a, const struct node *n, const Pb__RegisterRequest *r)
{
    return r->order < a->order && str_eq(n->boot_id, r->boot_id);
}

static bool register_claims_boot(const struct node *n, const Pb__RegisterRequest *r)
{
    return !str_empty(n->boot_id) && !str_eq(n->boot_id, r->boot_id);
}

/* `order` is 0: an agent of an earlier release, which cannot answer. */
static bool register_proves_boot(const struct agent *a, const struct ctl_call *call, const Pb__RegisterRequest *r)
{
    return !r->order || (a->asked == call->session && a->question && a->question == r->answer);
}

static void register_ask(const struct ctl_call *call, struct agent *a)
{
    Pb__RegisterReply reply = PB__REGISTER_REPLY__INIT;
    a->asked = call->session;
    a->question = reply.question = ++call->t->agent->questions;
    ctl_reply(call, MSG_REGISTER_REPLY, &reply.base);
}

static void register_take_session(const struct ctl_call *call, struct agent *a, uint32_t node, uint64_t order)
{
    struct map *of_session = &call->t->agent->of_session;
    if (a->session)
        map_del(of_session, a->session);
    a->session = call->session;
    a->heard_ms = call->t->now_ms;
    a->order = order;
    a->question = 0;
    map_put(of_session, call->session, (void *)(uintptr_t)(node + 1));
}

static void register_reply(const struct ctl_call *call, const struct node *n)
{
    struct ctl *t = call->t;
    Pb__RegisterReply reply = PB__REGISTER_REPLY__INIT;
    reply.lease_s = fence_lease_s(t);
    reply.heartbeat_s = (uint32_t)MAX(MIN(t->site->node_timeout_s / 3, reply.lease_s ? reply.lease_s / 4 : 30), 1);
    reply.heartbeat_s = MIN(reply.heartbeat_s, 30);
    reply.kill_wait_s = t->site->kill_wait_s;
    reply.def = n->def;
    reply.cluster = t->c->name;
    reply.now_ms = t->now_ms;
    ctl_reply(call, MSG_REGISTER_REPLY, &reply.base);
}

void ctl_register(const struct ctl_call *call)
{
    struct ctl *t = call->t;
    const Pb__RegisterRequest *r = (Pb__RegisterRequest *)call->m;
    struct node *n = cluster_node(t->c, r->node);
    if (!n) {
        ctl_fail(call, ESLURM_INVALID_NODE_NAME, "node %s is not in this controller's configuration", r->node);
        return;
    }
    if (!str_eq(call->peer->node, r->node)) {
        ctl_fail(call, EPERM, "the credential is for node %s, not %s", call->peer->node, r->node);
        return;
    }
    agent_fit(t);
    struct agent *a = &t->agent->at[n->index];
    if (register_is_old(a, n, r))
        return;
    if (register_claims_boot(n, r) && !register_proves_boot(a, call, r)) {
        register_ask(call, a);
        return;
    }
    reconcile_all(t); /* act_node() tells the node the rest */
    register_take_session(call, a, n->index, r->order);
    if (register_claims_boot(n, r)) /* whatever ran there is gone */
        end_lost_node(t, n, "Node unexpectedly rebooted", true);
    node_up(t, n, r);
    clock_told(t, n, r->now_ms);
    log_info("node registered node=%s running=%zu", r->node, r->n_running);
    register_reply(call, n);
    act_node(t, n, r);
}

void ctl_heartbeat(const struct ctl_call *call)
{
    const Pb__Heartbeat *h = (Pb__Heartbeat *)call->m;
    struct node *n = agent_node(call->t, call->session);
    if (!n) { /* it was silent for SlurmdTimeout and given up, and lives: it is to register again */
        ctl_fail(call, ENOTCONN, "the node was silent for too long and is to register again");
        return;
    }
    call->t->agent->at[n->index].heard_ms = call->t->now_ms;
    agent_watch(call->t, &call->t->agent->at[n->index], n->index); /* from the first heartbeat on */
    n->load_centi = h->load_centi;
    n->free_mem_mb = h->free_mem_mb;
    n->has_load = true;
    clock_told(call->t, n, h->now_ms);
    query_cache_stir(call->t);
    Pb__HeartbeatReply reply = PB__HEARTBEAT_REPLY__INIT;
    reply.sent_ms = h->sent_ms;
    reply.now_ms = call->t->now_ms;
    reply.lease_s = fence_lease_s(call->t);
    if (h->sent_ms) /* earlier releases expect no reply */
        ctl_reply(call, MSG_HEARTBEAT_REPLY, &reply.base);
}

static void wait_for(struct ctl *t, uint32_t node)
{
    t->agent->at[node].lost_ms = t->now_ms;
    timer_add(&t->timers, t->now_ms + SILENT_MS, TIMER_NODE, node, 0);
    timer_add(&t->timers, t->now_ms + timeout_ms(t), TIMER_NODE, node, 0);
}

void agent_lead(struct ctl *t)
{
    agent_fit(t);
    for (size_t i = 0; i < t->agent->n; i++)
        wait_for(t, (uint32_t)i);
}

/* This process stood still (stopped, or its machine suspended): what agents sent meanwhile is not read yet. */
void agent_forgive(struct ctl *t, int64_t late_ms)
{
    log_info("this controller stood still: agents get as much more time late_ms=%lld", (long long)late_ms);
    for (size_t i = 0; i < t->agent->n; i++) {
        struct agent *a = &t->agent->at[i];
        a->heard_ms = MIN(a->heard_ms + late_ms, t->now_ms);
        if (a->session)
            continue;
        a->lost_ms = MIN(a->lost_ms + late_ms, t->now_ms);
        timer_add(&t->timers, a->lost_ms + timeout_ms(t), TIMER_NODE, (uint32_t)i, 0);
    }
}

void agent_lost(struct ctl *t, uint64_t session)
{
    uintptr_t i = (uintptr_t)map_del(&t->agent->of_session, session);
    if (!i)
        return;
    t->agent->at[i - 1].session = 0;
    log_info("connection to node lost: it is down after SlurmdTimeout without a new one node=%s",
             t->c->node[i - 1].name);
    wait_for(t, (uint32_t)(i - 1));
}

static void go_down(struct ctl *t, struct node *n)
{
    log_info("node is down node=%s", n->name);
    set_state(t, n, NODE_DOWN | NODE_NO_RESPOND | (n->state & NODE_DRAIN), "Not responding");
    fence_lost(t, n, "Not responding");
}

/* A daemon that hangs, or a machine that froze, keeps its connection: what counts is whether it speaks. */
void agent_heartbeat_timer(struct ctl *t, const struct timer_entry *e)
{
    uint32_t node = e->id;
    struct agent *a = node < t->agent->n ? &t->agent->at[node] : NULL;
    if (!a)
        return;
    a->watched = false;
    if (!a->session)
        return;
    if (t->now_ms - a->heard_ms < timeout_ms(t)) {
        agent_watch(t, a, node);
        return;
    }
    map_del(&t->agent->of_session, a->session);
    a->session = 0;
    a->lost_ms = a->heard_ms;
    go_down(t, &t->c->node[node]);
}

void agent_timer(struct ctl *t, const struct timer_entry *e)
{
    uint32_t node = e->id;
    struct node *n = node < t->c->nnodes ? &t->c->node[node] : NULL;
    struct agent *a = node < t->agent->n ? &t->agent->at[node] : NULL;
    if (!n || !a || a->session || node_base(n) == NODE_FUTURE)
        return;
    int64_t silent = t->now_ms - a->lost_ms;
    if (silent >= timeout_ms(t) && node_base(n) == NODE_DOWN) {
        fence_lost(t, n, n->reason); /* it was set DOWN and has not said since that its jobs ended */
    } else if (silent >= timeout_ms(t)) {
        go_down(t, n);
    } else if (node_base(n) == NODE_DOWN) {
        return;
    } else if (silent >= SILENT_MS && !(n->state & NODE_NO_RESPOND)) {
        set_state(t, n, n->state | NODE_NO_RESPOND, NULL);
    }
}
