/*
 * guests - what a job's user may ask of an agent directly; rows of listen_rows.c.
 */
#ifndef SPUR_NODE_GUESTS_H
#define SPUR_NODE_GUESTS_H

#include "node/listen.h"

typedef void guest_fn(struct agent *a, struct link *c, const struct frame *f, const struct link_peer *peer);

guest_fn stat_request;   /* stat.c: usage and processes of steps */
guest_fn attach_request; /* attach.c: a step's streams */
guest_fn bcast_open;     /* bcast.c: a file for the nodes of a job */
guest_fn bcast_more;     /* its blocks, its end */

#endif
