/*
 * hook - Prolog and Epilog: the administrator's scripts on this node, before a job's first step and after its last.
 *
 * Each run is a step of its own (STEP_PROLOG, STEP_EPILOG) that is not reported to the controller: a supervisor runs
 * it, the spool records it, and a restarted agent adopts it.  An order that arrives before the prolog has ended waits
 * in memory; after a restart of the agent the controller sends it again.
 */
#ifndef SPUR_NODE_HOOK_H
#define SPUR_NODE_HOOK_H

#include "node/agent.h"
#include "step/hook.h"

enum hook_answer { HOOK_GO, HOOK_WAIT, HOOK_FAILED };

/* May this order be executed now?  WAIT: `f` is kept, and passed to launch_order() again when the prolog has ended. */
enum hook_answer hook_prolog(struct agent *a, const Pb__LaunchOrder *o, const struct frame *f, struct err *err);
/* Keep `f` for the same reason, or until the account of the job's user is looked up. */
enum hook_answer hook_wait(struct agent *a, const Pb__LaunchOrder *o, const struct frame *f);
void hook_follow_waiting(struct agent *a); /* retries all waiting orders; an order may have to wait again */
/* The job is over on this node and none of its steps runs: has the epilog run, too?  False: it runs now. */
bool hook_epilog(struct agent *a, const struct clean *c);
bool hook_epilog_failed(const struct agent *a, const struct clean *c);
/* Does the end of a job need more than the end of its steps? */
bool hook_wanted(const struct agent *a);

void hook_ended(struct step_run *r);                                         /* a prolog or epilog has ended */
void hook_forget(struct agent *a, uint32_t job_id, uint32_t attempt); /* the controller has acknowledged the cleaning */
void hook_drop_waiting(struct agent *a, uint32_t job_id, uint32_t attempt); /* the job ends before its launch */

#endif
