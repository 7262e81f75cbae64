/*
 * io - the standard streams of a step's tasks, carried to the srun that waits for them.
 *
 * The supervisor connects to srun and shows the token of its order; then frames go both ways: IO_DATA with a task's
 * rank and fd 1 or 2 (`eof` at its end) and IO_EXIT out, IO_DATA with fd 0 and IO_SIGNAL in.  What srun sends as stdin
 * goes to the task that StepSpec.stdin_task names, or to all.  An srun that cannot be reached for IO_PATIENCE_MS, or
 * goes away, does not stop the tasks: their output is read and dropped, and the report says so.
 */
#ifndef SPUR_STEP_IO_H
#define SPUR_STEP_IO_H

#include <poll.h>

#include "step/step.h"

#define IO_PATIENCE_MS 10000

/* Is there an srun to talk to?  Then s->io is set, and the tasks' streams can be made. */
void io_prepare(struct step *s);
/* Begin to connect: the tasks run, or could not be started (s->start_error), and srun is told which. */
void io_connect(struct step *s);

/* What to poll for: appended to `fds`, at most 1 + 3 per task.  Then hand the answers back, in the same order. */
nfds_t io_poll(struct step *s, struct pollfd *fds);
void io_handle(struct step *s, const struct pollfd *fds, nfds_t n);
/* When it must be asked again without an event; -1: never. */
int64_t io_next_ms(const struct step *s);

void io_exit(struct step *s, const struct task *t);        /* tell srun that this task has ended */
void io_say(struct step *s, const char *line, size_t len); /* a line on the step's stderr */
/* Everything is read and sent (or given up): the step may end. */
bool io_done(const struct step *s);

#endif
