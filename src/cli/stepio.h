/*
 * stepio - srun's side of a running step: supervisors connect, output and exits come in, stdin and signals go out.
 *
 * Not a loop of its own: stepio_poll says what to wait for, stepio_handle takes the answers.
 */
#ifndef SPUR_CLI_STEPIO_H
#define SPUR_CLI_STEPIO_H

#include <poll.h>

#include "base/vec.h"
#include "cli/endpoint.h"
#include "cli/output.h"
#include "cli/tasks.h"

struct supervisor {
    int fd;
    bool known;                  /* it showed the token */
    uint32_t node, first, n;     /* its tasks */
    struct buf in, out;
};

struct stepio {
    struct endpoint *endpoint;   /* borrowed */
    struct output *output;       /* borrowed */
    struct tasks *tasks;         /* borrowed */
    VEC(struct supervisor) peers;
    uint32_t nodes, hellos;      /* how many there will be, have been */
    int in_fd;                   /* stdin; -1: none, or ended */
    bool in_eof;                 /* tell who connects later */
    bool carry[3];               /* streams 1 and 2 come through srun */
    bool cancelled;              /* a supervisor said that the step was cancelled */
    bool failed;                 /* a node could not launch its tasks */
    uint32_t job, step;
    uint32_t kill_wait_s;        /* how long the tasks have after a cancellation */
};

void stepio_init(struct stepio *s, struct endpoint *e, struct output *o, struct tasks *t, uint32_t nodes);
void stepio_clear(struct stepio *s);

/* Fill `fds` (room for stepio_room()). */
size_t stepio_room(const struct stepio *s);
nfds_t stepio_poll(struct stepio *s, struct pollfd *fds);
void stepio_handle(struct stepio *s, const struct pollfd *fds, nfds_t n);

void stepio_signal(struct stepio *s, int signo);       /* to all tasks */
bool stepio_done(const struct stepio *s);              /* every task has ended and all was shown */

#endif
