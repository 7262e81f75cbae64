/*
 * link - framed connections on the loop: who is at the other end, frames in, frames out.
 *
 * A connection says who its peer is before it delivers anything: on a Unix socket by the
 * kernel's word, on TCP by a signed credential bound to this connection's challenge.
 * Nothing else is let in.  Callbacks run on the loop; closing inside a callback is fine.
 */
#ifndef SPUR_IO_LINK_H
#define SPUR_IO_LINK_H

#include <uv.h>

#include "base/err.h"
#include "base/shared_buf.h"
#include "wire/cred.h"
#include "wire/frame.h"

struct link;
struct link_listener;

struct link_peer {
    uint32_t uid, gid;
    enum cred_use use; /* CRED_CLIENT for Unix sockets */
    char node[65];     /* CRED_AGENT */
    uint64_t raft_id;  /* CRED_PEER */
    bool local;        /* Unix socket */
};

struct link_ops {
    void (*ready)(struct link *c); /* the peer is known; may be NULL */
    void (*frame)(struct link *c, const struct frame *f);
    void (*closed)(struct link *c, const struct err *why); /* the last call; the link is freed after it */
};

/* ---- being connected to ---- */
struct link_listen_conf {
    uv_loop_t *loop;
    const struct cred_key *key;
    const struct link_ops *ops;
    void *arg; /* link_arg() of every accepted connection at first */
    /* A verified raft peer: the raw stream is yours (heap, uv_close + free).  NULL: such peers are refused. */
    void (*raft_peer)(void *arg, uint64_t id, const char *address, uv_stream_t *stream);
};
int link_listen_unix(struct link_listener **out, const struct link_listen_conf *conf, const char *path,
                       struct err *err); /* mode 0777; a dead socket is replaced */
int link_listen_tcp(struct link_listener **out, const struct link_listen_conf *conf, const char *host, uint16_t port,
                      struct err *err);
void link_listener_close(struct link_listener *s); /* stops listening; open connections live on */

/* ---- connecting ---- */
struct link_hello { /* what we say we are, over TCP: signed with the key */
    const struct cred_key *key;
    enum cred_use use;
    const char *node;
};
/* Never fails at once: `closed` tells. */
struct link *link_connect_tcp(uv_loop_t *loop, const char *host, uint16_t port, const struct link_hello *hello,
                              const struct link_ops *ops, void *arg);
struct link *link_connect_unix(uv_loop_t *loop, const char *path, const struct link_ops *ops, void *arg);
/* Take over a connected stream socket (a socketpair with a child): no identity is asked. */
struct link *link_from_fd(uv_loop_t *loop, int fd, const struct link_ops *ops, void *arg);

/* ---- both ---- */
void link_send(struct link *c, enum msg_type type, uint16_t flags, uint64_t number, const void *body, size_t len);
void link_send_pb(struct link *c, enum msg_type type, uint16_t flags, uint64_t number, const ProtobufCMessage *msg);
/* The same bytes for many: none are copied.  The caller keeps its reference. */
void link_send_shared(struct link *c, enum msg_type type, uint16_t flags, uint64_t number, struct shared_buf *shared);
void link_flush(struct link *c); /* what was sent leaves now, before anything that is sent on another one */
void link_close(struct link *c); /* after what was sent so far; `closed` follows */
const struct link_peer *link_peer(const struct link *c);
void *link_arg(const struct link *c);
void link_set_arg(struct link *c, void *arg);
size_t link_queued(const struct link *c); /* bytes not yet taken by the kernel */
bool link_closing(const struct link *c);

#endif
