/*
 * io - the standard streams of a step's tasks, carried to the srun that waits for them and to clients that attach
 * later.
 *
 * The supervisor connects to each client as the job's user and presents the client's token; then frames are sent both
 * ways: IO_DATA with a task's rank and fd 1 or 2 (`eof` at its end) and IO_EXIT to the client, IO_DATA with fd 0,
 * IO_SIGNAL and IO_WINDOW to the supervisor.  Stdin is for the task that StepSpec.stdin_task (or pty_task) names, or
 * for all.
 *
 * The first client is the step's srun: the tasks wait when it does not take their output.  A client that cannot be
 * reached, or whose connection broke, is retried for IO_PATIENCE_MS, and then receives what it missed (wire/stream.h).
 * When srun is gone for good, the tasks continue: their output is read and dropped, and the report says so.
 */
#ifndef SPUR_STEP_IO_H
#define SPUR_STEP_IO_H

#include <poll.h>

#include "step/step.h"
#include "wire/frame.h"

#define IO_PATIENCE_MS 10000
#define IO_CLIENTS_MAX 64

/* Sets s->io if the step has an srun; call before the tasks' streams are made. */
void io_prepare(struct step *s);
/* Begin to connect.  The tasks run, or could not be started (s->start_error); srun is notified which. */
void io_connect(struct step *s);
/* Add a client (sattach): it receives the recent output, the ends of tasks and all further output, and may send stdin.
 * `host` is its address when the endpoint has only a name, or "". */
int io_attach(struct step *s, const Pb__IoEndpoint *to, const char *host, struct err *err);

/* Fill io_count() descriptors to poll; pass them to io_handle() in the same order afterwards. */
nfds_t io_count(const struct step *s);
nfds_t io_poll(struct step *s, struct pollfd *fds);
void io_handle(struct step *s, const struct pollfd *fds, nfds_t n);
/* The next time io_handle() must be called without an event; -1: never. */
int64_t io_next_ms(const struct step *s);

void io_exit(struct step *s, struct task *t);              /* send that this task and its epilogs have ended */
void io_say(struct step *s, const char *line, size_t len); /* a line on the step's stderr */
/* Send a frame of another module to srun, in order with the output; dropped when there is no srun. */
void io_send(struct step *s, enum msg_type type, const ProtobufCMessage *msg);
/* Register the handler for srun's frames that are not io's own; it stays until it is replaced. */
typedef void io_frame_fn(struct step *s, const struct frame *f);
void io_on_frame(struct step *s, io_frame_fn *fn);

/* May the tasks still write output, and is a client left to receive it? */
bool io_output_expected(const struct step *s);
/* Every process is gone: read what is left in the pipes. */
void io_no_more(struct step *s);
/* Everything is read and sent, or the clients are given up: the step may end. */
bool io_done(const struct step *s);

#endif
