/*
 * net - simulated connections.
 *
 * Messages of one connection arrive in order, late but not lost, until one end closes it: then messages on their way to
 * that end are lost, and what it sent before may still arrive.  A cut cable delays what is sent, in one direction or in
 * both, until it is mended or the connection is given up.
 */
#include "sim/world.h"

struct session *net_open(struct sim *s, bool node, uint32_t owner)
{
    if (s->leader == NO_LEADER || !s->ctl[s->leader].leading || s->ctl[s->leader].stopped)
        return NULL;
    if (node && s->now_ms < MAX(s->node[owner].cut_in_ms, s->node[owner].cut_out_ms))
        return NULL;
    struct session *n = NEW(struct session);
    *n = (struct session){ .id = ++s->next_session, .ctl = s->leader, .owner = owner, .node = node };
    map_put(&s->sessions, n->id, n);
    return n;
}

struct session *net_find(const struct sim *s, uint64_t id)
{
    return id ? map_get(&s->sessions, id) : NULL;
}

static int64_t net_delay(struct sim *s)
{
    if (!s->conf.faults)
        return rng_range(&s->rng, 1, 5);
    return rng_chance(&s->rng, 2) ? rng_range(&s->rng, 100, 8000) : rng_range(&s->rng, 1, 20);
}

void net_send_bytes(struct sim *s, uint64_t session, enum msg_type type, uint64_t number, const void *body, size_t len)
{
    struct session *n = net_find(s, session);
    if (!n)
        return;
    struct mail *m = NEW(struct mail);
    *m = (struct mail){ session, type, 0, number, mem_copy(body, len), len };
    int64_t from_ms = n->node ? MAX(s->now_ms, s->node[n->owner].cut_out_ms) : s->now_ms;
    n->last_in = MAX(n->last_in, from_ms + net_delay(s));
    sim_push(s, n->last_in, W_TO_CTL, n->ctl, 0, m);
}

void net_send(struct sim *s, uint64_t session, enum msg_type type, uint64_t number, const ProtobufCMessage *m)
{
    auto_buf struct buf b = BUF_INIT;
    pb_pack(&b, m);
    net_send_bytes(s, session, type, number, b.s, b.len);
}

void net_reply(struct sim *s, const struct ctl_out *out)
{
    struct session *n = net_find(s, out->session);
    if (!n || n->cut) {
        free(out->body);
        return;
    }
    struct mail *m = NEW(struct mail);
    *m = (struct mail){ out->session, out->type, out->flags, out->number, out->body, out->len };
    int64_t from_ms = n->node ? MAX(s->now_ms, s->node[n->owner].cut_in_ms) : s->now_ms;
    n->last_out = MAX(n->last_out, from_ms + net_delay(s));
    sim_push(s, n->last_out, n->node ? W_TO_NODE : W_TO_USER, n->owner, 0, m);
}

void net_cut(struct sim *s, uint64_t session, int64_t noticed_ms)
{
    struct session *n = net_find(s, session);
    if (!n || n->cut)
        return;
    n->cut = true;
    int64_t from_ms = n->node ? MAX(s->now_ms, s->node[n->owner].cut_out_ms) : s->now_ms;
    n->last_in = MAX(n->last_in, from_ms + noticed_ms);
    sim_push(s, n->last_in, W_GONE, n->ctl, session, NULL);
}

/* In the order of their numbers: the order of a hash table would not depend on the seed alone. */
void net_drop_ctl(struct sim *s, uint32_t ctl)
{
    VEC(struct session *) gone = { 0 };
    for (uint64_t id = 1; id <= s->next_session; id++) {
        struct session *n = net_find(s, id);
        if (n && n->ctl == ctl)
            vec_push(&gone, n);
    }
    for (size_t i = 0; i < gone.n; i++) {
        struct session *n = gone.at[i];
        map_del(&s->sessions, n->id);
        if (n->node && !n->cut)
            node_disconnected(s, n->owner);
        free(n);
    }
    vec_clear(&gone);
}
