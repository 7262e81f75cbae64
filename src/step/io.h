/*
 * io - the standard streams of a step's tasks, carried to the srun that waits for them and to those who attach later.
 *
 * The supervisor connects to each of them as the job's user and shows the token it was given; then frames go both ways:
 * IO_DATA with a task's rank and fd 1 or 2 (`eof` at its end) and IO_EXIT out, IO_DATA with fd 0, IO_SIGNAL and
 * IO_WINDOW in.  What is sent as stdin goes to the task that StepSpec.stdin_task (or pty_task) names, or to all.
 *
 * The first client is the step's srun: the tasks wait when it does not take their output.  A client that cannot be
 * reached, or whose connection broke, is tried again for IO_PATIENCE_MS, and what it missed is sent then
 * (wire/stream.h). When srun is gone for good the tasks go on: their output is read and dropped, and the report says
 * so.
 */
#ifndef SPUR_STEP_IO_H
#define SPUR_STEP_IO_H

#include <poll.h>

#include "step/step.h"
#include "wire/frame.h"

#define IO_PATIENCE_MS 10000
#define IO_CLIENTS_MAX 64

/* Is there an srun to talk to?  Then s->io is set, and the tasks' streams can be made. */
void io_prepare(struct step *s);
/* Begin to connect: the tasks run, or could not be started (s->start_error), and srun is told which. */
void io_connect(struct step *s);
/* One more client (sattach): the last of the output and all that follows, its stdin is the tasks', too.  It is told of
 * the tasks that have ended.  `host` is its address when the endpoint has but a name, or "". */
int io_attach(struct step *s, const Pb__IoEndpoint *to, const char *host, struct err *err);

/* What to poll for: io_count() of them are filled.  Then hand the answers back, in the same order. */
nfds_t io_count(const struct step *s);
nfds_t io_poll(struct step *s, struct pollfd *fds);
void io_handle(struct step *s, const struct pollfd *fds, nfds_t n);
/* When it must be asked again without an event; -1: never. */
int64_t io_next_ms(const struct step *s);

void io_exit(struct step *s, struct task *t);              /* tell that this task and its epilogs have ended */
void io_say(struct step *s, const char *line, size_t len); /* a line on the step's stderr */
/* A frame of another room to srun, in order with the output; dropped when there is no srun. */
void io_send(struct step *s, enum msg_type type, const ProtobufCMessage *msg);
/* Frames of srun that are not io's own are given to this one; it stays until it is replaced. */
typedef void io_frame_fn(struct step *s, const struct frame *f);
void io_on_frame(struct step *s, io_frame_fn *fn);

/* May output of the tasks still come, and is there somebody to hear it? */
bool io_heard(const struct step *s);
/* Every process is gone: what is in the pipes now is all there will be. */
void io_no_more(struct step *s);
/* Everything is read and sent (or given up): the step may end. */
bool io_done(const struct step *s);

#endif
