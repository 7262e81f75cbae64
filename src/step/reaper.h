/*
 * reaper - every process that a step started, however far it ran from its parents.
 *
 * The supervisor is the subreaper of what it starts: whoever loses a parent becomes its child.  So the descendants
 * of this process are the step, and when it has no child left, nothing of the step is left.
 */
#ifndef SPUR_STEP_REAPER_H
#define SPUR_STEP_REAPER_H

#include <stdbool.h>
#include <sys/types.h>

#include "record.pb-c.h"

int reaper_start(void);                         /* 0 or errno */
void reaper_signal_all(int signo);              /* to every descendant */

/* Every descendant there is now; `*out` is yours to free. */
size_t reaper_list(pid_t **out);

/* A child that has ended and is still to be seen in /proc; 0: none. */
pid_t reaper_peek(void);

struct reaped {
    pid_t pid;
    int status;
    Pb__Usage usage; /* its own, and that of those it waited for */
};
/* One process that ended, its use added to `usage`: 1; none now: 0; no child is left: -1. */
int reaper_next(struct reaped *out, Pb__Usage *usage);

#endif
