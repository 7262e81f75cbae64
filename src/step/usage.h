/*
 * usage - resource usage of a step's tasks: sampled from /proc at intervals, exact when a task ends.
 *
 * The interval is the step's --acctg-freq, else the job's, else JobAcctGatherFrequency (in the spawner's environment);
 * 0: only at the end.  The first sample is taken after the first interval, so that short tasks pay nothing.
 *
 * A task is its process and all descendants; a process without a parent in the step is counted by its process group,
 * else for the first task.  Times, pages and bytes only grow; of memory the peak of the sum is kept.
 */
#ifndef SPUR_STEP_USAGE_H
#define SPUR_STEP_USAGE_H

#include "step/step.h"
#include "wire/usage.h"

/* The tasks run: start sampling. */
void usage_begin(struct step *s);
/* A child has ended and is not reaped yet: read what only /proc has. */
void usage_peek(struct step *s, pid_t pid);
/* The task is reaped; `used` is the kernel's account. */
void usage_task_end(struct step *s, const struct task *t, const Pb__Usage *used);
/* At the end: fill s->report. */
void usage_report(struct step *s);

/* Reply to an agent's query: the step's current usage.  Free with usage_stat_clear. */
void usage_stat(struct step *s, bool pids, Pb__StepStat *out);
void usage_stat_clear(Pb__StepStat *out);

#endif
