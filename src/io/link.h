/*
 * link - framed connections on the loop: the identity of the peer, frames in, frames out.
 *
 * The peer's identity is known before any frame is delivered: on a Unix socket by the kernel's word, on TCP by a signed
 * credential bound to this connection's challenge (link_hello.h).  A peer that exceeds the limits of its class
 * (link_limits.h) is disconnected with a reason.  Names are resolved off the loop.
 *
 * Callbacks run on the loop and never inside a call to this header; closing in a callback is fine.  `closed` comes once
 * and last.
 */
#ifndef SPUR_IO_LINK_H
#define SPUR_IO_LINK_H

#include <uv.h>

#include "base/err.h"
#include "base/shared_buf.h"
#include "io/link_hello.h"
#include "wire/frame.h"

struct link;
struct link_listener;

struct link_ops {
    void (*ready)(struct link *l); /* open, the peer is known; may be NULL */
    void (*frame)(struct link *l, const struct frame *f);
    void (*closed)(struct link *l, const struct err *why); /* the last call; the link is freed after it */
    /* A frame of so many bytes begins that is not there at once: an error refuses it, and the link closes.  NULL: all
     * are received. */
    int (*begin)(struct link *l, size_t bytes, struct err *err);
};

/* ---- listening ---- */
struct link_listen_conf {
    uv_loop_t *loop;
    const struct cred_key *key;
    const struct link_ops *ops;
    void *arg;     /* link_arg() of every accepted link at first */
    bool bounded;  /* users' frames are bounded by their type: of a daemon that answers requests */
    unsigned uses; /* TCP: HELLO_USE() of each credential that is let in; a Unix socket is for clients */
    unsigned strangers_max; /* TCP: connections whose peers are not known yet; 0: LINK_STRANGERS_MAX */
};
/* With one more the oldest of them is closed: a hello takes milliseconds, so the oldest are peers that say nothing. */
#define LINK_STRANGERS_MAX 512
int link_listen_unix(struct link_listener **out, const struct link_listen_conf *conf, const char *path,
                     struct err *err); /* mode 0777; a dead socket is replaced */
int link_listen_tcp(struct link_listener **out, const struct link_listen_conf *conf, const char *host, uint16_t port,
                    struct err *err);
void link_listener_close(struct link_listener *s); /* stops listening; open links live on */

/* ---- connecting ---- */
/* Never fails at once: `closed` tells.  `class` is the peer's.  With a token in the claim the link opens with
 * the TLS connection: both sides know the token (the streams of a step).  The claim's texts are borrowed until the link
 * is open. */
struct link *link_connect_tcp(uv_loop_t *loop, const char *host, uint16_t port, enum link_class class,
                              const struct link_claim *claim, const struct link_ops *ops, void *arg);
struct link *link_connect_unix(uv_loop_t *loop, const char *path, enum link_class class, const struct link_ops *ops,
                               void *arg);
/* Take over a connected stream socket (a socket pair with a child): it is open at once, `ready` is not called. */
struct link *link_from_fd(uv_loop_t *loop, int fd, const struct link_ops *ops, void *arg);

/* ---- both ---- */
void link_send(struct link *l, enum msg_type type, uint16_t flags, uint64_t number, const void *body, size_t len);
void link_send_pb(struct link *l, enum msg_type type, uint16_t flags, uint64_t number, const ProtobufCMessage *msg);
/* The body is the buffer's bytes, which are not copied.  The caller keeps its own reference. */
void link_send_shared(struct link *l, enum msg_type type, uint16_t flags, uint64_t number, struct shared_buf *body);
void link_flush(struct link *l); /* send what is queued now, before anything that is sent on another link */
void link_close(struct link *l); /* after what was sent so far; `closed` follows */
bool link_closing(const struct link *l);
size_t link_unread(const struct link *l); /* bytes that were sent and that the kernel has not taken */
/* Ask a silent peer whether it lives (MSG_PING), and close a link over which nothing comes (liveness.h).  To be called
 * right after connecting: it also bounds the time until the link is open. */
void link_watch(struct link *l, uint32_t slurmd_timeout_s);

/* Of an accepted CRED_RELAY link: what comes from now on is this user's.  link_peer() names the user, and in `via` the
 * node whose word that is.  link_act_for_none: it is the machine's own again. */
bool link_relays(const struct link *l); /* an accepted CRED_RELAY link */
int link_act_for(struct link *l, uint32_t uid, uint32_t gid, struct err *err);
void link_act_for_none(struct link *l);
/* What comes from `from` is sent to `to`: nothing is read from `from` while `to` does not take it.  `from` NULL: no
 * more; to be called for both before either is gone. */
void link_feed(struct link *to, struct link *from);

const struct link_peer *link_peer(const struct link *l);
const char *link_remote(const struct link *l);  /* of an accepted TCP link: "ADDRESS:PORT"; "" */
const char *link_claimed(const struct link *l); /* what a refused peer said to be; "nothing" */
void *link_arg(const struct link *l);
void link_set_arg(struct link *l, void *arg);

/* In `ready` of a CRED_PEER link: the raw stream is the caller's (heap; uv_close, then free), with nothing read beyond
 * the hello exchange.  The link is gone: `closed` does not come.  NULL: no descriptors are left. */
uv_stream_t *link_release(struct link *l);
const char *link_peer_address(const struct link *l); /* in `ready` of an accepted CRED_PEER link: where it listens */

#endif
