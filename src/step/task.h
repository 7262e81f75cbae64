/*
 * task - the step's processes: prepared, started, and reaped.
 */
#ifndef SPUR_STEP_TASK_H
#define SPUR_STEP_TASK_H

#include "base/err.h"
#include "step/step.h"

/* Prepare working folder, script, files and environment, then start one process per task.  On error nothing runs, `err`
 * is the text for the report, and s->report.exit_code is what Slurm gives such a job. */
int task_start_all(struct step *s, struct err *err);

/* Reap the processes that have ended.  True: no process of the step is left. */
bool task_reap(struct step *s);

#endif
