/*
 * pmi - the MPI library of a step's tasks, served by their supervisor: PMI-1 and PMI-2 itself, PMIx by a helper.
 *
 * What the tasks of other nodes put comes from srun, in frames of the connection that their output takes, too.
 * A step without --mpi has none of this, and the calls do nothing.
 */
#ifndef SPUR_STEP_PMI_H
#define SPUR_STEP_PMI_H

#include "base/err.h"
#include "step/step.h"

/* Before the tasks: their sockets, or the helper. */
int step_pmi_prepare(struct step *s, struct err *err);
/* In a task's process, before exec: its descriptor and its environment. */
void step_pmi_child(struct step *s, uint32_t local);
/* The tasks run: their ends are theirs alone. */
void step_pmi_started(struct step *s);
/* srun is gone for good: whoever waits for other nodes hears that they will not come. */
void step_pmi_lost(struct step *s);
/* No task is left: how long the helper may take to tidy up, in ms, before what is left is killed. */
int64_t step_pmi_leave(struct step *s);

/* The step is over, nothing of it runs: what a helper that was killed has left is removed. */
void step_pmi_end(struct step *s);

#endif
