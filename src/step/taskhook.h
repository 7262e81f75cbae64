/*
 * taskhook - programs that run as the user directly before and after each task: TaskProlog and --task-prolog, then the
 * task, then --task-epilog and TaskEpilog.
 *
 * A prolog controls the task by its standard output: "export NAME=value", "unset NAME", "print text".
 */
#ifndef SPUR_STEP_TASKHOOK_H
#define SPUR_STEP_TASKHOOK_H

#include "step/step.h"

bool taskhook_before_wanted(const struct step *s);
/* Run the prologs in the child, as the user, with its complete environment; their output is applied to s->env and
 * stdout.  0, or the exit code of a failed prolog: the task must not run. */
int taskhook_before(struct step *s);

/* In the supervisor, after the task: start a process that runs the epilogs; 0: there are none. */
pid_t taskhook_after(struct step *s, const struct task *t);

/* Apply one line of a prolog's output. */
void taskhook_line(struct env *env, const char *line, struct buf *print);

#endif
