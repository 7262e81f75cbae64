/* sessions - the controller's connections and the requests that wait for a turn; see sessions.h. */
#include "ctl/sessions.h"

#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "ctl/daemon_priv.h"
#include "ctl/history_serve.h"
#include "io/refusal_log.h"

struct session {
    uint64_t id; /* 0: no session yet, the peer has not shown its identity */
    struct daemon *d;
    struct link *link;
    bool known; /* to ctl: it sent more than list queries, so that ctl must hear when it closes */
    struct budget_user *user; /* NULL: the peer has no budget */
    size_t partial;           /* bytes of a frame that is under way, counted in the user's budget */
    size_t queued;            /* bytes of replies in the loop's send queue */
    size_t unread;            /* bytes of replies, as they are counted in the user's budget */
};

static struct session unknown; /* link_arg() of a connection without a session: its peer is not known, or relays */

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

static struct ctl_peer peer_of(const struct link_peer *p)
{
    return (struct ctl_peer){ p->uid, p->gid, p->use == CRED_AGENT, p->node, p->via };
}

/* ---- replies ---- */

void sessions_sent(struct sessions *s, uint64_t id, size_t bytes, bool queued)
{
    struct session *at = map_get(&s->at, id);
    if (!at || !at->user)
        return;
    at->queued += queued ? bytes : 0;
    at->unread += bytes;
    at->user->unread += bytes;
}

struct link *sessions_dequeued(struct sessions *s, uint64_t id, size_t bytes)
{
    struct session *at = map_get(&s->at, id);
    if (at)
        at->queued -= MIN(at->queued, bytes);
    return at ? at->link : NULL;
}

/* What the user's commands have read meanwhile is not known before the links are asked. */
static void recount_unread(struct sessions *s, struct budget_user *u)
{
    size_t pos = 0;
    u->unread = 0;
    for (struct session *at; (at = map_next(&s->at, &pos, NULL));)
        if (at->user == u)
            u->unread += at->unread = at->queued + link_unread(at->link);
}

static int sessions_check_unread(struct sessions *s, struct budget_user *u, struct err *err)
{
    if (u && budget_out(&s->budget, u) > BUDGET_OUT_BYTES)
        recount_unread(s, u);
    return budget_reply(&s->budget, u, err);
}

/* ---- requests ---- */

/* Messages about the daemon itself rather than about the cluster. */
static void process_own(struct daemon *d, const struct session_request *r, const struct ctl_peer *peer)
{
    if (r->type == MSG_RECONFIGURE) {
        reload_reconfigure(d, r->session, r->number);
    } else if (r->type == MSG_SHUTDOWN) {
        ctl_answer(d->ctl, r->session, r->number, 0, NULL);
        daemon_stop(d);
    } else if (r->type == MSG_HISTORY) {
        history_serve_query(d, r, peer);
    } else {
        int rc = ledger_transfer(d->ledger, NULL, NULL);
        ctl_answer(d->ctl, r->session, r->number, rc, rc ? "there is no other controller that could take over" : NULL);
    }
}

static enum ctl_progress process_request(struct daemon *d, struct session_request *r)
{
    struct ctl_peer peer = peer_of(&r->peer);
    struct frame f = { r->type, r->flags, r->number, (uint8_t *)r->body, r->len };
    if (!(ctl_request_flags(r->type) & CTL_DAEMON))
        return ctl_request_slice(d->ctl, r->session, &peer, &f, &r->work);
    if (ctl_request_permitted(d->ctl, r->session, &peer, &f))
        process_own(d, r, &peer);
    return CTL_ANSWERED;
}

/* A request that its user may not afford now is answered in its place. */
static void refuse_request(struct daemon *d, const struct session_request *r, const struct err *err)
{
    struct link *c = sessions_link(&d->sessions, r->session);
    Pb__Failure f = PB__FAILURE__INIT;
    f.code = err->code;
    f.text = (char *)err->text;
    if (c)
        link_send_pb(c, MSG_FAILURE, 0, r->number, &f.base);
}

static void request_over(struct sessions *s, struct session_request *r)
{
    budget_answered(&s->budget, r->user, r->len);
    ctl_work_free(take(r->work));
    free(take(r->body));
}

static void sessions_redirect(struct daemon *d, struct link *c, uint64_t number);

/* The controller stopped leading while the request waited: its client asks the next leader. */
static bool request_redirected(struct daemon *d, const struct session_request *r)
{
    if (d->loop.leading || ctl_request_flags(r->type) & CTL_ANYWHERE)
        return false;
    struct link *c = sessions_link(&d->sessions, r->session);
    if (c)
        sessions_redirect(d, c, r->number);
    return true;
}

static void process_one(struct daemon *d, struct session_request *r)
{
    struct sessions *s = &d->sessions;
    struct err err = ERR_INIT;
    enum ctl_progress progress = CTL_ANSWERED;
    r->turn = s->budget.turn;
    if (!r->work && sessions_check_unread(s, r->user, &err))
        refuse_request(d, r, &err);
    else if (!request_redirected(d, r))
        progress = process_request(d, r);
    r->done = progress != CTL_UNFINISHED;
    if (progress == CTL_PARKED) {
        r->lookup = account_cache_begun(d->accounts);
        vec_push(&s->parked, *r);
    } else if (progress == CTL_ANSWERED) {
        request_over(s, r);
    }
}

enum pass { PASS_ADMINS, PASS_USERS, PASS_SPENT, PASSES };

/* Does the request have to wait for a later pass? */
static bool comes_later(const struct sessions *s, const struct session_request *r, enum pass pass)
{
    return r->turn == s->budget.turn || (pass == PASS_ADMINS && r->user) ||
           (pass == PASS_USERS && budget_spent(&s->budget, r->user));
}

/* Requests in their order: first of peers without a budget, then of users, and at last of users whose time is spent. */
static void process_pass(struct daemon *d, enum pass pass, int64_t *now_us, int64_t until_us)
{
    struct sessions *s = &d->sessions;
    for (size_t i = 0; i < s->queue.n && !ctl_full(d->ctl); i++) {
        struct session_request *r = &s->queue.at[i];
        if (r->done || comes_later(s, r, pass))
            continue;
        if (r->user && *now_us >= until_us)
            return;
        struct budget_user *u = r->user;
        int64_t from_us = *now_us;
        size_t said = ctl_said(d->ctl);
        process_one(d, r);
        *now_us = clock_mono_us();
        budget_spend(&s->budget, u, *now_us - from_us, ctl_said(d->ctl) - said);
    }
}

void sessions_process(struct daemon *d)
{
    struct sessions *s = &d->sessions;
    int64_t now_us = clock_mono_us(), until_us = now_us + BUDGET_TURN_US;
    size_t kept = 0;
    budget_turn(&s->budget, ctl_site(d->ctl));
    for (enum pass pass = 0; s->queue.n && pass < PASSES; pass++)
        process_pass(d, pass, &now_us, until_us);
    for (size_t i = 0; i < s->queue.n; i++)
        if (!s->queue.at[i].done)
            s->queue.at[kept++] = s->queue.at[i];
    s->queue.n = kept;
}

void sessions_unpark(struct daemon *d, uint64_t ended)
{
    struct sessions *s = &d->sessions;
    size_t kept = 0;
    for (size_t i = 0; i < s->parked.n; i++) {
        struct session_request *r = &s->parked.at[i];
        if (r->lookup > ended)
            s->parked.at[kept++] = *r;
        else if (d->loop.leading && sessions_link(s, r->session)) {
            r->done = false;
            vec_push(&s->queue, *r);
        } else
            request_over(s, r); /* the client is gone, or asks the next leader */
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
    timekeeper_peer(&d->time, id, link_peer(c)->wall_ms);
    loop_want_turn(d);
    auto_free char *address = mem_str(link_peer_address(c));
    uv_stream_t *stream = link_release(c);
    if (d->ledger)
        ledger_accept(d->ledger, id, address, stream);
    else if (stream)
        uv_close((uv_handle_t *)stream, free_stream); /* the daemon is stopping */
}

/* Many of these say the same: one line a minute. */
static void refuse_connection(struct daemon *d, struct link *c, const struct err *err)
{
    int64_t now_s = clock_mono_ms() / 1000;
    Pb__Failure f = PB__FAILURE__INIT;
    f.code = err->code;
    f.text = (char *)err->text;
    link_send_pb(c, MSG_FAILURE, 0, 0, &f.base);
    link_close(c);
    if (now_s - d->sessions.refusal_logged_s < 60)
        return;
    d->sessions.refusal_logged_s = now_s;
    log_error("connection refused uid=%u connections=%u refused=%llu: %s", link_peer(c)->uid,
              d->sessions.budget.connections, (unsigned long long)d->sessions.budget.refused, err->text);
}

static void session_begin(struct daemon *d, struct link *c)
{
    struct ctl_peer peer = peer_of(link_peer(c));
    int64_t now_s = clock_mono_ms() / 1000;
    struct err err = ERR_INIT;
    struct budget_user *u =
        ctl_has_budget(d->ctl, &peer) ? budget_user(&d->sessions.budget, peer.uid, now_s) : NULL;
    if (budget_connect(&d->sessions.budget, u, &err)) {
        refuse_connection(d, c, &err);
        return;
    }
    struct session *s = NEW(struct session);
    s->d = d;
    s->id = ++d->sessions.next;
    s->link = c;
    s->user = u;
    link_set_arg(c, s);
    map_put(&d->sessions.at, s->id, s);
}

static void on_ready(struct link *c)
{
    struct daemon *d = ((struct session *)link_arg(c))->d;
    if (link_peer(c)->use == CRED_PEER)
        accept_controller(d, c);
    else if (link_peer(c)->use != CRED_RELAY) /* its users have sessions */
        session_begin(d, c);
}

/* A long frame begins, and its user may not have room for it. */
static int on_begin(struct link *c, size_t bytes, struct err *err)
{
    struct session *s = link_arg(c);
    int rc = s->id ? budget_receive(&s->d->sessions.budget, s->user, bytes, err) : 0;
    s->partial = s->id && !rc ? bytes : 0;
    return rc;
}

static void frame_over(struct session *s)
{
    budget_received(&s->d->sessions.budget, s->user, s->partial);
    s->partial = 0;
}

static void session_end(struct session *s)
{
    struct budget *b = &s->d->sessions.budget;
    map_del(&s->d->sessions.at, s->id);
    frame_over(s);
    if (s->user)
        s->user->unread -= MIN(s->user->unread, s->unread);
    budget_disconnect(b, s->user);
    if (s->known) {
        vec_push(&s->d->sessions.closed, s->id);
        loop_want_turn(s->d);
    }
    free(s);
}

/* A machine's daemon names the user of the frames that follow (node/relay.h): each user's command is a session. */
static void relay_user(struct link *c, const struct frame *f)
{
    struct session *s = link_arg(c);
    struct daemon *d = s->d;
    struct err err = ERR_INIT;
    Pb__Relay *m = pb__relay__unpack(NULL, f->len, f->body);
    if (s->id) {
        session_end(s);
        link_set_arg(c, &unknown);
    }
    if (!m)
        err_set(&err, EBADMSG, "the name of a user does not parse");
    else if (m->end)
        link_act_for_none(c);
    else
        link_act_for(c, m->uid, m->gid, &err);
    if (err.code)
        refuse_connection(d, c, &err);
    else if (m->end)
        link_send(c, MSG_RELAY, 0, f->number, NULL, 0);
    else
        session_begin(d, c);
    if (m)
        pb__relay__free_unpacked(m, NULL);
}

static void on_frame(struct link *c, const struct frame *f)
{
    struct session *s = link_arg(c);
    if (f->type == MSG_RELAY && link_relays(c)) {
        relay_user(c, f);
        return;
    }
    if (!s->id) /* refused: it is closing; or a frame of no user */
        return;
    frame_over(s);
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
    struct err err = ERR_INIT;
    struct session_request r = { s->id, *link_peer(c), f->type, f->flags, f->number, NULL, f->len, .user = s->user };
    if (budget_request(&s->d->sessions.budget, s->user, f->len, clock_mono_ms() / 1000, &err)) {
        refuse_request(s->d, &r, &err);
        return;
    }
    r.body = mem_copy(f->body, f->len);
    vec_push(&s->d->sessions.queue, r);
    loop_want_turn(s->d);
}

static void on_closed(struct link *c, const struct err *why)
{
    struct session *s = link_arg(c);
    if (s->id)
        session_end(s);
    else if (!link_peer(c)->use)
        refusal_log(c, why);
}

static const struct link_ops ops = { on_ready, on_frame, on_closed, on_begin };

/* Users together leave room for agents, controllers, administrators and files. */
static unsigned user_connections_max(const struct site *site)
{
    struct rlimit l;
    if (getrlimit(RLIMIT_NOFILE, &l))
        return BUDGET_CONNECTIONS;
    l.rlim_cur = MIN(l.rlim_max, (rlim_t)1 << 20);
    setrlimit(RLIMIT_NOFILE, &l);
    uint64_t reserve = MIN(256 + 2 * (uint64_t)site->nnodes, l.rlim_cur / 2);
    return (unsigned)(l.rlim_cur - reserve);
}


int sessions_listen(struct daemon *d, struct err *err)
{
    const struct site *site = ctl_site(d->ctl);
    struct sessions *s = &d->sessions;
    unknown.d = d;
    budget_init(&s->budget);
    s->budget.connections_max = user_connections_max(site);
    unsigned uses = HELLO_USE(CRED_CLIENT) | HELLO_USE(CRED_AGENT) | HELLO_USE(CRED_PEER) | HELLO_USE(CRED_RELAY);
    struct link_listen_conf conf = {
        .loop = &d->uv, .key = &d->key, .ops = &ops, .arg = &unknown, .bounded = true, .uses = uses,
        .strangers_max = LINK_STRANGERS_MAX + 2 * (unsigned)site->nnodes /* all agents come at once after a failover */
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
