/*
 * gang - jobs that hold the same cores take turns (PreemptMode=GANG).
 *
 * A pure function of the state: asked when jobs begin or end it says who has to stop and who may go on; asked when a
 * turn is over, who comes next.
 */
#ifndef SPUR_SCHED_GANG_H
#define SPUR_SCHED_GANG_H

#include "core/cluster.h"

struct gang_change {
    struct job *job;
    bool resume; /* it goes on; else it stops */
};

struct gang {
    VEC(struct gang_change) changes; /* free with vec_clear() */
    bool waiting;                    /* somebody waits: turns end */
};

void gang_plan(const struct cluster *c, bool rotate, struct gang *out);

#endif
