/*
 * hatchery - the agent's source of supervisors: one spurstepd that forks them, started when first needed.
 */
#ifndef SPUR_NODE_HATCHERY_H
#define SPUR_NODE_HATCHERY_H

#include "node/agent.h"
#include "step/hatch.h"

/* Have a supervisor made; a hatchery that has died is replaced. */
int hatchery_order(struct agent *a, const struct hatch_order *o, struct err *err);

#endif
