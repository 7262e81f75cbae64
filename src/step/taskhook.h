/*
 * taskhook - what runs as the user right before and right after each task: TaskProlog and --task-prolog, then the task,
 * then --task-epilog and TaskEpilog.
 *
 * A prolog speaks to the task through its standard output: "export NAME=value", "unset NAME", "print text".
 */
#ifndef SPUR_STEP_TASKHOOK_H
#define SPUR_STEP_TASKHOOK_H

#include "step/step.h"

bool taskhook_before_wanted(const struct step *s);
/* In the child, as the user, its environment complete; what the prologs say is done to s->env and to stdout.
 * 0, or the exit code of the prolog that failed: the task does not run. */
int taskhook_before(struct step *s);

/* In the supervisor, after the task: a process that runs the epilogs; 0: there are none. */
pid_t taskhook_after(struct step *s, const struct task *t);

/* One line of a prolog's output. */
void taskhook_line(struct env *env, const char *line, struct buf *print);

#endif
