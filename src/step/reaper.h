/*
 * reaper - every process that a step started, whatever its parent is now.
 *
 * The supervisor is the subreaper of the processes it starts: a process that loses its parent becomes its child.  So
 * the descendants of the supervisor are the step's processes, and when it has no child left, no process of the step is
 * left.
 */
#ifndef SPUR_STEP_REAPER_H
#define SPUR_STEP_REAPER_H

#include <stdbool.h>
#include <sys/types.h>

#include "record.pb-c.h"

int reaper_start(void);                         /* 0 or errno */
void reaper_signal_all(int signo);              /* to every descendant */

/* All current descendants; the caller frees `*out`. */
size_t reaper_list(pid_t **out);

/* A child that has ended and is still in /proc (a zombie); 0: none. */
pid_t reaper_peek(void);

struct reaped {
    pid_t pid;
    int status;
    Pb__Usage usage; /* including children that it waited for */
};
/* Reap one ended process and add its use to `usage`: returns 1; 0: none has ended; -1: no child is left. */
int reaper_next(struct reaped *out, Pb__Usage *usage);

#endif
