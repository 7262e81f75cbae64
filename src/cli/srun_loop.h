/*
 * srun_loop - from the start of a step to its last output: signals, -K, -W, and one poll() for all of it.
 */
#ifndef SPUR_CLI_SRUN_LOOP_H
#define SPUR_CLI_SRUN_LOOP_H

#include "cli/mpi.h"
#include "cli/stepio.h"
#include "client/client.h"

struct srun_loop {
    struct stepio *io;
    struct srun_mpi *mpi;  /* or NULL */
    struct client *client; /* asked when nodes stay silent */
    int sig_fd;
    bool het; /* over several components: the end of the first says nothing about the others */
    bool quiet, disable_status, quit_on_interrupt, kill_on_bad_exit;
    uint32_t wait_s;  /* -W; 0: for ever */
    unsigned ignored; /* --ignore-signals: bit n for signal n */
    int pty_fd;       /* the terminal whose size the task's one has; -1: none */

    /* its own */
    int64_t interrupted_ms;                              /* the last ^C; 0: none */
    int64_t tell_ms, wait_ms, kill_ms, watch_ms, due_ms; /* when to do what next; 0: not */
    int64_t end_ms;       /* when to wait no more for a step that was aborted; 0: it was not */
    uint32_t told_hellos; /* supervisors that were connected when the step was told to end */
    bool terminating, killed, revoked;
    bool step_over; /* by the controller: nodes that have not connected never will */
    bool deaf; /* no connection reports the job's end: it is polled */
};

/* Runs until the step is over.  The exit status is tasks_code(); `revoked` when the job ended under it. */
void srun_loop_run(struct srun_loop *l);

#endif
