/*
 * link_priv - what link.c (frames), link_connect.c and link_listen.c share.
 */
#ifndef SPUR_IO_LINK_PRIV_H
#define SPUR_IO_LINK_PRIV_H

#include "io/link.h"
#include "io/link_sock.h"
#include "io/liveness.h"
#include "io/send_list.h"
#include "io/tls.h"

enum link_stage {
    LINK_CONNECTING,
    LINK_HELLO,
    LINK_OPEN,
    LINK_CLOSING, /* what is queued leaves, then the link is destroyed */
    LINK_DEAD,    /* handles close, then `closed` */
};

union link_handle {
    uv_handle_t any;
    uv_stream_t stream;
    uv_tcp_t tcp;
    uv_pipe_t pipe;
};

struct link_dial; /* link_connect.c: an attempt to connect */

struct link {
    union link_handle *h; /* on its own: a stream that is released outlives the link */
    uv_loop_t *loop;
    enum link_stage stage;
    enum link_class class;
    const struct link_ops *ops;
    void *arg;
    struct tls *tls;     /* NULL: plain */
    struct hello *hello; /* until `ready` has returned */
    struct link_dial *dial;
    struct link_listener *door; /* accepted, and its peer is not known yet ... */
    struct link *older, *newer; /* ... as others of this listener */
    struct link_peer peer;
    char remote[64]; /* of an accepted TCP link */
    struct buf in;
    size_t begun; /* bytes of the frame that `begin` was told of; 0: none */
    struct send_list out; /* gathered in this iteration of the loop */
    size_t in_flight;     /* bytes given to libuv */
    unsigned writes;
    unsigned handles;     /* not closed yet, and a name that is being resolved */
    bool bounded; /* a user's frame is no longer than bounds_user_bytes() says */
    struct link *feeder;  /* what comes from it is sent to this link; NULL: none */
    bool relays;          /* a CRED_RELAY link */
    bool held;            /* nothing is read: the link that it feeds is full */
    bool flush_armed, paused, timed;
    uv_idle_t flusher;    /* sends what an iteration gathered, in one write */
    uv_timer_t timer;     /* for the hello exchange, then for `live`; initialised if `timed` */
    struct liveness *live; /* NULL: the peer may be silent */
    struct err why;
};

/* ---- link.c ---- */
struct link *link_new(uv_loop_t *loop, enum link_class class, const struct link_ops *ops, void *arg);
union link_handle *link_handle_new(struct link *l, bool tcp); /* makes l->h */
void link_fail(struct link *l, int code, const char *text);
void link_deadline_within(struct link *l, uint64_t ms); /* ... within that time, if it is shorter */
void link_deadline(struct link *l);  /* the hello exchange must be over in time */
bool link_read_start(struct link *l); /* false: it failed, and `closed` will tell */
void link_hello_start(struct link *l, const struct buf *first); /* connected: send `first` and run the exchange */
void link_tls_start(struct link *l); /* connected: run the handshake, then the exchange */
void link_open(struct link *l);        /* the peer is known: `ready` */
void link_handle_gone(struct link *l); /* one less of l->handles */

/* ---- link_listen.c ---- */
void link_door_leave(struct link *l); /* its peer is known, or it is gone */

/* ---- link_watch.c ---- */
void link_watch_opened(struct link *l);
/* A frame came.  True: it is an answer to a ping and nothing else. */
bool link_watch_heard(struct link *l, const struct frame *f);

/* ---- link_pump.c ---- */
/* A stream whose bytes go through the link's TLS connection; takes handle and TLS over.  NULL: no descriptors. */
uv_stream_t *link_pump(struct link *l);

/* ---- link_connect.c ---- */
void link_dial_stop(struct link *l); /* no further address is tried */
void link_dial_free(struct link *l);

#endif
