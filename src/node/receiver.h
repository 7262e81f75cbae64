/*
 * receiver - a process that writes a file as a user: step/receive.h, started by the agent.
 */
#ifndef SPUR_NODE_RECEIVER_H
#define SPUR_NODE_RECEIVER_H

#include "node/groups.h"

/* The agent's end of the receiver's socket; -1 with an error. */
int receiver_start(struct agent *a, const Pb__Permit *p, struct err *err);
/* The first message to a receiver: the user that it runs as. */
void receiver_as(const struct agent *a, struct link *c, const Pb__Permit *p, const struct groups *g);

#endif
