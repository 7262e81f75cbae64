/* peer_pool - connections between agents: opened on demand, closed when idle; see tree.h. */
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "node/tree.h"

#define IDLE_MS 60000

struct peer_conn {
    struct tree *tree;
    uint64_t number;
    char *address;
    struct link *link;
    uint64_t used_ms;
};

/* ---- the tree itself ---- */

static void tidy(uv_timer_t *timer);

struct tree *tree_new(uv_loop_t *loop, const struct site *site, const struct cred_key *key)
{
    struct tree *t = NEW(struct tree);
    t->loop = loop;
    t->site = site;
    t->key = key;
    cred_random(&t->next, sizeof(t->next));
    t->next = (t->next >> 16) + 1;
    t->sweep_at = 1024;
    uv_timer_init(loop, &t->tidy);
    uv_timer_init(loop, &t->again);
    t->tidy.data = t->again.data = t;
    return t;
}

void tree_add(struct tree *t, struct agent *a)
{
    smap_put(&t->agents, a->name, a);
    t->name = a->name;
    a->tree = t;
}

struct agent *tree_agent(const struct tree *t, const char *name)
{
    return str_empty(name) ? NULL : smap_get(&t->agents, name);
}

/* ---- connections to other agents ---- */

static void peer_frame(struct link *c, const struct frame *f)
{
    struct peer_conn *l = link_arg(c);
    if (f->type == MSG_FANOUT_REPLY)
        fanout_answered(l->tree, f);
    else if (f->type == MSG_REPORTS_ACK)
        gather_acked(l->tree, f->number);
    else if (f->type == MSG_FAILURE && !fanout_failed(l->tree, f->number))
        gather_failed(l->tree, f->number);
}

static void peer_closed(struct link *c, const struct err *why)
{
    struct peer_conn *l = link_arg(c);
    struct tree *t = l->tree;
    uint64_t number = l->number;
    log_debug("connection to an agent closed address=%s why=%s", l->address, why->text);
    smap_del(&t->peers, l->address);
    free(l->address);
    free(l);
    fanout_peer_lost(t, number);
    gather_peer_lost(t, number);
}

static const struct link_ops peer_ops = { NULL, peer_frame, peer_closed };

/* Close idle connections; peer_pool_get() opens a new one on demand. */
static void tidy(uv_timer_t *timer)
{
    struct tree *t = timer->data;
    size_t pos = 0;
    const char *address;
    for (struct peer_conn *l; (l = smap_next(&t->peers, &pos, &address));)
        if (uv_now(t->loop) - l->used_ms >= IDLE_MS)
            link_close(l->link);
    if (!t->peers.n)
        uv_timer_stop(timer);
}

struct peer_conn *peer_pool_get(struct tree *t, const char *node)
{
    const struct site_node *def = site_node(t->site, node);
    if (!def)
        return NULL;
    const char *host = str_or(def->addr, str_or(def->hostname, def->name));
    auto_free char *address = mem_printf("%s:%u", host, def->port);
    struct peer_conn *l = smap_get(&t->peers, address);
    if (l && link_closing(l->link)) /* closing: peer_closed() has not been called yet */
        return NULL;
    if (!l) {
        struct link_claim claim = { .key = t->key, .use = CRED_AGENT, .node = t->name, .to = def->name };
        l = NEW(struct peer_conn);
        *l = (struct peer_conn){ .tree = t, .number = t->next++, .address = take(address) };
        smap_put(&t->peers, l->address, l);
        l->link = link_connect_tcp(t->loop, host, def->port, LINK_AGENT, &claim, &peer_ops, l);
        if (!uv_is_active((uv_handle_t *)&t->tidy))
            uv_timer_start(&t->tidy, tidy, IDLE_MS, IDLE_MS);
    }
    l->used_ms = uv_now(t->loop);
    return l;
}

struct link *peer_pool_link(struct peer_conn *l)
{
    return l->link;
}

uint64_t peer_pool_number(const struct peer_conn *l)
{
    return l->number;
}

/* ---- connections from other agents ---- */

struct inbound {
    struct tree *tree;
    uint64_t number;
};

static void inbound_closed(void *arg)
{
    struct inbound *d = arg;
    map_del(&d->tree->inbound, d->number);
    free(d);
}

uint64_t inbound_number(struct tree *t, struct link *c)
{
    struct inbound *d = listen_holder(c, inbound_closed);
    if (!d) {
        d = NEW(struct inbound);
        *d = (struct inbound){ t, t->next++ };
        map_put(&t->inbound, d->number, c);
        listen_hold(c, inbound_closed, d);
    }
    return d->number;
}

struct link *inbound_link(const struct tree *t, uint64_t number)
{
    return map_get(&t->inbound, number);
}
