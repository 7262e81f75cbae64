/*
 * oom - a step whose processes the kernel's OOM killer killed: detected, printed once, and in the report.
 *
 * As in Slurm, after that every task of the step that ends is "Out Of Memory" (0:125), and so is the step: the process
 * that the kernel chose need not be the one that used too much.
 */
#ifndef SPUR_STEP_OOM_H
#define SPUR_STEP_OOM_H

#include "step/step.h"

/* Call when the cgroups are made: with --oom-kill-step (or TaskPluginParam=OOMKillStep) the first OOM kill ends the
 * step. */
void oom_begin(struct step *s);
/* The wait status of a task that ended with `status`. */
int oom_status(struct step *s, int status);

#endif
