/* peer.c - a raft_uv_transport over the controllers' own port; a dial is one attempt to connect. */
#include "store/peer.h"

#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#include "base/str.h"

#define DEAD_MS 3000 /* unanswered bytes for so long: the connection is gone */

struct peer_net {
    struct raft_uv_transport transport;
    uv_loop_t *loop;
    const struct ledger_transport *conf;
    const struct ledger_peer *peers;
    size_t npeers;
    raft_uv_accept_cb accept;
    raft_uv_transport_close_cb closed;
    struct dial *dials;
    bool closing;
};

/* Ends in one of two ways: libraft gets the stream, or all handles are closed and it gets the status. */
struct dial {
    struct peer_net *net;
    struct dial *next;
    struct raft_uv_connect *req;
    uint64_t to;
    uv_getaddrinfo_t resolve;
    uv_connect_t connect;
    uv_write_t write;
    uv_timer_t timer;
    uv_tcp_t *tcp;      /* libraft's afterwards, so from raft_malloc */
    struct buf hello;
    struct buf heard;   /* what the other side said before our hello, where it speaks first */
    char answer;
    char room[512];
    bool greeted;
    int status;
    unsigned handles;   /* open ones, of timer and tcp */
    bool resolving, over;
};

static void maybe_closed(struct peer_net *net)
{
    if (!net->closing || net->dials || !net->closed)
        return;
    raft_uv_transport_close_cb closed = net->closed;
    net->closed = NULL;
    closed(&net->transport);
}

static void unlink_dial(struct dial *d)
{
    for (struct dial **at = &d->net->dials; *at; at = &(*at)->next) {
        if (*at == d) {
            *at = d->next;
            return;
        }
    }
}

static void finish(struct dial *d)
{
    if (d->handles || d->resolving)
        return;
    struct peer_net *net = d->net;
    struct raft_uv_connect *req = d->req;
    uv_stream_t *stream = (uv_stream_t *)d->tcp;
    int status = d->status;
    unlink_dial(d);
    buf_clear(&d->hello);
    buf_clear(&d->heard);
    free(d);
    req->cb(req, status ? NULL : stream, status);
    maybe_closed(net);
}

static void on_timer_closed(uv_handle_t *h)
{
    struct dial *d = h->data;
    d->handles--;
    finish(d);
}

static void on_tcp_closed(uv_handle_t *h)
{
    struct dial *d = h->data;
    raft_free(d->tcp);
    d->tcp = NULL;
    d->handles--;
    finish(d);
}

static void give_up(struct dial *d, int status)
{
    if (d->over)
        return;
    d->over = true;
    d->status = status;
    if (d->resolving)
        uv_cancel((uv_req_t *)&d->resolve);
    uv_close((uv_handle_t *)&d->timer, on_timer_closed);
    if (d->tcp)
        uv_close((uv_handle_t *)d->tcp, on_tcp_closed);
}

static void succeed(struct dial *d)
{
    d->over = true;
    d->handles--; /* the stream stays open and changes owner */
    uv_read_stop((uv_stream_t *)d->tcp);
    uv_close((uv_handle_t *)&d->timer, on_timer_closed);
}

static void on_timeout(uv_timer_t *t)
{
    give_up(t->data, RAFT_NOCONNECTION);
}

static void answer_room(uv_handle_t *h, size_t n, uv_buf_t *out)
{
    struct dial *d = h->data;
    *out = d->greeted ? uv_buf_init(&d->answer, 1) : uv_buf_init(d->room, sizeof(d->room));
}

static void on_written(uv_write_t *w, int status)
{
    if (status)
        give_up(w->data, RAFT_NOCONNECTION);
}

static void say_hello(struct dial *d)
{
    uv_buf_t out = uv_buf_init(d->hello.s, (unsigned)d->hello.len);
    d->greeted = true;
    if (uv_write(&d->write, (uv_stream_t *)d->tcp, &out, 1, on_written))
        give_up(d, RAFT_NOCONNECTION);
}

static void hear_challenge(struct dial *d, ssize_t n)
{
    if (n > 0)
        buf_add(&d->heard, d->room, (size_t)n);
    const struct ledger_transport *conf = d->net->conf;
    int rc = -1;
    if (n > 0 && d->heard.len <= sizeof(d->room))
        rc = conf->greet(conf->arg, d->to, d->heard.s, d->heard.len, &d->hello);
    if (rc < 0)
        give_up(d, RAFT_NOCONNECTION);
    else if (rc)
        say_hello(d);
}

static void on_answer(uv_stream_t *s, ssize_t n, const uv_buf_t *b)
{
    struct dial *d = s->data;
    if (!n || d->over)
        return;
    if (!d->greeted)
        hear_challenge(d, n);
    else if (n == 1 && d->answer == PEER_ACCEPTED)
        succeed(d);
    else
        give_up(d, RAFT_NOCONNECTION);
}

/* A dead peer is noticed in seconds, not in the kernel's quarter of an hour; small messages go at once. */
static void tune(uv_tcp_t *tcp)
{
    int fd;
    unsigned ms = DEAD_MS;
    uv_tcp_nodelay(tcp, 1);
    if (!uv_fileno((uv_handle_t *)tcp, &fd))
        setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof(ms));
}

static void on_connected(uv_connect_t *c, int status)
{
    struct dial *d = c->data;
    if (d->over)
        return;
    tune(d->tcp);
    if (status || uv_read_start((uv_stream_t *)d->tcp, answer_room, on_answer))
        give_up(d, RAFT_NOCONNECTION);
    else if (!d->net->conf->greet)
        say_hello(d);
}

static void on_resolved(uv_getaddrinfo_t *r, int status, struct addrinfo *found)
{
    struct dial *d = r->data;
    d->resolving = false;
    if (d->over || status) {
        uv_freeaddrinfo(found);
        give_up(d, RAFT_NOCONNECTION);
        finish(d);
        return;
    }
    d->tcp = raft_malloc(sizeof(*d->tcp));
    uv_tcp_init(d->net->loop, d->tcp);
    d->tcp->data = d;
    d->handles++;
    if (uv_tcp_connect(&d->connect, d->tcp, found->ai_addr, on_connected))
        give_up(d, RAFT_NOCONNECTION);
    uv_freeaddrinfo(found);
}

static const char *address_of(const struct peer_net *net, uint64_t id, const char *otherwise)
{
    for (size_t i = 0; i < net->npeers; i++)
        if (net->peers[i].id == id)
            return net->peers[i].address;
    return otherwise;
}

/* "host:port" or "[v6]:port"; resolving fails on nonsense, so nothing is judged here. */
static int start_resolve(struct dial *d, const char *address)
{
    const char *colon = strrchr(address, ':');
    if (!colon)
        return RAFT_NOCONNECTION;
    bool brackets = address[0] == '[' && colon > address && colon[-1] == ']';
    auto_free char *host = brackets ? mem_strn(address + 1, (size_t)(colon - address) - 2)
                                    : mem_strn(address, (size_t)(colon - address));
    struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
    if (uv_getaddrinfo(d->net->loop, &d->resolve, on_resolved, host, colon + 1, &hints))
        return RAFT_NOCONNECTION;
    d->resolving = true;
    return 0;
}

static int net_connect(struct raft_uv_transport *t, struct raft_uv_connect *req, raft_id id, const char *address,
                       raft_uv_connect_cb cb)
{
    struct peer_net *net = t->impl;
    struct dial *d = NEW(struct dial);
    d->net = net;
    d->to = id;
    d->req = req;
    req->cb = cb;
    d->resolve.data = d->connect.data = d->write.data = d->timer.data = d;
    bool speak_first = !net->conf->greet;
    if ((speak_first && net->conf->hello(net->conf->arg, id, &d->hello)) ||
        start_resolve(d, address_of(net, id, address))) {
        snprintf(t->errmsg, sizeof(t->errmsg), "cannot greet controller %llu at %s", id, address);
        buf_clear(&d->hello);
        free(d);
        return RAFT_NOCONNECTION;
    }
    uv_timer_init(net->loop, &d->timer);
    d->handles = 1;
    uv_timer_start(&d->timer, on_timeout, PEER_CONNECT_MS, 0);
    d->next = net->dials;
    net->dials = d;
    return 0;
}

static int net_init(struct raft_uv_transport *t, raft_id id, const char *address)
{
    return 0;
}

static int net_listen(struct raft_uv_transport *t, raft_uv_accept_cb cb)
{
    struct peer_net *net = t->impl;
    net->accept = cb;
    return 0;
}

static void net_close(struct raft_uv_transport *t, raft_uv_transport_close_cb cb)
{
    struct peer_net *net = t->impl;
    net->closing = true;
    net->closed = cb;
    for (struct dial *d = net->dials; d; d = d->next)
        give_up(d, RAFT_CANCELED);
    maybe_closed(net);
}

struct peer_net *peer_net_new(uv_loop_t *loop, const struct ledger_transport *conf, const struct ledger_peer *peers,
                              size_t npeers)
{
    struct peer_net *net = NEW(struct peer_net);
    net->loop = loop;
    net->conf = conf;
    net->peers = peers;
    net->npeers = npeers;
    net->transport = (struct raft_uv_transport){
        .version = 1,
        .impl = net,
        .init = net_init,
        .listen = net_listen,
        .connect = net_connect,
        .close = net_close,
    };
    return net;
}

void peer_net_free(struct peer_net *net)
{
    free(net);
}

struct raft_uv_transport *peer_net_transport(struct peer_net *net)
{
    return &net->transport;
}

static void free_stream(uv_handle_t *h)
{
    free(h);
}

void peer_accept(struct peer_net *net, uint64_t from, const char *address, uv_stream_t *stream)
{
    uv_buf_t yes = uv_buf_init((char[]){ PEER_ACCEPTED }, 1);
    uv_read_stop(stream);
    if (net && net->accept && !net->closing && uv_try_write(stream, &yes, 1) == 1) {
        if (stream->type == UV_TCP)
            uv_tcp_keepalive((uv_tcp_t *)stream, 1, DEAD_MS / 1000);
        net->accept(&net->transport, from, address, stream);
    } else {
        uv_close((uv_handle_t *)stream, free_stream);
    }
}
