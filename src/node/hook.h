/*
 * hook - Prolog and Epilog: the administrator's scripts on this node, before a job's first step and after its last.
 *
 * Each run is a step of its own (STEP_PROLOG, STEP_EPILOG) that the controller never hears of: the supervisor runs it,
 * the spool remembers it, and a restarted agent finds it again.  An order that comes before the prolog has ended waits
 * here, in memory: the controller repeats it to an agent that forgot.
 */
#ifndef SPUR_NODE_HOOK_H
#define SPUR_NODE_HOOK_H

#include "node/agent.h"
#include "step/hook.h"

enum hook_answer { HOOK_GO, HOOK_WAIT, HOOK_FAILED };

/* May this order be followed now?  WAIT: `f` is kept, and given to launch_order() again when the prolog has ended. */
enum hook_answer hook_prolog(struct agent *a, const Pb__LaunchOrder *o, const struct frame *f, struct err *err);
/* Keep `f` for the same reason, or until the account of the job's user is looked up. */
enum hook_answer hook_wait(struct agent *a, const Pb__LaunchOrder *o, const struct frame *f);
void hook_follow_waiting(struct agent *a); /* all of them again: those that must, go on waiting */
/* The job is over here and nothing of it runs: has the epilog run too?  False: it runs now. */
bool hook_epilog(struct agent *a, const struct clean *c);
bool hook_epilog_failed(const struct agent *a, const struct clean *c);
/* Does the end of a job need more than the end of its steps? */
bool hook_wanted(const struct agent *a);

void hook_ended(struct step_run *r);                                         /* its report has come */
void hook_forget(struct agent *a, uint32_t job_id, uint32_t attempt); /* the controller knows that the node is clean */
void hook_drop_waiting(struct agent *a, uint32_t job_id, uint32_t attempt); /* the job ends before it began */

#endif
