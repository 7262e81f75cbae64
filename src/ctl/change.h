/*
 * change - what an event did, in the terms of the modules: a job began, a job ended, the nodes changed.
 *
 * One event may be several changes (a heterogeneous job, a task that leaves its array), and several events may be the
 * same change.  change.c is the only place that knows which; a module names the changes it wants to hear of in its row.
 */
#ifndef SPUR_CTL_CHANGE_H
#define SPUR_CTL_CHANGE_H

#include "ctl/ctl_priv.h"

enum change_kind {
    CHANGE_JOB_NEW,       /* submitted, or left its array */
    CHANGE_JOB_UPDATED,   /* its request, its hold, its dependencies */
    CHANGE_JOB_WARNED,    /* it was asked to make room: it has until yield_s */
    CHANGE_JOB_SPLIT,     /* a task of this array began as a job of its own */
    CHANGE_JOB_BEGAN,     /* it has its nodes */
    CHANGE_JOB_READY,     /* PrologSlurmctld has ended */
    CHANGE_JOB_SUSPENDED, /* or goes on */
    CHANGE_JOB_RESIZED,
    CHANGE_JOB_OVER,      /* it ended, lost a node, or goes back to the queue */
    CHANGE_JOB_QUEUED,    /* it is pending again, or newly on its own: its dependencies count again */
    CHANGE_STEP_NEW,
    CHANGE_STEP_OVER,
    CHANGE_NODES_CHANGED, /* nodes or partitions: their configuration or state */
    CHANGE_RESV_CHANGED,
    CHANGE_ASSOCS_CHANGED, /* accounts, users, QOS */
    CHANGE_USAGE_CHANGED,  /* what was charged to them */
};

#define CHANGE(kind) (1u << CHANGE_##kind)
/* the job itself is another one than before, as the scheduler and its timers see it */
#define CHANGES_JOB                                                                                                    \
    (CHANGE(JOB_NEW) | CHANGE(JOB_UPDATED) | CHANGE(JOB_WARNED) | CHANGE(JOB_BEGAN) | CHANGE(JOB_READY) |              \
     CHANGE(JOB_SUSPENDED) | CHANGE(JOB_RESIZED) | CHANGE(JOB_OVER))
#define CHANGES_CLUSTER (CHANGE(NODES_CHANGED) | CHANGE(RESV_CHANGED) | CHANGE(ASSOCS_CHANGED))

struct change {
    enum change_kind kind;
    struct job *job; /* of the JOB_ and STEP_ kinds */
    const Pb__Event *event;
};

void change_notify(struct ctl *t, const Pb__Event *ev); /* the event was applied: tell the modules */

#endif
