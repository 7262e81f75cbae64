/*
 * link_wait - a link under poll(), for commands and supervisors: the contract of link.h without a loop.
 *
 * The same limits and the same hello exchange as in the loop form.  Calls that wait take a deadline: the monotonic
 * clock in milliseconds, or -1 for none; a signal ends a wait with EINTR.  The other calls never wait and are for a
 * program with a poll loop of its own.  EAGAIN and EINTR come without a sentence in `err`; after any other error but
 * ETIMEDOUT the link is of no use: close it.
 */
#ifndef SPUR_IO_LINK_WAIT_H
#define SPUR_IO_LINK_WAIT_H

#include "base/buf.h"
#include "io/link_sock.h"
#include "io/liveness.h"
#include "io/tls.h"
#include "wire/frame.h"

struct link_wait {
    int fd; /* -1: not connected; yours to poll, not to read */
    enum link_class class;
    bool connecting; /* begun, and the outcome is not known */
    struct tls *tls; /* NULL: plain */
    struct buf in;
    size_t at;        /* bytes of `in` that were delivered as frames */
    size_t last;      /* length of the frame that was delivered last, as it came, with its header */
    struct buf plain; /* the last frame, if it came packed */
    bool watched;     /* link_wait_watch was called */
    struct liveness live;
};
#define LINK_WAIT_INIT                                                                                                 \
    {                                                                                                                  \
        .fd = -1                                                                                                       \
    }

void link_wait_use(struct link_wait *w, int fd, enum link_class class); /* a connected socket, which is taken over */
void link_wait_move(struct link_wait *to, struct link_wait *from, enum link_class class); /* the connection alone */
void link_wait_close(struct link_wait *w);                              /* keeps its buffers; a closed one is welcome */
void link_wait_clear(struct link_wait *w);                              /* closes and frees */

/* The streams of a step by TCP: what follows is encrypted with the step's token.  Right after link_wait_use (the
 * server) or link_wait_begin.  The handshake is a part of the first reads and writes. */
void link_wait_secret(struct link_wait *w, bool server, const void *token, size_t len);
/* What to poll for, by a program that has bytes to send or not. */
short link_wait_events(const struct link_wait *w, bool sending);

/* ---- waiting ---- */
int link_wait_unix(struct link_wait *w, const char *path, enum link_class class, struct err *err);
/* For HELLO_SIGN: append a credential for `nonce` (a packed pb.Signed) to `out`. */
typedef int link_sign_fn(void *arg, const uint8_t nonce[static CRED_NONCE_LEN], struct buf *out, struct err *err);
/* Resolve, connect, show the identity that `claim` says.  `sign` is asked if the claim has no key. */
int link_wait_tcp(struct link_wait *w, const char *host, uint16_t port, enum link_class class,
                  const struct link_claim *claim, link_sign_fn *sign, void *arg, int64_t deadline_ms, struct err *err);

int link_wait_send(struct link_wait *w, enum msg_type type, uint16_t flags, uint64_t number,
                   const ProtobufCMessage *msg, int64_t deadline_ms, struct err *err);
int link_wait_send_bytes(struct link_wait *w, const void *p, size_t len, int64_t deadline_ms, struct err *err);
/* From here on link_wait_next asks a silent peer whether it lives (MSG_PING), and ends with ECONNRESET if nothing comes
 * (liveness.h).  A program with a poll loop of its own calls it, with no time to wait, after link_wait_watch_ms(). */
void link_wait_watch(struct link_wait *w, uint32_t slurmd_timeout_s);
int link_wait_watch_ms(const struct link_wait *w); /* -1: not connected, or not watched */
/* The next frame, unpacked; valid until the next call. */
int link_wait_next(struct link_wait *w, struct frame *f, int64_t deadline_ms, struct err *err);

/* Until the socket can be read or written (POLLIN, POLLOUT): 0, ETIMEDOUT or EINTR. */
int link_wait_poll(const struct link_wait *w, short events, int64_t deadline_ms, struct err *err);

/* ---- not waiting ---- */
/* Begin to connect to a numeric address; poll for POLLOUT, then ask link_wait_connected. */
int link_wait_begin(struct link_wait *w, const char *host, uint16_t port, enum link_class class, struct err *err);
int link_wait_connected(struct link_wait *w, struct err *err);
/* As many bytes as the socket takes now: 0 with `*n`, EAGAIN when it takes none, or why the link is broken. */
int link_wait_write(struct link_wait *w, const void *p, size_t len, size_t *n, struct err *err);
/* Take in what came: 0, EAGAIN when there is nothing, or why the link is broken (ECONNRESET: the peer closed it). */
int link_wait_read(struct link_wait *w, struct err *err);
/* A whole frame of what was taken in: 1; 0: more bytes are needed; -1: refused.  Valid until the next read. */
int link_wait_frame(struct link_wait *w, struct frame *f, struct err *err);

#endif
