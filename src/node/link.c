/* link - connections between agents: made when there is something to say, kept for a while after; see tree.h. */
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "node/tree.h"

#define IDLE_MS 60000

struct link {
    struct tree *tree;
    uint64_t number;
    char *address;
    struct conn *conn;
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

/* ---- to others ---- */

static void link_frame(struct conn *c, const struct frame *f)
{
    struct link *l = conn_arg(c);
    if (f->type == MSG_SPREAD_REPLY)
        spread_answered(l->tree, f);
    else if (f->type == MSG_REPORTS_ACK)
        gather_acked(l->tree, f->number);
    else if (f->type == MSG_FAILURE && !spread_failed(l->tree, f->number))
        gather_failed(l->tree, f->number);
}

static void link_closed(struct conn *c, const struct err *why)
{
    struct link *l = conn_arg(c);
    struct tree *t = l->tree;
    uint64_t number = l->number;
    log_debug("connection to an agent closed address=%s why=%s", l->address, why->text);
    smap_del(&t->links, l->address);
    free(l->address);
    free(l);
    spread_link_lost(t, number);
    gather_link_lost(t, number);
}

static const struct conn_ops link_ops = { NULL, link_frame, link_closed };

/* What has not been used lately is closed: whoever needs it again makes it again. */
static void tidy(uv_timer_t *timer)
{
    struct tree *t = timer->data;
    size_t pos = 0;
    const char *address;
    for (struct link *l; (l = smap_next(&t->links, &pos, &address));)
        if (uv_now(t->loop) - l->used_ms >= IDLE_MS)
            conn_close(l->conn);
    if (!t->links.n)
        uv_timer_stop(timer);
}

struct link *link_to(struct tree *t, const char *node)
{
    const struct site_node *def = site_node(t->site, node);
    if (!def)
        return NULL;
    const char *host = str_or(def->addr, str_or(def->hostname, def->name));
    auto_free char *address = mem_printf("%s:%u", host, def->port);
    struct link *l = smap_get(&t->links, address);
    if (l && conn_closing(l->conn)) /* it is on its way out: its last call has yet to come */
        return NULL;
    if (!l) {
        struct conn_hello hello = { t->key, CRED_AGENT, t->name };
        l = NEW(struct link);
        *l = (struct link){ .tree = t, .number = t->next++, .address = take(address) };
        smap_put(&t->links, l->address, l);
        l->conn = conn_connect_tcp(t->loop, host, def->port, &hello, &link_ops, l);
        if (!uv_is_active((uv_handle_t *)&t->tidy))
            uv_timer_start(&t->tidy, tidy, IDLE_MS, IDLE_MS);
    }
    l->used_ms = uv_now(t->loop);
    return l;
}

struct conn *link_conn(struct link *l)
{
    return l->conn;
}

uint64_t link_number(const struct link *l)
{
    return l->number;
}

/* ---- from others ---- */

struct door {
    struct tree *tree;
    uint64_t number;
};

static void door_gone(void *arg)
{
    struct door *d = arg;
    map_del(&d->tree->doors, d->number);
    free(d);
}

uint64_t door_number(struct tree *t, struct conn *c)
{
    struct door *d = listen_holder(c, door_gone);
    if (!d) {
        d = NEW(struct door);
        *d = (struct door){ t, t->next++ };
        map_put(&t->doors, d->number, c);
        listen_hold(c, door_gone, d);
    }
    return d->number;
}

struct conn *door_conn(const struct tree *t, uint64_t number)
{
    return map_get(&t->doors, number);
}
