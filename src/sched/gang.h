/*
 * gang - jobs that hold the same cores run in time slices (PreemptMode=GANG).
 *
 * A pure function of the state.  When jobs start or end it says which jobs must be suspended and which resumed; at the
 * end of a time slice (`rotate`), which jobs run next.
 */
#ifndef SPUR_SCHED_GANG_H
#define SPUR_SCHED_GANG_H

#include "core/cluster.h"

struct gang_change {
    struct job *job;
    bool resume; /* else suspend */
};

struct gang {
    VEC(struct gang_change) changes; /* free with vec_clear() */
    bool waiting;                    /* a job waits for its time slice: slices have to end */
};

void gang_plan(const struct cluster *c, bool rotate, struct gang *out);

#endif
