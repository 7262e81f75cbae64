/*
 * user_requests - requests that a job's user may send to an agent directly; rows of listen_rows.c.
 */
#ifndef SPUR_NODE_USER_REQUESTS_H
#define SPUR_NODE_USER_REQUESTS_H

#include "node/listen.h"

typedef void user_request_fn(struct agent *a, struct link *c, const struct frame *f, const struct link_peer *peer);

user_request_fn stat_request;   /* stat.c: usage and processes of steps */
user_request_fn attach_request; /* attach.c: a step's streams */
user_request_fn bcast_open;     /* bcast.c: a file for the nodes of a job */
user_request_fn bcast_more;     /* the blocks and the end of a file */

#endif
