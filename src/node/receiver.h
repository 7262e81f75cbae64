/*
 * receiver - a process that writes a file as a user: step/receive.h, started by the agent.
 */
#ifndef SPUR_NODE_RECEIVER_H
#define SPUR_NODE_RECEIVER_H

#include "node/groups.h"

/* Our end of its socket; -1 with a reason. */
int receiver_start(struct agent *a, const Pb__Permit *p, struct err *err);
/* Tell it, first of all, who it is. */
void receiver_as(const struct agent *a, struct link *c, const Pb__Permit *p, const struct groups *g);

#endif
