/*
 * inquiry - a user's question to the supervisors of this node, and the way back of their answers.
 *
 * The question goes to each step that is meant; when all have answered (or are gone) the asker hears once, with all the
 * answers in one message: they are of a kind whose packed bytes may be joined.  An asker that leaves is forgotten.
 */
#ifndef SPUR_NODE_INQUIRY_H
#define SPUR_NODE_INQUIRY_H

#include "node/agent.h"
#include "node/listen.h"

struct inquiry;

/* May this peer ask about this step?  Its owner, root, and whoever this daemon runs as. */
bool inquiry_may(const struct step_run *r, const struct link_peer *peer);

/* Begin: the answer will be of type `reply`.  NULL: the connection has one under way already, and was refused. */
struct inquiry *inquiry_new(struct agent *a, struct link *c, uint64_t number, enum msg_type reply);
void inquiry_ask(struct inquiry *q, struct step_run *r, enum msg_type type, const ProtobufCMessage *question);
/* All are asked: answers at once when nobody was. */
void inquiry_begin(struct inquiry *q);

/* launch.c: what a supervisor says that is no report; it went away. */
void inquiry_answer(struct step_run *r, const struct frame *f);
void inquiry_gone(struct step_run *r);

#endif
