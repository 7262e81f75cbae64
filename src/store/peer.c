/* peer.c - a raft_uv_transport over links to the controllers' own ports; a dial is one attempt to connect. */
#include "store/peer.h"

#include <stdio.h>

#include "io/link.h"
#include "io/link_sock.h"

struct peer_net {
    struct raft_uv_transport transport;
    uv_loop_t *loop;
    const struct link_claim *claim;
    const struct ledger_peer *peers;
    size_t npeers;
    raft_uv_accept_cb accept;
    raft_uv_transport_close_cb closed;
    struct dial *dials;
    bool closing;
};

/* Ends in one of two ways: libraft gets the stream, or the link has closed and libraft gets an error. */
struct dial {
    struct peer_net *net;
    struct dial *next;
    struct raft_uv_connect *req;
    struct link *link;
};

static void maybe_closed(struct peer_net *net)
{
    if (!net->closing || net->dials || !net->closed)
        return;
    raft_uv_transport_close_cb closed = net->closed;
    net->closed = NULL;
    closed(&net->transport);
}

static void dial_end(struct dial *d, uv_stream_t *stream, int status)
{
    struct peer_net *net = d->net;
    struct raft_uv_connect *req = d->req;
    for (struct dial **at = &net->dials; *at; at = &(*at)->next) {
        if (*at == d) {
            *at = d->next;
            break;
        }
    }
    free(d);
    req->cb(req, stream, status);
    maybe_closed(net);
}

static void dial_ready(struct link *l)
{
    struct dial *d = link_arg(l);
    uv_stream_t *stream = link_release(l);
    dial_end(d, stream, stream ? 0 : RAFT_NOCONNECTION);
}

static void dial_frame(struct link *l, const struct frame *f)
{
    (void)f;
    link_close(l);
}

static void dial_closed(struct link *l, const struct err *why)
{
    struct dial *d = link_arg(l);
    (void)why;
    dial_end(d, NULL, d->net->closing ? RAFT_CANCELED : RAFT_NOCONNECTION);
}

static const struct link_ops dial_ops = { dial_ready, dial_frame, dial_closed };

static const char *address_of(const struct peer_net *net, uint64_t id, const char *otherwise)
{
    for (size_t i = 0; i < net->npeers; i++)
        if (net->peers[i].id == id)
            return net->peers[i].address;
    return otherwise;
}

static int net_connect(struct raft_uv_transport *t, struct raft_uv_connect *req, raft_id id, const char *address,
                       raft_uv_connect_cb cb)
{
    struct peer_net *net = t->impl;
    char host[256];
    uint16_t port;
    if (!link_address_split(address_of(net, id, address), host, sizeof(host), &port)) {
        snprintf(t->errmsg, sizeof(t->errmsg), "controller %llu has no address: %s", id, address);
        return RAFT_NOCONNECTION;
    }
    struct dial *d = NEW(struct dial);
    req->cb = cb;
    *d = (struct dial){ .net = net, .next = net->dials, .req = req };
    net->dials = d;
    d->link = link_connect_tcp(net->loop, host, port, LINK_RAFT, net->claim, &dial_ops, d);
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
        link_close(d->link);
    maybe_closed(net);
}

struct peer_net *peer_net_new(uv_loop_t *loop, const struct link_claim *claim, const struct ledger_peer *peers,
                              size_t npeers)
{
    struct peer_net *net = NEW(struct peer_net);
    net->loop = loop;
    net->claim = claim;
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
    uv_buf_t accepted = uv_buf_init((char[]){ HELLO_ACCEPTED }, 1);
    if (!stream)
        return;
    if (net && net->accept && !net->closing && uv_try_write(stream, &accepted, 1) == 1)
        net->accept(&net->transport, from, address, stream);
    else
        uv_close((uv_handle_t *)stream, free_stream);
}
