/*
 * srun_ask - what srun asks for beyond resources: a terminal, several programs, scripts around the tasks.
 */
#ifndef SPUR_CLI_SRUN_ASK_H
#define SPUR_CLI_SRUN_ASK_H

#include "cli/job_opts.h"

/* Options that do not go together, and the terminal: its size goes into the environment.  0, or the exit status with
 * everything said. */
int srun_ask_check(struct job_opts *o);

/* Into the step.  `text` keeps the file of --multi-prog: the step borrows it.  0, or the exit status with everything
 * said. */
int srun_ask_fill(struct job_opts *o, const char *program, Pb__StepSpec *step, struct buf *text);

#endif
