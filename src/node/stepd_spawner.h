/*
 * stepd_spawner - the agent's source of supervisors: one spurstepd that forks them, started when first needed.
 */
#ifndef SPUR_NODE_STEPD_SPAWNER_H
#define SPUR_NODE_STEPD_SPAWNER_H

#include "node/agent.h"
#include "step/spawner.h"

/* Request a supervisor; a spawner that has died is replaced. */
int stepd_spawner_order(struct agent *a, const struct spawn_order *o, struct err *err);

#endif
