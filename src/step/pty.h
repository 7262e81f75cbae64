/*
 * pty - terminals of tasks: the one that --pty gives to a task, and those that make output unbuffered (-u).
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
/* Its three streams become a terminal of srun's size; what it reads and writes is at t->in and t->out. */
int pty_open(const struct step *s, struct task *t, struct files *f, struct err *err);
/* stdout as a terminal that changes no byte: programs then write as they go. */
int pty_unbuffered(const struct step *s, struct task *t, struct files *f, struct err *err);
/* In the child, its streams in place: a session of its own, whose terminal this is. */
void pty_enter(void);

/* srun's window has another size. */
void pty_resize(const struct step *s, uint32_t rows, uint32_t cols);

#endif
