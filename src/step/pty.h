/*
 * pty - terminals of tasks: the terminal that --pty gives to a task, and terminals for unbuffered output (-u).
 *
 * They are opened with the user's rights, so that the user owns them.
 */
#ifndef SPUR_STEP_PTY_H
#define SPUR_STEP_PTY_H

#include "base/err.h"
#include "step/files.h"
#include "step/step.h"

/* Is this the task with the terminal of --pty? */
bool pty_has(const struct step *s, const struct task *t);
/* The task's three streams become a terminal of srun's size; t->in and t->out are the supervisor's end. */
int pty_open(const struct step *s, struct task *t, struct files *f, struct err *err);
/* Make stdout a terminal without output processing and echo: programs then write each line at once. */
int pty_unbuffered(const struct step *s, struct task *t, struct files *f, struct err *err);
/* In the child, with its streams in place: start a session with this controlling terminal. */
void pty_enter(void);

/* srun's window has changed its size. */
void pty_resize(const struct step *s, uint32_t rows, uint32_t cols);

#endif
