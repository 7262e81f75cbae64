/*
 * link_limits - what a peer may cost: one row per class of peer, for both forms of a link.
 *
 * A peer that exceeds its row is disconnected with a reason.  All times are milliseconds; 0: no limit.
 */
#ifndef SPUR_IO_LINK_LIMITS_H
#define SPUR_IO_LINK_LIMITS_H

#include <stddef.h>
#include <stdint.h>

enum link_class {
    LINK_STRANGER,   /* before its identity is known */
    LINK_CLIENT,     /* a command */
    LINK_AGENT,      /* a node's daemon */
    LINK_CONTROLLER, /* a controller, seen by a command or an agent */
    LINK_RAFT,       /* a controller, seen by another: the stream goes to libraft */
    LINK_SUPERVISOR, /* a node's end of a step's standard streams, seen by srun and sattach */
    LINK_SRUN,       /* the other end of them, seen by a supervisor */
    LINK_CHILD,      /* a process of this daemon, by a socket pair */
    LINK_CLASSES
};

struct link_limits {
    const char *name;
    uint32_t frame_max; /* bytes in the body of a frame, checked before room is made for it */
    size_t queue_max;   /* bytes queued for the peer: more, and it is disconnected */
    size_t pause_at;    /* bytes queued for the peer: more, and nothing is read from it until it has taken half */
    uint32_t hello_ms;  /* from the connection's begin until it is open */
    uint32_t probe_ms;  /* an idle TCP peer is probed after so long, and given up after three probes */
    uint32_t unacked_ms; /* a TCP peer that acknowledges no byte, or takes none, for so long is given up */
};
extern const struct link_limits link_limits[LINK_CLASSES];

#endif
