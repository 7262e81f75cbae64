/*
 * listen - the agent's listeners: TCP for agents and users of other machines, a Unix socket for users of this machine.
 *
 * The identity of the peer is known before any frame is delivered (io/link.h).  One table says which messages are
 * accepted and from which peers: listen_rows.c.  Every other message is refused by name.
 */
#ifndef SPUR_NODE_LISTEN_H
#define SPUR_NODE_LISTEN_H

#include "node/agent.h"

enum listen_peers {
    LISTEN_AGENT = 1, /* the agent of another node, by its credential */
    LISTEN_USER = 2,  /* any peer with an identity, from the kernel or by a daemon's signature */
};

struct listen_row {
    enum msg_type type;
    unsigned peers; /* enum listen_peers, or'ed */
    void (*handle)(struct agent *a, struct link *c, const struct frame *f, const struct link_peer *peer);
    bool emulated; /* emulated nodes accept it, too */
};
extern const struct listen_row listen_rows[]; /* ends with a row without a function */

int listen_start(struct agent *a, struct err *err); /* opens the TCP listener; a port in use is only logged */
void listen_stop(struct agent *a);

/* Handle one frame of a known peer: call the row's function, or refuse. */
void listen_frame(struct agent *a, struct link *c, const struct frame *f);

/* A handler that keeps `c` for later registers `gone(arg)`, which is called when `c` closes.  A connection has one such
 * holder; a later call replaces it, NULL removes it. */
typedef void listen_gone_fn(void *arg);
void listen_hold(struct link *c, listen_gone_fn *gone, void *arg);
bool listen_held(const struct link *c); /* by any handler: a second one must refuse its request */
void *listen_holder(const struct link *c, listen_gone_fn *gone); /* its `arg` if it is held with `gone`; else NULL */

/* The handler needs a name that is being looked up: `f`, and the frames behind it, are handled when the name is
 * known. */
void listen_park(struct link *c, const struct frame *f);
void listen_unpark(void); /* lookups have finished */

void listen_refuse(struct link *c, uint64_t number, int code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Callbacks of accepted connections, also for the Unix listener (local.c). */
extern const struct link_ops listen_ops;

#endif
