/*
 * listen - the agent's own doors: TCP for agents and users of other machines, a Unix socket for those of this one.
 *
 * Who is at the other end is known before anything is delivered (io/link.h).  What is taken, and from whom, is one
 * table: listen_rows.c.  Everything else is refused by name.
 */
#ifndef SPUR_NODE_LISTEN_H
#define SPUR_NODE_LISTEN_H

#include "node/agent.h"

enum listen_who {
    LISTEN_AGENT = 1, /* another node's daemon, by its credential */
    LISTEN_USER = 2,  /* anybody with an identity: the kernel's word, or a daemon's signature */
};

struct listen_row {
    enum msg_type type;
    unsigned who; /* enum listen_who, or'ed */
    void (*handle)(struct agent *a, struct link *c, const struct frame *f, const struct link_peer *peer);
    bool emulated; /* emulated nodes take it, too */
};
extern const struct listen_row listen_rows[]; /* ends with a row without a function */

int listen_start(struct agent *a, struct err *err); /* the TCP door; a port that is taken is said and lived without */
void listen_stop(struct agent *a);

/* One frame from a known peer, of either door: the row's function, or a refusal. */
void listen_frame(struct agent *a, struct link *c, const struct frame *f);

/* A handler that keeps `c` for later hears by `gone(arg)` that it closed; one holder a connection, the last one stays.
 * NULL: nobody holds it any more. */
typedef void listen_gone_fn(void *arg);
void listen_hold(struct link *c, listen_gone_fn *gone, void *arg);
bool listen_held(const struct link *c); /* by anybody: who would hold it, too, must refuse */
void *listen_holder(const struct link *c, listen_gone_fn *gone); /* its `arg` if it is held with `gone`; else NULL */

/* The handler needs a name that is being looked up: `f`, and the frames behind it, are handled when it is known. */
void listen_park(struct link *c, const struct frame *f);
void listen_unpark(void); /* names have come */

void listen_refuse(struct link *c, uint64_t number, int code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* For the Unix door (local.c): what every accepted connection has. */
extern const struct link_ops listen_ops;

#endif
