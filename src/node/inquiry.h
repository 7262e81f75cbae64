/*
 * inquiry - a client's request to the supervisors of this node, and the way back of their replies.
 *
 * The request is sent to each step that it concerns.  When all supervisors have replied or are gone, the client
 * receives one message with all replies: their types allow packed bytes to be concatenated.  When the client
 * disconnects, the inquiry is dropped.
 */
#ifndef SPUR_NODE_INQUIRY_H
#define SPUR_NODE_INQUIRY_H

#include "node/agent.h"
#include "node/listen.h"

struct inquiry;

/* May this peer inquire about this step?  The step's user, root and the daemon's own user may. */
bool inquiry_may(const struct step_run *r, const struct link_peer *peer);

/* Begin an inquiry; the reply will be of type `reply`.  NULL: the connection has one under way already, and the request
 * was refused. */
struct inquiry *inquiry_new(struct agent *a, struct link *c, uint64_t number, enum msg_type reply);
void inquiry_ask(struct inquiry *q, struct step_run *r, enum msg_type type, const ProtobufCMessage *question);
/* All requests are sent: replies at once when there were none. */
void inquiry_begin(struct inquiry *q);

/* Called by launch.c: a supervisor sent a frame that is no report; a supervisor is gone. */
void inquiry_answer(struct step_run *r, const struct frame *f);
void inquiry_gone(struct step_run *r);

#endif
