/* listen - the agent's listeners; see listen.h. */
#include "node/listen.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "io/refusal_log.h"
#include "node/relay.h"
#include "text/hostlist.h"
#include "text/strs.h"

/* The argument of a connection once the peer's identity is known; before that it is the agent. */
struct accepted {
    struct agent *agent;
    listen_gone_fn *gone;
    void *arg;
    struct link *link;
    VEC(struct frame) parked; /* copies, in order of arrival */
    size_t parked_bytes;
};

#define PARKED_MAX (64u << 20) /* bytes that a client may send while its request is parked */

static VEC(struct accepted *) waiting; /* connections with parked frames */

void listen_refuse(struct link *c, uint64_t number, int code, const char *fmt, ...)
{
    auto_buf struct buf text = BUF_INIT;
    va_list ap;
    va_start(ap, fmt);
    buf_addv(&text, fmt, ap);
    va_end(ap);
    Pb__Failure f = PB__FAILURE__INIT;
    f.code = code;
    f.text = text.s;
    link_send_pb(c, MSG_FAILURE, 0, number, &f.base);
}

/* ---- handlers that keep a connection ---- */

void listen_hold(struct link *c, listen_gone_fn *gone, void *arg)
{
    struct accepted *g = link_arg(c);
    g->gone = gone;
    g->arg = arg;
}

bool listen_held(const struct link *c)
{
    const struct accepted *g = link_arg(c);
    return g->gone;
}

void *listen_holder(const struct link *c, listen_gone_fn *gone)
{
    const struct accepted *g = link_arg(c);
    return g->gone == gone ? g->arg : NULL;
}

/* ---- frames ---- */

static bool peer_may(const struct listen_row *row, const struct link_peer *peer)
{
    return ((row->peers & LISTEN_USER) && peer->use == CRED_CLIENT) ||
           ((row->peers & LISTEN_AGENT) && peer->use == CRED_AGENT);
}

/* Another node's machine vouches for the users of its own jobs: a step of such a job is here, too.  Files need no such
 * check, they come with a controller's permit. */
static bool peer_vouched(const struct agent *a, const struct listen_row *row, const struct link_peer *peer)
{
    if (!peer->via[0] || row->peers != LISTEN_USER)
        return true;
    size_t pos = 0;
    uint64_t key;
    for (const struct step_run *r; (r = map_next(&a->jobs, &pos, &key));) {
        auto_strs struct strs names = STRS_INIT;
        if (r->uid != peer->uid || !r->nodes || hostlist_expand(r->nodes, &names, NULL))
            continue;
        for (size_t i = 0; i < names.n; i++)
            if (str_eq(names.at[i], peer->via))
                return true;
    }
    return false;
}

void listen_frame(struct agent *a, struct link *c, const struct frame *f)
{
    const struct link_peer *peer = link_peer(c);
    const struct listen_row *row = listen_rows;
    while (row->handle && row->type != f->type)
        row++;
    if (!row->handle && relay_frame(a, c, f))
        return;
    if (!row->handle)
        listen_refuse(c, f->number, EOPNOTSUPP, "a node's daemon does not take messages of type %s", msg_name(f->type));
    else if (!peer_may(row, peer))
        listen_refuse(c, f->number, EPERM, "messages of type %s are not taken from %s", msg_name(f->type),
                      peer->use == CRED_AGENT ? "nodes" : "users");
    else if (!peer_vouched(a, row, peer))
        listen_refuse(c, f->number, EPERM, "node %s vouches for users of its jobs alone, and user %u has none here",
                      peer->via, peer->uid);
    else if (a->emulated && !row->emulated)
        listen_refuse(c, f->number, EOPNOTSUPP, "node %s is emulated: it does not take messages of type %s", a->name,
                      msg_name(f->type));
    else
        row->handle(a, c, f, peer);
}

/* ---- frames that wait for a name ---- */

void listen_park(struct link *c, const struct frame *f)
{
    struct accepted *g = link_arg(c);
    struct frame copy = *f;
    copy.body = mem_copy(f->body, f->len);
    if (!g->parked.n)
        vec_push(&waiting, g);
    vec_push(&g->parked, copy);
    g->parked_bytes += f->len;
    if (g->parked_bytes > PARKED_MAX)
        link_close(c);
}

static void forget_parked(struct accepted *g)
{
    for (size_t i = 0; i < waiting.n; i++)
        if (waiting.at[i] == g) {
            vec_remove(&waiting, i);
            break;
        }
    for (size_t i = 0; i < g->parked.n; i++)
        free((void *)g->parked.at[i].body);
    vec_clear(&g->parked);
    g->parked_bytes = 0;
}

/* When a frame has to be parked again, the frames behind it are parked, too. */
static void accepted_unpark(struct accepted *g)
{
    __typeof__(g->parked) frames = g->parked;
    g->parked = (__typeof__(g->parked)){ 0 };
    g->parked_bytes = 0;
    for (size_t i = 0; i < frames.n; i++) {
        if (g->parked.n)
            listen_park(g->link, &frames.at[i]);
        else if (!link_closing(g->link))
            listen_frame(g->agent, g->link, &frames.at[i]);
        free((void *)frames.at[i].body);
    }
    vec_clear(&frames);
}

void listen_unpark(void)
{
    __typeof__(waiting) connections = waiting;
    waiting = (__typeof__(waiting)){ 0 };
    for (size_t i = 0; i < connections.n; i++)
        accepted_unpark(connections.at[i]);
    vec_clear(&connections);
}

/* ---- connections ---- */

static void accepted_ready(struct link *c)
{
    struct accepted *g = NEW(struct accepted);
    g->agent = link_arg(c);
    g->link = c;
    link_set_arg(c, g);
}

static void accepted_frame(struct link *c, const struct frame *f)
{
    struct accepted *g = link_arg(c);
    if (g->parked.n)
        listen_park(c, f);
    else
        listen_frame(g->agent, c, f);
}

static void accepted_closed(struct link *c, const struct err *why)
{
    enum cred_use use = link_peer(c)->use;
    if (use != CRED_CLIENT && use != CRED_AGENT) { /* the peer never became known: no struct accepted was made */
        refusal_log(c, why);
        return;
    }
    struct accepted *g = link_arg(c);
    if (g->gone)
        g->gone(g->arg);
    forget_parked(g);
    free(g);
}

const struct link_ops listen_ops = { accepted_ready, accepted_frame, accepted_closed };

/* ---- the TCP listener ---- */

/* A cluster of one machine listens on the loopback address. */
static const char *bind_host(const struct agent *a)
{
    const char *addr = a->def->addr;
    bool loopback = addr && (str_has_prefix(addr, "127.") || str_eq(addr, "::1") || str_eq(addr, "localhost"));
    return loopback ? addr : NULL;
}

int listen_start(struct agent *a, struct err *err)
{
    struct link_listen_conf conf = { .loop = a->loop,
                                     .key = &a->key,
                                     .ops = &listen_ops,
                                     .arg = a,
                                     .bounded = true,
                                     .uses = HELLO_USE(CRED_CLIENT) | HELLO_USE(CRED_AGENT) };
    int rc = link_listen_tcp(&a->tcp, &conf, bind_host(a), a->def->port, err);
    if (!rc || (rc != EADDRINUSE && rc != EACCES && rc != EADDRNOTAVAIL))
        return rc;
    log_error("%s: this node accepts no connections of other nodes and of users node=%s", err->text, a->name);
    *err = (struct err)ERR_INIT;
    return 0;
}

void listen_stop(struct agent *a)
{
    if (a->tcp)
        link_listener_close(take(a->tcp));
}
