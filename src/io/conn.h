/*
 * conn - framed connections on the loop: who is at the other end, frames in, frames out.
 *
 * A connection says who its peer is before it delivers anything: on a Unix socket by the
 * kernel's word, on TCP by a signed credential bound to this connection's challenge.
 * Nothing else is let in.  Callbacks run on the loop; closing inside a callback is fine.
 */
#ifndef SPUR_IO_CONN_H
#define SPUR_IO_CONN_H

#include <uv.h>

#include "base/err.h"
#include "base/sheet.h"
#include "wire/cred.h"
#include "wire/frame.h"

struct conn;
struct server;

struct peer {
    uint32_t uid, gid;
    enum cred_use use; /* CRED_CLIENT for Unix sockets */
    char node[65];     /* CRED_AGENT */
    uint64_t raft_id;  /* CRED_PEER */
    bool local;        /* Unix socket */
};

struct conn_ops {
    void (*ready)(struct conn *c); /* the peer is known; may be NULL */
    void (*frame)(struct conn *c, const struct frame *f);
    void (*closed)(struct conn *c, const struct err *why); /* the last call; the conn is freed after it */
};

/* ---- being connected to ---- */
struct server_conf {
    uv_loop_t *loop;
    const struct cred_key *key;
    const struct conn_ops *ops;
    void *arg; /* conn_arg() of every accepted connection at first */
    /* A verified raft peer: the raw stream is yours (heap, uv_close + free).  NULL: such peers are refused. */
    void (*raft_peer)(void *arg, uint64_t id, const char *address, uv_stream_t *stream);
};
int server_listen_unix(struct server **out, const struct server_conf *conf, const char *path,
                       struct err *err); /* mode 0777; a dead socket is replaced */
int server_listen_tcp(struct server **out, const struct server_conf *conf, const char *host, uint16_t port,
                      struct err *err);
void server_close(struct server *s); /* stops listening; open connections live on */

/* ---- connecting ---- */
struct conn_hello { /* what we say we are, over TCP: signed with the key */
    const struct cred_key *key;
    enum cred_use use;
    const char *node;
};
/* Never fails at once: `closed` tells. */
struct conn *conn_connect_tcp(uv_loop_t *loop, const char *host, uint16_t port, const struct conn_hello *hello,
                              const struct conn_ops *ops, void *arg);
struct conn *conn_connect_unix(uv_loop_t *loop, const char *path, const struct conn_ops *ops, void *arg);
/* Take over a connected stream socket (a socketpair with a child): no identity is asked. */
struct conn *conn_from_fd(uv_loop_t *loop, int fd, const struct conn_ops *ops, void *arg);

/* ---- both ---- */
void conn_send(struct conn *c, enum msg_type type, uint16_t flags, uint64_t number, const void *body, size_t len);
void conn_send_pb(struct conn *c, enum msg_type type, uint16_t flags, uint64_t number, const ProtobufCMessage *msg);
/* The same bytes for many: none are copied.  You go on holding the sheet. */
void conn_send_sheet(struct conn *c, enum msg_type type, uint16_t flags, uint64_t number, struct sheet *sheet);
void conn_flush(struct conn *c); /* what was sent leaves now, before anything that is sent on another one */
void conn_close(struct conn *c); /* after what was sent so far; `closed` follows */
const struct peer *conn_peer(const struct conn *c);
void *conn_arg(const struct conn *c);
void conn_set_arg(struct conn *c, void *arg);
size_t conn_queued(const struct conn *c); /* bytes not yet taken by the kernel */
bool conn_closing(const struct conn *c);

#endif
