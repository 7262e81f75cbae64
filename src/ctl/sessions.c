/* sessions - the controller's connections and the requests that wait for a turn; see sessions.h. */
#include "ctl/sessions.h"

#include <string.h>

#include "base/str.h"
#include "ctl/daemon_priv.h"

struct session {
    uint64_t id; /* 0: no session yet, the peer has not shown its identity */
    struct daemon *d;
    struct link *link;
    bool known; /* to ctl: it sent more than list queries, so that ctl must hear when it closes */
};

struct link *sessions_link(const struct sessions *s, uint64_t id)
{
    struct session *found = map_get(&s->at, id);
    return found ? found->link : NULL;
}

bool sessions_queued(const struct sessions *s)
{
    return s->queue.n > 0;
}

bool sessions_waiting(const struct sessions *s)
{
    return s->queue.n || s->closed.n;
}

void sessions_drop(struct sessions *s)
{
    size_t pos = 0;
    for (struct session *at; (at = map_next(&s->at, &pos, NULL));)
        link_close(at->link);
}

void sessions_report_closed(struct sessions *s, struct ctl *ctl, bool leading)
{
    for (size_t i = 0; leading && i < s->closed.n; i++)
        ctl_gone(ctl, s->closed.at[i]);
    s->closed.n = 0;
}

/* ---- requests ---- */

/* Messages about the daemon itself rather than about the cluster. */
static void process_own(struct daemon *d, const struct session_request *r)
{
    if (r->type == MSG_RECONFIGURE) {
        reload_reconfigure(d, r->session, r->number);
    } else if (r->type == MSG_SHUTDOWN) {
        ctl_answer(d->ctl, r->session, r->number, 0, NULL);
        daemon_stop(d);
    } else {
        int rc = ledger_transfer(d->ledger, NULL, NULL);
        ctl_answer(d->ctl, r->session, r->number, rc, rc ? "there is no other controller that could take over" : NULL);
    }
}

/* False: an account has to be looked up first. */
static bool process_request(struct daemon *d, const struct session_request *r)
{
    struct ctl_peer peer = { r->peer.uid, r->peer.gid, r->peer.use == CRED_AGENT, r->peer.node };
    struct frame f = { r->type, r->flags, r->number, (uint8_t *)r->body, r->len };
    if (!(ctl_request_flags(r->type) & CTL_DAEMON))
        return ctl_request(d->ctl, r->session, &peer, &f);
    if (ctl_request_permitted(d->ctl, r->session, &peer, &f))
        process_own(d, r);
    return true;
}

void sessions_process(struct daemon *d)
{
    struct sessions *s = &d->sessions;
    size_t i = 0;
    for (; i < s->queue.n && !ctl_full(d->ctl); i++) {
        struct session_request *r = &s->queue.at[i];
        if (process_request(d, r)) {
            free(r->body);
        } else {
            r->lookup = account_cache_begun(d->accounts);
            vec_push(&s->parked, *r);
        }
    }
    if (i)
        memmove(s->queue.at, s->queue.at + i, (s->queue.n - i) * sizeof(*s->queue.at));
    s->queue.n -= i;
}

void sessions_unpark(struct daemon *d, uint64_t ended)
{
    struct sessions *s = &d->sessions;
    size_t kept = 0;
    for (size_t i = 0; i < s->parked.n; i++) {
        struct session_request *r = &s->parked.at[i];
        if (r->lookup > ended)
            s->parked.at[kept++] = *r;
        else if (d->loop.leading && sessions_link(s, r->session))
            vec_push(&s->queue, *r);
        else
            free(r->body); /* the client is gone, or asks the next leader */
    }
    s->parked.n = kept;
    loop_want_turn(d);
}

/* ---- connections ---- */

static void sessions_redirect(struct daemon *d, struct link *c, uint64_t number)
{
    Pb__Redirect r = PB__REDIRECT__INIT;
    char address[160] = "";
    r.leader_id = d->ledger ? ledger_leader(d->ledger) : 0;
    if (r.leader_id == d->conf->id)
        r.leader_id = 0; /* this controller leads but is not ready yet: the client asks again */
    daemon_address(d, r.leader_id, address, sizeof(address));
    r.address = address;
    link_send_pb(c, MSG_REDIRECT, 0, number, &r.base);
}

static void free_stream(uv_handle_t *h)
{
    free(h);
}

/* Another controller: the stream is libraft's from here on. */
static void accept_controller(struct daemon *d, struct link *c)
{
    uint64_t id = link_peer(c)->raft_id;
    map_put(&d->levels, id, (void *)(uintptr_t)link_peer(c)->level);
    loop_want_turn(d);
    auto_free char *address = mem_str(link_peer_address(c));
    uv_stream_t *stream = link_release(c);
    if (d->ledger)
        ledger_accept(d->ledger, id, address, stream);
    else if (stream)
        uv_close((uv_handle_t *)stream, free_stream); /* the daemon is stopping */
}

static void on_ready(struct link *c)
{
    struct daemon *d = ((struct session *)link_arg(c))->d;
    if (link_peer(c)->use == CRED_PEER) {
        accept_controller(d, c);
        return;
    }
    struct session *s = NEW(struct session);
    s->d = d;
    s->id = ++d->sessions.next;
    s->link = c;
    link_set_arg(c, s);
    map_put(&d->sessions.at, s->id, s);
}

static void on_frame(struct link *c, const struct frame *f)
{
    struct session *s = link_arg(c);
    if (f->type == MSG_PING && s->d->loop.leading) { /* outside the turn: a slow disk is not silence */
        link_send(c, MSG_PONG, 0, f->number, NULL, 0);
        return;
    }
    unsigned flags = ctl_request_flags(f->type);
    s->known |= !(flags & CTL_LIST);
    if (!s->d->loop.leading && !(flags & CTL_ANYWHERE)) {
        sessions_redirect(s->d, c, f->number);
        return;
    }
    vec_push(&s->d->sessions.queue, ((struct session_request){ s->id, *link_peer(c), f->type, f->flags, f->number,
                                                                mem_copy(f->body, f->len), f->len }));
    loop_want_turn(s->d);
}

static void on_closed(struct link *c, const struct err *why)
{
    struct session *s = link_arg(c);
    if (!s->id)
        return;
    map_del(&s->d->sessions.at, s->id);
    if (s->known) {
        vec_push(&s->d->sessions.closed, s->id);
        loop_want_turn(s->d);
    }
    free(s);
}

static const struct link_ops ops = { on_ready, on_frame, on_closed };

int sessions_listen(struct daemon *d, struct err *err)
{
    const struct site *site = ctl_site(d->ctl);
    struct sessions *s = &d->sessions;
    static struct session unknown; /* link_arg() of every connection until its peer is known */
    unknown.d = d;
    unsigned uses = HELLO_USE(CRED_CLIENT) | HELLO_USE(CRED_AGENT) | HELLO_USE(CRED_PEER);
    struct link_listen_conf conf = {
        .loop = &d->uv, .key = &d->key, .ops = &ops, .arg = &unknown, .bounded = true, .uses = uses
    };
    auto_free char *path = mem_printf("%s/ctl%llu.sock", site->socket_dir, (unsigned long long)d->conf->id);
    const struct site_ctl *me = NULL;
    for (size_t i = 0; i < site->nctl; i++)
        if (site->ctl[i].id == d->conf->id)
            me = &site->ctl[i];
    if (daemon_make_dir(site->socket_dir, 0755, err))
        return err->code;
    /* A controller that is configured on loopback listens there alone. */
    bool loopback = str_has_prefix(me->host, "127.") || str_eq(me->host, "localhost");
    int rc = link_listen_tcp(&s->tcp_listener, &conf, loopback ? "127.0.0.1" : "0.0.0.0", me->port, err);
    return rc ? rc : link_listen_unix(&s->unix_listener, &conf, path, err);
}

void sessions_stop_listening(struct sessions *s)
{
    link_listener_close(take(s->tcp_listener));
    link_listener_close(take(s->unix_listener));
}
