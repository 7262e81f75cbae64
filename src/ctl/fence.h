/*
 * fence - when is it certain that a lost node's jobs do not run any more?  SpurFencing is the site's answer.
 *
 *     slurm    after SlurmdTimeout.  A node that was only cut off may run a job that has been started again elsewhere,
 *              until it is heard of and ends it.
 *     confirm  when the agent says so, or the node has booted again, or SpurFenceProgram ended well for it, or an
 *              administrator says so (scontrol update nodename=N state=fenced).
 *     lease    when the node has been lost for so long that its supervisors have ended its jobs (step/lease.h): they do
 *              so when no heartbeat that was sent within SpurLeaseTime has been answered.
 *
 * Until then the jobs are COMPLETING on that node, so that none is started again; the record says it, and a new leader
 * goes on from there.  In every mode the agent of a node that is connected is told to end the jobs, and is waited for.
 */
#ifndef SPUR_CTL_FENCE_H
#define SPUR_CTL_FENCE_H

#include "ctl/module.h"
#include "sched/sched.h"

void fence_open(struct ctl *t);
void fence_close(struct ctl *t);
void fence_lead(struct ctl *t);
timer_fn fence_timer;

/* For how long an answered heartbeat lets the jobs of a node run; 0: for ever. */
uint32_t fence_lease_s(const struct ctl *t);

void fence_lost(struct ctl *t, struct node *n, const char *why); /* the node is down */
/* Its jobs have certainly ended.  Refused for a node that is connected: its agent knows better. */
int fence_confirm(struct ctl *t, struct node *n, const char *by, struct err *err);

/* What a COMPLETING job waits for, and what would help; false: for nothing of the kind. */
bool fence_explain(const struct ctl *t, const struct job *j, struct why_text *out);

#endif
