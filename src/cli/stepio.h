/*
 * stepio - srun's side of a step: supervisors connect, tasks' output and ends come in, stdin and signals go out.
 *
 * Not a loop of its own: stepio_poll says what to wait for, stepio_handle takes the answers.  A supervisor on another
 * machine whose connection breaks is waited for; it comes again and goes on where it stopped (wire/stream.h).
 */
#ifndef SPUR_CLI_STEPIO_H
#define SPUR_CLI_STEPIO_H

#include <poll.h>

#include "base/vec.h"
#include "cli/endpoint.h"
#include "cli/output.h"
#include "cli/tasks.h"
#include "io/link_wait.h"
#include "wire/stream.h"

#define STEPIO_PATIENCE_MS 15000 /* longer than a supervisor's own: it gives up first */

struct supervisor {
    struct link_wait link; /* not connected: gone, or away */
    bool known; /* it showed the token */
    bool local; /* on this machine: when it hangs up it is dead */
    uint32_t node, n;
    uint32_t *rank;  /* of its n tasks */
    int64_t away_ms; /* since when its connection is broken; 0: it is not */
    struct stream st;
};

struct stepio;
/* A frame that is none of stepio's own, from the supervisor of that node of the step. */
typedef void stepio_frame_fn(struct stepio *s, uint32_t node, const struct frame *f, void *arg);

struct stepio {
    struct endpoint *endpoint; /* borrowed */
    struct output *output;     /* borrowed */
    struct tasks *tasks;       /* borrowed */
    const Pb__Step *layout;    /* borrowed, or NULL: which ranks are where, when a hello cannot hold them */
    VEC(struct supervisor) peers;
    uint32_t nodes, hellos; /* how many there will be, have been */
    int in_fd;              /* stdin; -1: none, or ended */
    int64_t stdin_task;     /* the one that reads it; -1: all */
    bool in_eof;            /* a supervisor that connects later gets it too */
    bool carry[3];          /* streams 1 and 2 come through srun */
    bool closed[3];         /* the tasks know that the stream has no reader */
    bool cancelled;         /* a supervisor said that the step was cancelled */
    bool failed;            /* a node could not launch its tasks */
    uint32_t job, step;
    bool own_limit;            /* the step has a limit of its own: when that is reached, the step was not cancelled */
    uint32_t kill_wait_s;      /* how long the tasks have after a cancellation */
    stepio_frame_fn *on_frame; /* or NULL */
    void *frame_arg;
};

void stepio_init(struct stepio *s, struct endpoint *e, struct output *o, struct tasks *t, uint32_t nodes);
void stepio_clear(struct stepio *s);

/* Fill `fds` (room for stepio_room()). */
size_t stepio_room(const struct stepio *s);
nfds_t stepio_poll(struct stepio *s, struct pollfd *fds);
void stepio_handle(struct stepio *s, const struct pollfd *fds, nfds_t n);
/* Supervisors that stayed away for too long are lost, and their tasks.  When to ask next (monotonic clock); 0: need
 * not. */
int64_t stepio_due(struct stepio *s, int64_t now_ms);

void stepio_send(struct stepio *s, uint32_t node, enum msg_type type, const ProtobufCMessage *m);
void stepio_send_all(struct stepio *s, enum msg_type type, const ProtobufCMessage *m); /* to connected supervisors */
void stepio_signal(struct stepio *s, int signo, const char *reason); /* to all tasks; a reason as below, or NULL */
/* The step's end, `reason` ("DUE TO ...") told by its first node: SIGKILL now, or SIGTERM and SIGKILL after `grace_s`.
 */
void stepio_kill(struct stepio *s, bool gently, uint32_t grace_s, const char *reason);
/* The node number `index` of the step refused to launch its tasks: no supervisor will connect. */
void stepio_refused(struct stepio *s, uint32_t index, const char *node, uint32_t code, const char *text);
bool stepio_done(const struct stepio *s); /* every task has ended and all was shown */

#endif
