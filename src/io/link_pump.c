/*
 * link_pump - a plain stream for libraft whose bytes go through a TLS connection.
 *
 * libraft reads and writes one end of a socket pair; the pump carries the bytes between the other end and the network.
 * Each direction reads no further while PUMP_PAUSE bytes wait to be taken by its other side.
 */
#include <string.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "io/link_priv.h"

#define READ_ROOM 65536
#define PUMP_PAUSE ((size_t)1 << 20)

struct pump;

/* One of the two streams, with what is on its way to it. */
struct side {
    union link_handle *h;
    struct pump *pump;
    struct side *other;
    size_t in_flight;
    bool paused; /* not read, because the other side does not take its bytes */
};

struct pump {
    struct side net, local;
    struct tls *tls;
    unsigned handles;
    bool closing;
};

struct pump_write {
    uv_write_t req;
    struct side *to;
    struct buf data;
};

static char shared[READ_ROOM];

/* ---- the end ---- */

static void side_closed(uv_handle_t *h)
{
    struct pump *p = ((struct side *)h->data)->pump;
    free(h);
    if (--p->handles)
        return;
    tls_free(p->tls);
    free(p);
}

static void pump_close(struct pump *p)
{
    if (p->closing)
        return;
    p->closing = true;
    uv_close(&p->net.h->any, side_closed);
    uv_close(&p->local.h->any, side_closed);
}

/* ---- writing ---- */

static void side_read(struct side *s);

static void on_written(uv_write_t *req, int status)
{
    struct pump_write *w = req->data;
    struct side *to = w->to;
    to->in_flight -= w->data.len;
    buf_clear(&w->data);
    free(w);
    if (status < 0)
        pump_close(to->pump);
    else if (to->other->paused && to->in_flight < PUMP_PAUSE / 2)
        side_read(to->other);
}

/* Takes the bytes over. */
static void side_write(struct side *to, struct buf *data)
{
    if (!data->len || to->pump->closing)
        return;
    struct pump_write *w = NEW(struct pump_write);
    w->to = to;
    w->data = *data;
    w->req.data = w;
    *data = (struct buf)BUF_INIT;
    uv_buf_t b = uv_buf_init(w->data.s, (unsigned)w->data.len);
    to->in_flight += w->data.len;
    if (uv_write(&w->req, &to->h->stream, &b, 1, on_written)) {
        to->in_flight -= w->data.len;
        buf_clear(&w->data);
        free(w);
        pump_close(to->pump);
    } else if (to->in_flight > PUMP_PAUSE && !to->other->paused) {
        to->other->paused = true;
        uv_read_stop(&to->other->h->stream);
    }
}

/* ---- reading ---- */

/* Records that came are fed: the bytes in them go to libraft. */
static void open_records(struct pump *p)
{
    auto_buf struct buf plain = BUF_INIT;
    size_t n;
    int rc;
    while (!(rc = tls_read(p->tls, buf_room(&plain, TLS_RECORD), TLS_RECORD, &n, NULL)))
        plain.len += n;
    side_write(&p->local, &plain);
    side_write(&p->net, tls_out(p->tls));
    if (rc != EAGAIN)
        pump_close(p);
}

static void seal_bytes(struct pump *p, const char *s, size_t len)
{
    size_t n;
    if (tls_write(p->tls, s, len, &n, NULL))
        pump_close(p);
    else
        side_write(&p->net, tls_out(p->tls));
}

static void on_alloc(uv_handle_t *h, size_t hint, uv_buf_t *b)
{
    *b = uv_buf_init(shared, sizeof(shared));
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *b)
{
    struct side *s = stream->data;
    struct pump *p = s->pump;
    if (n < 0) {
        pump_close(p);
    } else if (s == &p->net) {
        tls_feed(p->tls, b->base, (size_t)n);
        open_records(p);
    } else if (n) {
        seal_bytes(p, b->base, (size_t)n);
    }
}

static void side_read(struct side *s)
{
    s->paused = false;
    if (!s->pump->closing && uv_read_start(&s->h->stream, on_alloc, on_read))
        pump_close(s->pump);
}

/* ---- the begin ---- */

static union link_handle *pipe_on(uv_loop_t *loop, int fd)
{
    union link_handle *h = NEW(union link_handle);
    uv_pipe_init(loop, &h->pipe, 0);
    uv_pipe_open(&h->pipe, fd);
    return h;
}

uv_stream_t *link_pump(struct link *l)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair))
        return NULL;
    struct pump *p = NEW(struct pump);
    p->tls = take(l->tls);
    p->handles = 2;
    p->net = (struct side){ .h = l->h, .pump = p, .other = &p->local };
    p->local = (struct side){ .h = pipe_on(l->loop, pair[0]), .pump = p, .other = &p->net };
    p->net.h->any.data = &p->net;
    p->local.h->any.data = &p->local;
    open_records(p); /* of the read that ended the exchange */
    side_read(&p->net);
    side_read(&p->local);
    return &pipe_on(l->loop, pair[1])->stream;
}
