/* node_link - a simulated node's connection to the leader: it registers, sends heartbeats, and gets its orders. */
#include <errno.h>

#include "sim/world.h"

#define BEAT_MS 20000 /* a third of SlurmdTimeout, as configured in replay.c */

static void node_register(struct sim *s, uint32_t target, uint64_t answer)
{
    struct pnode *n = &s->node[target];
    auto_free Pb__Running *run = mem_array(n->runs.n + 1, sizeof(*run));
    auto_free Pb__Running **list = mem_array(n->runs.n + 1, sizeof(*list));
    for (size_t i = 0; i < n->runs.n; i++) {
        pb__running__init(&run[i]);
        run[i].job_id = n->runs.at[i].job, run[i].step_id = n->runs.at[i].step, run[i].attempt = n->runs.at[i].attempt;
        list[i] = &run[i];
    }
    char boot[32];
    snprintf(boot, sizeof(boot), "boot-%u-%llu", target, (unsigned long long)n->boot);
    Pb__RegisterRequest r = PB__REGISTER_REQUEST__INIT;
    r.node = n->name, r.boot_id = boot, r.version = (char *)"sim", r.start_s = n->start_s;
    r.running = list, r.n_running = n->runs.n;
    r.now_ms = SIM_EPOCH_S * 1000LL + s->now_ms + n->off_ms;
    n->register_ms = s->now_ms;
    r.order = ++n->registrations;
    r.answer = answer;
    net_send(s, n->session, MSG_REGISTER, 1, &r.base);
}

void node_connect(struct sim *s, uint32_t target)
{
    struct pnode *n = &s->node[target];
    if (!n->up || n->session)
        return;
    struct session *c = net_open(s, true, target);
    if (!c) {
        sim_push(s, s->now_ms + rng_range(&s->rng, 300, 1500), W_NODE_CONNECT, target, 0, NULL);
        return;
    }
    n->session = c->id;
    n->registered = false;
    n->start_s = n->start_s ? n->start_s : SIM_EPOCH_S + s->now_ms / 1000;
    node_register(s, target, 0);
}

static void on_registered(struct sim *s, uint32_t target, const Pb__RegisterReply *r)
{
    struct pnode *n = &s->node[target];
    if (r->question) {
        node_register(s, target, r->question);
        return;
    }
    node_set_time(s, target, r->now_ms);
    n->registered_ms = r->now_ms;
    node_renew_lease(s, target, n->register_ms, r->lease_s);
    n->registered = true;
    sim_push(s, s->now_ms + 1 + target % BEAT_MS, W_NODE_BEAT, target, n->session, NULL);
    for (size_t i = 0; i < n->runs.n; i++)
        n->runs.at[i].sent_at = 0;
    for (size_t i = 0; i < n->cleans.n; i++)
        n->cleans.at[i].sent_at = 0;
    node_tell_all(s, target, s->now_ms);
}

void node_beat(struct sim *s, uint32_t target, uint64_t session)
{
    struct pnode *n = &s->node[target];
    if (n->session != session || !n->registered)
        return;
    if (s->now_ms < n->slow_ms) {
        sim_push(s, n->slow_ms, W_NODE_BEAT, target, session, NULL);
        return;
    }
    Pb__Heartbeat h = PB__HEARTBEAT__INIT;
    h.now_ms = SIM_EPOCH_S * 1000LL + s->now_ms + n->off_ms;
    h.sent_ms = s->now_ms;
    net_send(s, session, MSG_HEARTBEAT, 0, &h.base);
    sim_push(s, s->now_ms + BEAT_MS, W_NODE_BEAT, target, session, NULL);
}

static void on_beat(struct sim *s, uint32_t target, const Pb__HeartbeatReply *r)
{
    node_set_time(s, target, r->now_ms);
    node_renew_lease(s, target, r->sent_ms, r->lease_s);
}

/* As io/liveness.h: a connection without an answer for SILENCE_MS is given up. */
void node_silence(struct sim *s, uint32_t target, uint64_t session)
{
    struct pnode *n = &s->node[target];
    const struct session *c = net_find(s, session);
    bool silent = c && (s->ctl[c->ctl].stopped || s->now_ms < MAX(n->cut_in_ms, n->cut_out_ms));
    if (!n->up || n->session != session || !silent)
        return;
    sim_tell(s, "%s hears nothing and connects again", n->name);
    net_cut(s, session, 1);
    node_disconnected(s, target);
}

/* The controller does not know this connection (any more): another one is opened. */
static void node_refused(struct sim *s, uint32_t target)
{
    sim_tell(s, "%s is refused and connects again", s->node[target].name);
    net_cut(s, s->node[target].session, 1);
    node_disconnected(s, target);
}

/* The same order arrives again, later: it must have no effect. */
static void node_hear_twice(struct sim *s, const struct mail *m)
{
    struct mail *copy = NEW(struct mail);
    *copy = *m;
    copy->body = mem_copy(m->body, m->len);
    copy->flags = 0x8000;
    struct session *n = net_find(s, m->session);
    sim_push(s, s->now_ms + rng_range(&s->rng, 1, 120000), W_TO_NODE, n ? n->owner : 0, 0, copy);
}

static void node_handle(struct sim *s, uint32_t target, struct mail *m)
{
    struct pnode *n = &s->node[target];
    const ProtobufCMessageDescriptor *d = msg_descriptor(m->type);
    ProtobufCMessage *p = d ? protobuf_c_message_unpack(d, NULL, m->len, (uint8_t *)m->body) : NULL;
    if (!p) {
        sim_break(s, "%s got a %s that does not parse", n->name, msg_name(m->type));
        return;
    }
    if (m->type == MSG_LAUNCH)
        node_launch(s, target, m, false, m->flags & 0x8000);
    else if (m->type == MSG_KILL)
        node_kill(s, target, (Pb__KillOrder *)p);
    else if (m->type == MSG_REPORT_ACK)
        node_acked(s, target, (Pb__ReportAck *)p);
    else if (m->type == MSG_FANOUT)
        tree_spread(s, target, m->number, (Pb__Fanout *)p);
    else if (m->type == MSG_REPORTS_ACK)
        tree_acked(s, target, m->number);
    else if (m->type == MSG_REGISTER_REPLY)
        on_registered(s, target, (Pb__RegisterReply *)p);
    else if (m->type == MSG_HEARTBEAT_REPLY)
        on_beat(s, target, (Pb__HeartbeatReply *)p);
    else if (m->type == MSG_FAILURE && ((Pb__Failure *)p)->code == ENOTCONN)
        node_refused(s, target);
    else
        sim_break(s, "%s got a %s: %s", n->name, msg_name(m->type),
                  m->type == MSG_FAILURE ? ((Pb__Failure *)p)->text : "nodes do not take these");
    protobuf_c_message_free_unpacked(p, NULL);
}

void node_mail(struct sim *s, struct mail *m)
{
    struct session *c = net_find(s, m->session);
    if (c && !c->cut && s->node[c->owner].up && s->node[c->owner].session == m->session) {
        uint32_t target = c->owner;
        if (s->now_ms < s->node[target].slow_ms) { /* it is read when the agent goes on */
            sim_push(s, s->node[target].slow_ms, W_TO_NODE, target, 0, m);
            return;
        }
        if (m->type == MSG_LAUNCH && !m->flags && s->conf.faults && s->now_ms < s->quiet_ms && rng_chance(&s->rng, 2))
            node_hear_twice(s, m);
        node_handle(s, target, m);
    }
    mail_free(m);
}

void node_disconnected(struct sim *s, uint32_t target)
{
    s->node[target].session = 0;
    s->node[target].registered = false;
    sim_push(s, s->now_ms + rng_range(&s->rng, 50, 2000), W_NODE_CONNECT, target, 0, NULL);
}
