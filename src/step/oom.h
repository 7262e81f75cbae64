/*
 * oom - a step whose processes the kernel killed for want of memory: noticed, said once, and in the report.
 *
 * As in Slurm, once that has happened every task of the step that ends is "Out Of Memory" (0:125), and so is the step:
 * which of its processes the kernel chose tells little about which one asked for too much.
 */
#ifndef SPUR_STEP_OOM_H
#define SPUR_STEP_OOM_H

#include "step/step.h"

/* The boxes are made: with --oom-kill-step (or TaskPluginParam=OOMKillStep) the whole step ends at the first event. */
void oom_begin(struct step *s);
/* The wait status of a task that ended with `status`. */
int oom_status(struct step *s, int status);

#endif
