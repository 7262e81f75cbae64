/*
 * hook - Prolog and Epilog of a node: the administrator's scripts around a job, run under a supervisor of their own.
 *
 * For the supervisor they are a step with one process, so they outlive their agent as steps do, their end is recorded
 * in the spool, and no process of them is left behind.  The agent makes the order: `script` holds the paths,
 * NUL-terminated each, `env` the whole environment.  The scripts run as the agent's user, in sequence; the first that
 * fails is the last, and its status is the step's.
 */
#ifndef SPUR_STEP_HOOK_H
#define SPUR_STEP_HOOK_H

#include "base/err.h"
#include "step/step.h"

static inline bool hook_step(uint32_t step_id)
{
    return step_id == PB__STEP_NUMBER__STEP_PROLOG || step_id == PB__STEP_NUMBER__STEP_EPILOG;
}

/* In place of task_start_all(). */
int hook_start(struct step *s, struct err *err);

#endif
