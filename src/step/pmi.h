/*
 * pmi - the PMI server for a step's tasks: the supervisor serves PMI-1 and PMI-2, a helper process serves PMIx.
 *
 * Data of tasks on other nodes arrives from srun, on the connection that carries the tasks' output.  For a step without
 * --mpi the calls do nothing.
 */
#ifndef SPUR_STEP_PMI_H
#define SPUR_STEP_PMI_H

#include "base/err.h"
#include "step/step.h"

/* Before the tasks start: create their sockets, or start the helper. */
int step_pmi_prepare(struct step *s, struct err *err);
/* In a task's process, before exec: set its descriptor and its environment. */
void step_pmi_child(struct step *s, uint32_t local);
/* The tasks run: close their ends of the sockets. */
void step_pmi_started(struct step *s);
/* srun is gone for good: fail the requests that wait for other nodes. */
void step_pmi_lost(struct step *s);
/* No task is left: returns the ms that the helper may take to exit before what is left is killed. */
int64_t step_pmi_leave(struct step *s);

/* The step is over and nothing of it runs: remove what a killed helper has left. */
void step_pmi_end(struct step *s);

#endif
