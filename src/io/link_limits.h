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
    LINK_CONTROLLER, /* a controller, seen by a command, an agent or another controller */
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
    uint32_t dead_ms;   /* the kernel gives the connection up when sent bytes, or keepalives, stay unacknowledged */
};
extern const struct link_limits link_limits[LINK_CLASSES];

#define LINK_HELLO_MS 10000 /* from accept, or from the connection, to the end of the hello exchange */

#endif
