/*
 * usage - what the tasks of a step use: looked up in /proc every so often, exact when a task ends.
 *
 * The interval is the step's --acctg-freq, else the job's, else JobAcctGatherFrequency (in the spawner's environment);
 * 0: only at the end.  Nothing is looked up before the first interval is over, so that short tasks pay nothing.
 *
 * A task is its process and all below it; what lost its parents is known by its process group, else counted for the
 * first task.  Times, pages and bytes only grow; of memory the peak of the sum is kept.
 */
#ifndef SPUR_STEP_USAGE_H
#define SPUR_STEP_USAGE_H

#include "step/step.h"
#include "wire/usage.h"

/* The tasks run: look at them from time to time. */
void usage_begin(struct step *s);
/* A child ended and is not reaped yet: what only /proc knows of it. */
void usage_peek(struct step *s, pid_t pid);
/* It is reaped, and the kernel says what it used. */
void usage_task_end(struct step *s, const struct task *t, const Pb__Usage *used);
/* The end: into s->report. */
void usage_report(struct step *s);

/* What an agent asked for: the step as it is now.  Free with usage_stat_clear. */
void usage_stat(struct step *s, bool pids, Pb__StepStat *out);
void usage_stat_clear(Pb__StepStat *out);

#endif
