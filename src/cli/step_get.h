/*
 * step_get - a step inside an allocation that is there: now, or when other steps have made room for it.
 */
#ifndef SPUR_CLI_STEP_GET_H
#define SPUR_CLI_STEP_GET_H

#include "cli/grant.h"

/* What the options say about the step's share of the job, beyond the counts of nodes, tasks and CPUs. */
void step_get_ask(const Pb__JobSpec *spec, Pb__StepSpec *step);

/* Into `a`: the job, the step, and the signals (which end the waiting).  0, or the exit status with everything said.
 * A step that had to wait is told about, unless `quiet`. */
int step_get(struct grant *a, struct client *c, const Pb__StepRequest *req, unsigned quiet);

#endif
