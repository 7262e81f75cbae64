/* link - framed connections on the loop: life, frames and the send queue; see link.h. */
#include "io/link_priv.h"

#include <endian.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "wire/bounds.h"

#define READ_ROOM 65536
#define FLUSH_BYTES (256u << 10) /* so much leaves at once, before the iteration's end */

struct write {
    uv_write_t req;
    struct link *link;
    struct send_list data;
    size_t left; /* bytes that the kernel had not taken at once */
};

static void arm_flush(struct link *l);

static bool is_closing(const struct link *l)
{
    return l->stage >= LINK_CLOSING;
}

static size_t queued(const struct link *l)
{
    return l->out.len + l->in_flight;
}

/* ---- life ---- */

struct link *link_new(uv_loop_t *loop, enum link_class class, const struct link_ops *ops, void *arg)
{
    struct link *l = NEW(struct link);
    l->loop = loop;
    l->class = class;
    l->ops = ops;
    l->arg = arg;
    uv_idle_init(loop, &l->flusher);
    uv_unref((uv_handle_t *)&l->flusher);
    l->flusher.data = l;
    l->handles = 1;
    return l;
}

union link_handle *link_handle_new(struct link *l, bool tcp)
{
    l->h = NEW(union link_handle);
    l->handles++;
    if (tcp)
        uv_tcp_init(l->loop, &l->h->tcp);
    else
        uv_pipe_init(l->loop, &l->h->pipe, 0);
    l->h->any.data = l;
    return l->h;
}

void link_handle_gone(struct link *l)
{
    if (--l->handles)
        return;
    if (l->ops && l->ops->closed)
        l->ops->closed(l, &l->why);
    buf_clear(&l->in);
    send_list_clear(&l->out);
    link_dial_free(l);
    free(l->hello);
    free(l->live);
    tls_free(l->tls);
    free(l);
}

static void own_handle_closed(uv_handle_t *h)
{
    link_handle_gone(h->data);
}

static void stream_closed(uv_handle_t *h)
{
    struct link *l = h->data;
    free(h);
    link_handle_gone(l);
}

/* Close every handle; the last one to close calls `closed`. */
static void destroy(struct link *l)
{
    if (l->stage == LINK_DEAD)
        return;
    l->stage = LINK_DEAD;
    link_door_leave(l);
    link_dial_stop(l);
    uv_close((uv_handle_t *)&l->flusher, own_handle_closed);
    if (l->timed)
        uv_close((uv_handle_t *)&l->timer, own_handle_closed);
    if (l->h)
        uv_close(&take(l->h)->any, stream_closed);
}

void link_fail(struct link *l, int code, const char *text)
{
    if (!l->why.code)
        err_set(&l->why, code, "%s", text);
    destroy(l);
}

void link_close(struct link *l)
{
    if (is_closing(l))
        return;
    if (l->stage != LINK_OPEN)
        send_list_reset(&l->out); /* queued for a peer that never was known */
    l->stage = LINK_CLOSING;
    if (!queued(l))
        destroy(l);
    else if (l->out.len)
        arm_flush(l);
}

uv_stream_t *link_release(struct link *l)
{
    uv_read_stop(&l->h->stream);
    uv_stream_t *stream = l->tls ? link_pump(l) : &l->h->stream;
    l->ops = NULL;
    if (stream) {
        l->h = NULL;
        l->handles--;
    }
    destroy(l);
    return stream;
}

/* ---- the hello exchange's deadline ---- */

static void on_deadline(uv_timer_t *t)
{
    struct link *l = t->data;
    bool connected = l->stage != LINK_CONNECTING;
    link_fail(l, ETIMEDOUT, connected ? "the peer did not show its identity in time" : "the connection took too long");
}

static void timer_start(struct link *l, uint64_t ms)
{
    if (!l->timed) {
        l->timed = true;
        l->handles++;
        uv_timer_init(l->loop, &l->timer);
        l->timer.data = l;
    }
    uv_timer_start(&l->timer, on_deadline, ms, 0);
}

void link_deadline(struct link *l)
{
    if (link_limits[l->class].hello_ms)
        timer_start(l, link_limits[l->class].hello_ms);
}

void link_deadline_within(struct link *l, uint64_t ms)
{
    uint32_t limit_ms = link_limits[l->class].hello_ms;
    timer_start(l, limit_ms ? MIN(limit_ms, ms) : ms);
}

/* ---- sending ---- */

#define FEED_BYTES ((size_t)1 << 20) /* so many wait for a link: its feeder is not read until half of them are gone */

static void hold_or_go_on(struct link *from, bool hold)
{
    if (from->held == hold || from->stage != LINK_OPEN)
        return;
    from->held = hold;
    if (hold)
        uv_read_stop(&from->h->stream);
    else if (!from->paused)
        link_read_start(from);
}

static void throttle_feeder(struct link *l)
{
    if (l->feeder && queued(l) > FEED_BYTES)
        hold_or_go_on(l->feeder, true);
    else if (l->feeder && queued(l) <= FEED_BYTES / 2)
        hold_or_go_on(l->feeder, false);
}

void link_feed(struct link *to, struct link *from)
{
    if (to->feeder)
        hold_or_go_on(to->feeder, false);
    to->feeder = from;
    throttle_feeder(to);
}

/* A peer that asks and does not take the answers is not read any further until it has taken half of them. */
static void pause_or_resume(struct link *l)
{
    size_t limit = link_limits[l->class].pause_at;
    throttle_feeder(l);
    if (!limit || l->stage != LINK_OPEN)
        return;
    if (!l->paused && queued(l) > limit) {
        l->paused = true;
        uv_read_stop(&l->h->stream);
    } else if (l->paused && queued(l) <= limit / 2) {
        l->paused = false;
        if (!l->held)
            link_read_start(l);
    }
}

static void on_written(uv_write_t *req, int status)
{
    struct write *w = req->data;
    struct link *l = w->link;
    l->writes--;
    l->in_flight -= w->left;
    send_list_clear(&w->data);
    free(w);
    if (status < 0 && status != UV_ECANCELED)
        link_fail(l, -status, uv_strerror(status));
    else if (l->stage == LINK_CLOSING && !queued(l))
        destroy(l);
    else
        pause_or_resume(l);
}

/* The kernel took `gone` bytes; libuv writes the rest when the peer has made room. */
static void write_rest(struct link *l, uv_buf_t *pieces, size_t gone)
{
    struct write *w = NEW(struct write);
    w->link = l;
    w->data = l->out;
    w->left = w->data.len - gone;
    w->req.data = w;
    l->out = (struct send_list){ 0 };
    int rc = uv_write(&w->req, &l->h->stream, pieces, send_list_pieces(&w->data, gone, pieces), on_written);
    if (rc) {
        send_list_clear(&w->data);
        free(w);
        link_fail(l, -rc, uv_strerror(rc));
        return;
    }
    l->writes++;
    l->in_flight += w->left;
}

/* Write the list as it is. */
static void write_out(struct link *l)
{
    size_t gone = 0;
    uv_buf_t few[16];
    size_t count = send_list_count(&l->out);
    auto_free uv_buf_t *many = count > ARRAY_LEN(few) ? mem_array(count, sizeof(*many)) : NULL;
    uv_buf_t *pieces = many ? many : few;
    if (!l->writes) {
        int n = uv_try_write(&l->h->stream, pieces, send_list_pieces(&l->out, 0, pieces));
        if (n < 0 && n != UV_EAGAIN) {
            link_fail(l, -n, uv_strerror(n));
            return;
        }
        gone = n > 0 ? (size_t)n : 0;
    }
    if (gone < l->out.len) {
        write_rest(l, pieces, gone);
        return;
    }
    send_list_reset(&l->out);
    if (l->stage == LINK_CLOSING && !l->writes)
        destroy(l);
}

/* Put TLS records in the place of the list's bytes. */
static bool seal(struct link *l)
{
    uv_buf_t few[16];
    size_t count = send_list_count(&l->out), n;
    auto_free uv_buf_t *many = count > ARRAY_LEN(few) ? mem_array(count, sizeof(*many)) : NULL;
    uv_buf_t *pieces = many ? many : few;
    unsigned k = send_list_pieces(&l->out, 0, pieces);
    for (unsigned i = 0; i < k; i++)
        if (tls_write(l->tls, pieces[i].base, pieces[i].len, &n, NULL))
            return false;
    send_list_clear(&l->out);
    l->out.own = *tls_out(l->tls);
    l->out.len = l->out.own.len;
    *tls_out(l->tls) = (struct buf)BUF_INIT;
    return true;
}

static void flush(struct link *l)
{
    l->flush_armed = false;
    uv_idle_stop(&l->flusher);
    if (l->stage == LINK_DEAD || !l->out.len)
        return;
    if (l->tls && !seal(l))
        link_fail(l, EPROTO, "TLS cannot send");
    else
        write_out(l);
    throttle_feeder(l);
}

static void on_idle(uv_idle_t *h)
{
    flush(h->data);
}

/* An active idle handle keeps the loop from sleeping: small frames of an iteration leave together at its end. */
static void arm_flush(struct link *l)
{
    if (l->flush_armed || l->stage == LINK_CONNECTING || l->stage == LINK_DEAD)
        return;
    l->flush_armed = true;
    uv_idle_start(&l->flusher, on_idle);
}

static void sent(struct link *l)
{
    const struct link_limits *limits = &link_limits[l->class];
    if (queued(l) > limits->queue_max) {
        struct err why = ERR_INIT;
        err_set(&why, ENOBUFS, "the %s does not take what it is sent: %zu bytes wait", limits->name, queued(l));
        link_fail(l, why.code, why.text);
    } else if (l->stage == LINK_OPEN && l->out.len > FLUSH_BYTES) {
        flush(l);
        pause_or_resume(l);
    } else if (l->stage == LINK_CONNECTING || l->stage == LINK_HELLO) {
        throttle_feeder(l);
    } else if (l->stage == LINK_OPEN) {
        arm_flush(l);
    }
}

void link_send(struct link *l, enum msg_type type, uint16_t flags, uint64_t number, const void *body, size_t len)
{
    if (is_closing(l))
        return;
    frame_add(send_list_own(&l->out, FRAME_HEADER + len), type, flags, number, body, len);
    sent(l);
}

void link_send_pb(struct link *l, enum msg_type type, uint16_t flags, uint64_t number, const ProtobufCMessage *msg)
{
    if (is_closing(l))
        return;
    size_t before = l->out.own.len;
    frame_add_pb(&l->out.own, type, flags, number, msg);
    l->out.len += l->out.own.len - before;
    sent(l);
}

void link_send_shared(struct link *l, enum msg_type type, uint16_t flags, uint64_t number, struct shared_buf *body)
{
    if (is_closing(l))
        return;
    frame_add_header(send_list_own(&l->out, FRAME_HEADER), type, flags, number, body->len);
    send_list_share(&l->out, body);
    sent(l);
}

void link_flush(struct link *l)
{
    if (l->stage == LINK_OPEN || l->stage == LINK_CLOSING)
        flush(l);
}

/* ---- the hello exchange ---- */

void link_open(struct link *l)
{
    if (l->timed)
        uv_timer_stop(&l->timer);
    l->stage = LINK_OPEN;
    if (l->live)
        link_watch_opened(l);
    if (l->ops->ready)
        l->ops->ready(l);
    free(take(l->hello));
    if (l->stage == LINK_OPEN && l->out.len)
        arm_flush(l);
}

/* Bytes of the exchange leave alone: what callers queued stays until the link is open. */
static void say_now(struct link *l, const struct buf *bytes, void (*send)(struct link *l))
{
    struct send_list later = l->out;
    l->out = (struct send_list){ 0 };
    buf_add(send_list_own(&l->out, bytes->len), bytes->s, bytes->len);
    send(l);
    send_list_clear(&l->out);
    l->out = later;
}

static void say_hello(struct link *l, const struct buf *bytes)
{
    say_now(l, bytes, flush);
}

void link_hello_start(struct link *l, const struct buf *first)
{
    l->stage = LINK_HELLO;
    if (first->len)
        say_hello(l, first);
    if (l->stage == LINK_HELLO)
        link_read_start(l);
}

/* The exchange is over; `rest` bytes came behind it. */
static void hello_opened(struct link *l, size_t rest)
{
    int fd;
    link_door_leave(l);
    if (l->class == LINK_STRANGER) {
        l->peer = l->hello->peer;
        l->class = link_peer_class(&l->peer);
        l->relays = l->peer.use == CRED_RELAY;
        if (!uv_fileno(&l->h->any, &fd))
            link_sock_tune(fd, l->class);
    }
    if (l->class == LINK_RAFT && rest)
        link_fail(l, EPROTO, "the peer sent bytes before it was accepted"); /* libraft would miss them */
    else
        link_open(l);
}

static size_t step_hello(struct link *l, const char *p, size_t len)
{
    auto_buf struct buf out = BUF_INIT;
    struct err err = ERR_INIT;
    size_t used;
    enum hello_verdict v = hello_step(l->hello, p, len, &used, clock_cluster_ms(), &out, &err);
    if (out.len)
        say_hello(l, &out);
    if (l->stage != LINK_HELLO)
        return used;
    if (v == HELLO_OPEN) {
        hello_opened(l, len - used);
    } else if (v != HELLO_MORE) { /* a refusal leaves before the link closes */
        l->why = err;
        link_close(l);
    }
    return used;
}

/* ---- TLS ---- */

/* Records that TLS itself has to send: of the handshake, alerts. */
static void send_records(struct link *l)
{
    struct buf *out = tls_out(l->tls);
    if (!out->len || l->stage == LINK_DEAD)
        return;
    say_now(l, out, write_out);
    buf_reset(out);
}

/* The handshake is over: the exchange runs inside. */
static void tls_opened(struct link *l)
{
    auto_buf struct buf challenge = BUF_INIT;
    uint8_t binding[CRED_BINDING_LEN], nonce[CRED_NONCE_LEN];
    if (!l->hello) {
        link_open(l);
        return;
    }
    tls_binding(l->tls, binding);
    if (l->class == LINK_STRANGER) { /* accepted: this is the server */
        cred_random(nonce, sizeof(nonce));
        hello_serve(l->hello, l->hello->key, l->hello->uses, nonce, &challenge);
    }
    hello_bind(l->hello, binding);
    if (challenge.len)
        say_hello(l, &challenge);
}

/* False: there is nothing to read yet. */
static bool tls_step(struct link *l)
{
    struct err err = ERR_INIT;
    if (tls_is_open(l->tls))
        return true;
    int rc = tls_handshake(l->tls, &err);
    send_records(l);
    if (rc && rc != EAGAIN)
        link_fail(l, err.code, err.text);
    else if (!rc && l->stage == LINK_HELLO)
        tls_opened(l);
    return !rc;
}

void link_tls_start(struct link *l)
{
    l->stage = LINK_HELLO;
    if (!tls_step(l) && l->stage == LINK_HELLO)
        link_read_start(l);
}

/* ---- receiving ---- */

/* A message that would cost more than its type may is answered undecoded. */
static void refuse_frame(struct link *l, const struct frame *f, const struct err *why)
{
    Pb__Failure failure = PB__FAILURE__INIT;
    failure.code = why->code;
    failure.text = (char *)why->text;
    link_send_pb(l, MSG_FAILURE, 0, f->number, &failure.base);
}

/* The frame at `p` is not complete: its owner decides whether room may be made for it. */
static void announce(struct link *l, const char *p)
{
    struct err err = ERR_INIT;
    uint32_t body;
    memcpy(&body, p, sizeof(body));
    body = le32toh(body);
    if (l->begun || body <= READ_ROOM || !l->ops->begin)
        return;
    l->begun = body;
    if (!l->ops->begin(l, body, &err))
        return;
    refuse_frame(l, &(struct frame){ .number = 0 }, &err);
    link_close(l);
}

/* Deliver the next message of these bytes; its length, 0: more bytes are needed. */
static size_t deliver(struct link *l, const char *p, size_t len)
{
    struct frame f;
    struct err err = ERR_INIT;
    size_t used;
    if (l->stage == LINK_HELLO)
        return step_hello(l, p, len);
    uint32_t most = link_limits[l->class].frame_max;
    if (l->bounded && l->class == LINK_CLIENT)
        most = MIN(most, bounds_user_bytes(p, len));
    int rc = frame_find(p, len, most, &f, &used, &err);
    if (rc < 0)
        link_fail(l, err.code, err.text);
    else if (!rc && len >= FRAME_HEADER)
        announce(l, p);
    if (rc <= 0)
        return 0;
    l->begun = 0;
    if (bounds_check_frame(&f, &err))
        refuse_frame(l, &f, &err);
    else if (!link_watch_heard(l, &f))
        l->ops->frame(l, &f);
    return used;
}

/* Deliver all whole messages among these bytes; how many bytes they were. */
static size_t drain(struct link *l, const char *p, size_t len)
{
    size_t at = 0;
    for (size_t used = 1; used && at < len && !is_closing(l); at += used)
        used = deliver(l, p + at, len - at);
    return at;
}

/* Links without a partial frame share one buffer: thousands of quiet connections need no room each. */
static char shared[READ_ROOM];

static void on_alloc(uv_handle_t *h, size_t hint, uv_buf_t *b)
{
    struct link *l = h->data;
    if (!l->in.len || l->tls) {
        *b = uv_buf_init(shared, sizeof(shared));
        return;
    }
    char *at = buf_room(&l->in, READ_ROOM);
    *b = uv_buf_init(at, (unsigned)(l->in.cap - l->in.len - 1));
}

static void take_bytes(struct link *l, const char *p, size_t n)
{
    size_t used = drain(l, p, n);
    if (!is_closing(l) && used < n)
        buf_add(&l->in, p + used, n - used);
}

static void take_more(struct link *l)
{
    size_t used = drain(l, l->in.s, l->in.len);
    if (is_closing(l))
        return;
    if (used == l->in.len)
        buf_clear(&l->in);
    else
        buf_cut(&l->in, used);
}

/* Records came: deliver what is in them. */
static void take_records(struct link *l, const char *p, size_t len)
{
    static char plain[TLS_RECORD];
    struct err err = ERR_INIT;
    size_t n;
    int rc = 0;
    tls_feed(l->tls, p, len);
    if (!tls_step(l))
        return;
    while (!is_closing(l) && !(rc = tls_read(l->tls, plain, sizeof(plain), &n, &err))) {
        if (l->in.len) {
            buf_add(&l->in, plain, n);
            take_more(l);
        } else {
            take_bytes(l, plain, n);
        }
    }
    if (is_closing(l))
        return;
    send_records(l);
    if (rc != EAGAIN)
        link_fail(l, err.code, err.code == ECONNRESET ? "the peer closed the connection" : err.text);
}

static void on_read(uv_stream_t *s, ssize_t n, const uv_buf_t *b)
{
    struct link *l = s->data;
    if (n < 0)
        link_fail(l, n == UV_EOF ? ECONNRESET : (int)-n,
                  n == UV_EOF ? "the peer closed the connection" : uv_strerror((int)n));
    else if (l->tls)
        take_records(l, shared, (size_t)n);
    else if (b->base == shared)
        take_bytes(l, shared, (size_t)n);
    else {
        l->in.len += (size_t)n;
        take_more(l);
    }
}

bool link_read_start(struct link *l)
{
    int rc = uv_read_start(&l->h->stream, on_alloc, on_read);
    if (rc)
        link_fail(l, -rc, uv_strerror(rc));
    return !rc;
}

/* ---- questions ---- */

const struct link_peer *link_peer(const struct link *l)
{
    return &l->peer;
}
const char *link_remote(const struct link *l)
{
    return l->remote;
}
const char *link_claimed(const struct link *l)
{
    return l->hello && l->hello->claimed[0] ? l->hello->claimed : "nothing";
}
void *link_arg(const struct link *l)
{
    return l->arg;
}
void link_set_arg(struct link *l, void *arg)
{
    l->arg = arg;
}
bool link_closing(const struct link *l)
{
    return is_closing(l);
}
size_t link_unread(const struct link *l)
{
    return queued(l);
}
const char *link_peer_address(const struct link *l)
{
    return l->hello ? l->hello->address : "";
}
