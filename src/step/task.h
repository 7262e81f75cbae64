/*
 * task - the step's processes: made ready, started, and counted when they end.
 */
#ifndef SPUR_STEP_TASK_H
#define SPUR_STEP_TASK_H

#include "base/err.h"
#include "step/step.h"

/* Working folder, script, files, environment; then one process per task.  On error nothing runs, and `err` says what
 * the report should.  s->report.exit_code is what Slurm gives such a job. */
int task_start_all(struct step *s, struct err *err);

/* Every process that has ended since.  True when no process of the step is left. */
bool task_reap(struct step *s);

#endif
