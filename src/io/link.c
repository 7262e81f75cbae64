/* link - framed connections on the loop; see link.h. */
#include "io/link.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "io/send_list.h"

enum stage {
    STAGE_CONNECTING,
    STAGE_CHALLENGE, /* we are the client: the server's challenge comes first */
    STAGE_HELLO,     /* we are the server: the peer has yet to say who it is */
    STAGE_OPEN,
    STAGE_CLOSING,
};

struct link {
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_tcp_t tcp;
        uv_pipe_t pipe;
    } * h; /* on its own: a raft peer's stream outlives the link */
    uv_loop_t *loop;
    enum stage stage;
    const struct link_ops *ops;
    void *arg;
    struct link_listen_conf server; /* a copy: who listens may stop before the peer has said who it is */
    struct link_hello hello;
    struct link_peer peer;
    uint8_t nonce[CRED_NONCE_LEN];
    struct buf in;
    struct send_list out; /* gathered in this turn of the loop */
    uv_idle_t flusher;  /* sends what a turn gathered in one write */
    bool flush_armed, in_callback, dead, ready;
    unsigned writes;
    size_t in_flight;
    struct err why;
    uv_connect_t connect;
    uv_timer_t *deadline; /* a peer that does not say who it is */
};

struct link_listener {
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_tcp_t tcp;
        uv_pipe_t pipe;
    } h;
    struct link_listen_conf conf;
    bool unix_socket;
    char path[108];
};

struct write {
    uv_write_t req;
    struct link *c;
    struct send_list data;
    size_t left; /* what the kernel had not taken at once */
};

#define HELLO_TIMEOUT_MS 10000
#define READ_ROOM 65536

/* ---- closing ---- */

static void link_free(struct link *c)
{
    buf_clear(&c->in);
    send_list_clear(&c->out);
    free(c);
}

static void flusher_closed(uv_handle_t *h)
{
    struct link *c = h->data;
    if (c->ops && c->ops->closed)
        c->ops->closed(c, &c->why);
    link_free(c);
}

static void handle_closed(uv_handle_t *h)
{
    struct link *c = h->data;
    free(h);
    c->h = NULL;
    uv_close((uv_handle_t *)&c->flusher, flusher_closed);
}

static void timer_closed(uv_handle_t *h)
{
    free(h);
}

static void drop_deadline(struct link *c)
{
    if (c->deadline)
        uv_close((uv_handle_t *)take(c->deadline), timer_closed);
}

static void destroy(struct link *c)
{
    if (c->dead)
        return;
    c->dead = true;
    c->stage = STAGE_CLOSING;
    drop_deadline(c);
    uv_idle_stop(&c->flusher);
    uv_close(&c->h->handle, handle_closed);
}

static void fail(struct link *c, int code, const char *text)
{
    if (!c->why.code)
        err_set(&c->why, code, "%s", text);
    destroy(c);
}

/* ---- writing ---- */

static void written(uv_write_t *req, int status)
{
    struct write *w = req->data;
    struct link *c = w->c;
    c->writes--;
    c->in_flight -= w->left;
    send_list_clear(&w->data);
    free(w);
    if (status < 0 && status != UV_ECANCELED)
        fail(c, -status, uv_strerror(status));
    else if (c->stage == STAGE_CLOSING && !c->writes && !c->out.len)
        destroy(c);
}

/* The loop writes the rest when the peer has taken what is there. */
static void write_later(struct link *c, uv_buf_t *b, size_t gone)
{
    struct write *w = NEW(struct write);
    w->c = c;
    w->data = c->out;
    w->left = w->data.len - gone;
    w->req.data = w;
    c->out = (struct send_list){ 0 };
    c->writes++;
    c->in_flight += w->left;
    unsigned n = send_list_pieces(&w->data, gone, b);
    uv_write(&w->req, &c->h->stream, b, n, written);
}

static void flush(struct link *c)
{
    size_t gone = 0;
    c->flush_armed = false;
    uv_idle_stop(&c->flusher);
    if (c->dead || !c->out.len)
        return;
    uv_buf_t few[16];
    size_t count = send_list_count(&c->out);
    auto_free uv_buf_t *many = count > ARRAY_LEN(few) ? mem_array(count, sizeof(*many)) : NULL;
    uv_buf_t *b = many ? many : few;
    if (!c->writes) {
        int n = uv_try_write(&c->h->stream, b, send_list_pieces(&c->out, 0, b));
        if (n < 0 && n != UV_EAGAIN) {
            fail(c, -n, uv_strerror(n));
            return;
        }
        gone = n > 0 ? (size_t)n : 0;
    }
    if (gone < c->out.len) {
        write_later(c, b, gone);
        return;
    }
    send_list_reset(&c->out);
    if (c->stage == STAGE_CLOSING && !c->writes)
        destroy(c);
}

static void flush_turn(uv_idle_t *h)
{
    flush(h->data);
}

static void arm(struct link *c)
{
    if (c->flush_armed || c->stage == STAGE_CONNECTING)
        return;
    c->flush_armed = true;
    uv_idle_start(&c->flusher, flush_turn);
}

/* An armed idle handle keeps the loop from sleeping, so small frames leave together, soon; big batches go at once. */
static void sent(struct link *c)
{
    if (c->out.len > 256 * 1024 && c->stage == STAGE_OPEN)
        flush(c);
    else
        arm(c);
}

void link_send(struct link *c, enum msg_type type, uint16_t flags, uint64_t number, const void *body, size_t len)
{
    if (c->dead || c->stage == STAGE_CLOSING)
        return;
    frame_add(send_list_own(&c->out, FRAME_HEADER + len), type, flags, number, body, len);
    sent(c);
}

void link_send_pb(struct link *c, enum msg_type type, uint16_t flags, uint64_t number, const ProtobufCMessage *msg)
{
    if (c->dead || c->stage == STAGE_CLOSING)
        return;
    size_t before = c->out.own.len;
    frame_add_pb(&c->out.own, type, flags, number, msg);
    c->out.len += c->out.own.len - before;
    sent(c);
}

void link_send_shared(struct link *c, enum msg_type type, uint16_t flags, uint64_t number, struct shared_buf *shared)
{
    if (c->dead || c->stage == STAGE_CLOSING)
        return;
    frame_add_header(send_list_own(&c->out, FRAME_HEADER), type, flags, number, shared->len);
    send_list_hang(&c->out, shared);
    sent(c);
}

void link_flush(struct link *c)
{
    if (c->flush_armed)
        flush(c);
}

void link_close(struct link *c)
{
    if (c->dead || c->stage == STAGE_CLOSING)
        return;
    bool connected = c->stage != STAGE_CONNECTING;
    c->stage = STAGE_CLOSING;
    if (connected && (c->out.len || c->writes))
        arm(c);
    else
        destroy(c);
}

/* ---- who is it ---- */

static void open_up(struct link *c)
{
    drop_deadline(c);
    c->stage = STAGE_OPEN;
    c->ready = true;
    if (c->ops->ready)
        c->ops->ready(c);
    if (c->out.len && !c->dead)
        arm(c);
}

/* The stream leaves us for raft: the link goes, the handle stays. */
static void hand_to_raft(struct link *c, const char *address)
{
    struct link_listen_conf conf = c->server;
    uv_stream_t *stream = &c->h->stream;
    uv_read_stop(stream);
    drop_deadline(c);
    c->h = NULL;
    c->dead = true;
    c->stage = STAGE_CLOSING;
    c->ops = NULL;
    uv_idle_stop(&c->flusher);
    uv_close((uv_handle_t *)&c->flusher, flusher_closed);
    conf.raft_peer(conf.arg, c->peer.raft_id, address, stream);
}

static void refuse(struct link *c, const struct err *err)
{
    Pb__Failure f = PB__FAILURE__INIT;
    f.code = err->code;
    f.text = (char *)err->text;
    link_send_pb(c, MSG_FAILURE, 0, 0, &f.base);
    c->why = *err;
    link_close(c);
}

static void hear_hello(struct link *c, const struct frame *f)
{
    struct err err = ERR_INIT;
    Pb__Hello *hello = f->type == MSG_HELLO ? pb__hello__unpack(NULL, f->len, f->body) : NULL;
    if (!hello) {
        err_set(&err, EACCES, "a connection must begin with a credential");
        refuse(c, &err);
        return;
    }
    static const enum cred_use uses[] = { CRED_CLIENT, CRED_AGENT, CRED_PEER };
    Pb__Cred *cred = NULL;
    for (size_t i = 0; i < ARRAY_LEN(uses) && !cred; i++)
        if (i == 0 || (hello->cred && cred_verify(c->server.key, uses[i], hello->cred)))
            cred = cred_open(c->server.key, hello->cred, uses[i], c->nonce, clock_wall_ms(), &err);
    if (!cred) {
        refuse(c, &err);
    } else {
        c->peer = (struct link_peer){ cred->uid, cred->gid, (enum cred_use)cred->use, "", cred->raft_id, false };
        strncpy(c->peer.node, str_or(cred->node, ""), sizeof(c->peer.node) - 1);
        if (c->peer.use != CRED_PEER) {
            open_up(c);
        } else if (c->server.raft_peer) {
            hand_to_raft(c, hello->address);
        } else {
            err_set(&err, EACCES, "controllers are not welcome here");
            refuse(c, &err);
        }
        pb__cred__free_unpacked(cred, NULL);
    }
    pb__hello__free_unpacked(hello, NULL);
}

static void hear_challenge(struct link *c, const struct frame *f)
{
    Pb__Challenge *ch = f->type == MSG_CHALLENGE ? pb__challenge__unpack(NULL, f->len, f->body) : NULL;
    if (!ch || ch->nonce.len != CRED_NONCE_LEN) {
        fail(c, EPROTO, "the other side does not speak our protocol");
    } else {
        Pb__Cred cred = PB__CRED__INIT;
        cred.uid = getuid();
        cred.gid = getgid();
        cred.issued_ms = clock_wall_ms();
        cred.expires_ms = cred.issued_ms + CRED_TTL_MS;
        cred.nonce = ch->nonce;
        cred.use = c->hello.use;
        cred.node = (char *)c->hello.node;
        auto_buf struct buf s = BUF_INIT;
        cred_make(c->hello.key, &cred, &s);
        Pb__Hello hello = PB__HELLO__INIT;
        hello.version = SPUR_VERSION;
        hello.cred = pb__signed__unpack(NULL, s.len, (uint8_t *)s.s);
        /* What was queued before the connection stood comes after the hello. */
        auto_buf struct buf said = BUF_INIT;
        frame_add_pb(&said, MSG_HELLO, 0, 0, &hello.base);
        send_list_before(&c->out, said.s, said.len);
        pb__signed__free_unpacked(hello.cred, NULL);
        open_up(c);
    }
    if (ch)
        pb__challenge__free_unpacked(ch, NULL);
}

/* ---- reading ---- */

static void deliver(struct link *c, const struct frame *f)
{
    if (c->stage == STAGE_HELLO)
        hear_hello(c, f);
    else if (c->stage == STAGE_CHALLENGE)
        hear_challenge(c, f);
    else if (c->stage == STAGE_OPEN)
        c->ops->frame(c, f);
}

/* Deliver the whole frames among these bytes; how many bytes they were. */
static size_t drain(struct link *c, const char *p, size_t len)
{
    size_t at = 0;
    while (!c->dead && c->stage != STAGE_CLOSING) {
        struct frame f;
        size_t used;
        int rc = frame_find(p + at, len - at, c->stage == STAGE_OPEN ? FRAME_MAX : FRAME_MAX_HELLO, &f,
                            &used, &c->why);
        if (rc < 0) {
            fail(c, EMSGSIZE, c->why.text);
            break;
        }
        if (!rc)
            break;
        deliver(c, &f);
        at += used;
    }
    return at;
}

/* Whoever has nothing half read shares one buffer with all others: thousands of quiet connections need no room each. */
static char shared[READ_ROOM];

static void give_room(uv_handle_t *h, size_t hint, uv_buf_t *b)
{
    struct link *c = h->data;
    if (!c->in.len) {
        *b = uv_buf_init(shared, sizeof(shared));
        return;
    }
    char *at = buf_room(&c->in, READ_ROOM);
    *b = uv_buf_init(at, (unsigned)(c->in.cap - c->in.len - 1));
}

static void got_shared(struct link *c, size_t n)
{
    size_t used = drain(c, shared, n);
    if (c->stage != STAGE_CLOSING && used < n)
        buf_add(&c->in, shared + used, n - used);
}

static void got_more(struct link *c, size_t n)
{
    c->in.len += n;
    size_t used = drain(c, c->in.s, c->in.len);
    if (!c->dead && used == c->in.len)
        buf_clear(&c->in);
    else if (!c->dead)
        buf_cut(&c->in, used);
}

static void got(uv_stream_t *s, ssize_t n, const uv_buf_t *b)
{
    struct link *c = s->data;
    if (n < 0) {
        fail(c, n == UV_EOF ? ECONNRESET : (int)-n,
             n == UV_EOF ? "the other side closed the connection" : uv_strerror((int)n));
        return;
    }
    if (b->base == shared)
        got_shared(c, (size_t)n);
    else
        got_more(c, (size_t)n);
}

static struct link *link_new(uv_loop_t *loop, const struct link_ops *ops, void *arg)
{
    struct link *c = NEW(struct link);
    c->h = mem_alloc(sizeof(*c->h));
    c->loop = loop;
    c->ops = ops;
    c->arg = arg;
    uv_idle_init(loop, &c->flusher);
    c->flusher.data = c;
    uv_unref((uv_handle_t *)&c->flusher);
    return c;
}

static void start_reading(struct link *c)
{
    c->h->handle.data = c;
    uv_read_start(&c->h->stream, give_room, got);
}

static void too_late(uv_timer_t *t)
{
    fail(t->data, ETIMEDOUT, "the peer did not say in time who it is");
}

static void set_deadline(struct link *c)
{
    c->deadline = NEW(uv_timer_t);
    uv_timer_init(c->loop, c->deadline);
    c->deadline->data = c;
    uv_timer_start(c->deadline, too_late, HELLO_TIMEOUT_MS, 0);
}

/* ---- being connected to ---- */

static void accept_unix(struct link *c)
{
    struct ucred u;
    socklen_t len = sizeof(u);
    uv_os_fd_t fd;
    if (uv_fileno(&c->h->handle, &fd) || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &u, &len)) {
        fail(c, errno, "cannot tell who the peer is");
        return;
    }
    c->peer = (struct link_peer){ .uid = u.uid, .gid = u.gid, .use = CRED_CLIENT, .local = true };
    open_up(c);
}

static void accept_tcp(struct link *c)
{
    uv_tcp_nodelay(&c->h->tcp, 1);
    uv_tcp_keepalive(&c->h->tcp, 1, 30);
    c->stage = STAGE_HELLO;
    cred_random(c->nonce, sizeof(c->nonce));
    Pb__Challenge ch = PB__CHALLENGE__INIT;
    ch.nonce.data = c->nonce;
    ch.nonce.len = sizeof(c->nonce);
    ch.version = SPUR_VERSION;
    link_send_pb(c, MSG_CHALLENGE, 0, 0, &ch.base);
    flush(c);
    set_deadline(c);
}

static void accepted(uv_stream_t *s, int status)
{
    struct link_listener *srv = CONTAINER_OF(s, struct link_listener, h.stream);
    if (status < 0)
        return;
    struct link *c = link_new(srv->conf.loop, srv->conf.ops, srv->conf.arg);
    c->server = srv->conf;
    if (srv->unix_socket)
        uv_pipe_init(c->loop, &c->h->pipe, 0);
    else
        uv_tcp_init(c->loop, &c->h->tcp);
    c->h->handle.data = c;
    if (uv_accept(s, &c->h->stream)) {
        fail(c, ECONNABORTED, "cannot accept");
        return;
    }
    start_reading(c);
    if (srv->unix_socket)
        accept_unix(c);
    else
        accept_tcp(c);
}

int link_listen_unix(struct link_listener **out, const struct link_listen_conf *conf, const char *path, struct err *err)
{
    struct link_listener *s = NEW(struct link_listener);
    if (strlen(path) >= sizeof(s->path)) {
        free(s);
        return err_set(err, ENAMETOOLONG, "the socket path %s is longer than %zu bytes", path, sizeof(s->path) - 1);
    }
    s->conf = *conf;
    s->unix_socket = true;
    strcpy(s->path, path);
    unlink(path);
    uv_pipe_init(conf->loop, &s->h.pipe, 0);
    int rc = uv_pipe_bind(&s->h.pipe, path);
    if (!rc)
        rc = chmod(path, 0777) ? -errno : uv_listen(&s->h.stream, 1024, accepted);
    if (rc) {
        err_set(err, -rc, "cannot listen on %s: %s", path, uv_strerror(rc));
        link_listener_close(s);
        return -rc;
    }
    *out = s;
    return 0;
}

static int resolve(const char *host, uint16_t port, struct sockaddr_storage *out)
{
    char service[8];
    snprintf(service, sizeof(service), "%u", port);
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV | (host ? 0 : AI_PASSIVE) }, *list;
    if (getaddrinfo(host, service, &hints, &list))
        return EHOSTUNREACH;
    memcpy(out, list->ai_addr, list->ai_addrlen);
    freeaddrinfo(list);
    return 0;
}

int link_listen_tcp(struct link_listener **out, const struct link_listen_conf *conf, const char *host, uint16_t port,
                      struct err *err)
{
    struct sockaddr_storage addr;
    if (resolve(host, port, &addr))
        return err_set(err, EHOSTUNREACH, "cannot find the address of %s", host);
    struct link_listener *s = NEW(struct link_listener);
    s->conf = *conf;
    uv_tcp_init(conf->loop, &s->h.tcp);
    int rc = uv_tcp_bind(&s->h.tcp, (struct sockaddr *)&addr, 0);
    if (!rc)
        rc = uv_listen(&s->h.stream, 1024, accepted);
    if (rc) {
        err_set(err, -rc, "cannot listen on %s:%u: %s", str_or(host, "*"), port, uv_strerror(rc));
        link_listener_close(s);
        return -rc;
    }
    *out = s;
    return 0;
}

static void server_closed(uv_handle_t *h)
{
    free(CONTAINER_OF(h, struct link_listener, h.handle));
}

void link_listener_close(struct link_listener *s)
{
    if (s)
        uv_close(&s->h.handle, server_closed);
}

/* ---- connecting ---- */

static void connected(uv_connect_t *req, int status)
{
    struct link *c = req->data;
    if (c->dead)
        return;
    if (status < 0) {
        fail(c, -status, uv_strerror(status));
        return;
    }
    if (c->stage == STAGE_CLOSING) {
        destroy(c);
        return;
    }
    start_reading(c);
    if (c->hello.key) {
        uv_tcp_nodelay(&c->h->tcp, 1);
        uv_tcp_keepalive(&c->h->tcp, 1, 30);
        c->stage = STAGE_CHALLENGE;
        set_deadline(c);
    } else {
        c->peer.local = true;
        open_up(c);
    }
}

struct link *link_connect_tcp(uv_loop_t *loop, const char *host, uint16_t port, const struct link_hello *hello,
                              const struct link_ops *ops, void *arg)
{
    struct link *c = link_new(loop, ops, arg);
    struct sockaddr_storage addr;
    c->hello = *hello;
    c->connect.data = c;
    uv_tcp_init(loop, &c->h->tcp);
    c->h->handle.data = c;
    int rc = resolve(host, port, &addr) ? UV_EAI_NONAME
                                        : uv_tcp_connect(&c->connect, &c->h->tcp, (struct sockaddr *)&addr, connected);
    if (rc)
        fail(c, EHOSTUNREACH, uv_strerror(rc));
    return c;
}

struct link *link_connect_unix(uv_loop_t *loop, const char *path, const struct link_ops *ops, void *arg)
{
    struct link *c = link_new(loop, ops, arg);
    c->connect.data = c;
    uv_pipe_init(loop, &c->h->pipe, 0);
    c->h->handle.data = c;
    uv_pipe_connect(&c->connect, &c->h->pipe, path, connected);
    return c;
}

struct link *link_from_fd(uv_loop_t *loop, int fd, const struct link_ops *ops, void *arg)
{
    struct link *c = link_new(loop, ops, arg);
    uv_pipe_init(loop, &c->h->pipe, 0);
    c->h->handle.data = c;
    int rc = uv_pipe_open(&c->h->pipe, fd);
    if (rc) {
        fail(c, -rc, uv_strerror(rc));
        return c;
    }
    c->peer.local = true;
    c->stage = STAGE_OPEN;
    c->ready = true;
    start_reading(c);
    return c;
}

const struct link_peer *link_peer(const struct link *c)
{
    return &c->peer;
}
void *link_arg(const struct link *c)
{
    return c->arg;
}
void link_set_arg(struct link *c, void *arg)
{
    c->arg = arg;
}
size_t link_queued(const struct link *c)
{
    return c->out.len + c->in_flight;
}
bool link_closing(const struct link *c)
{
    return c->dead || c->stage == STAGE_CLOSING;
}
