/*
 * reconcile - what a job's record still needs from its nodes: launches, the end, to be stopped and to go on.
 *
 * Files that decide only emit events.  Each job that changed is compared, at the end of the turn, with what this leader
 * has ordered for its attempt, and the difference is sent.  That memory is no part of the log: a new leader takes the
 * orders that the records imply as given, and a node that registers says what runs there and is told what is missing
 * (act_node).  So it is safe to ask again, and a further reconciler is a file and a row in modules.c.
 *
 * No record says these, so they are sent where they are decided, and a node that is not connected does not get them:
 *   - signals: scancel --signal, --signal before the limit, a request to make room   act_signal, act_signal_step
 *   - the end of a single step: scancel of a step, its time limit, want of memory    act_end_step
 *   - the end on nodes that a running job gives back                                  resize.c
 *   - the line for the job's output that says why it was ended                       reconcile_notice
 * and these belong to a connection, which asks again after a failover:
 *   - a pending reply (wait.c), a step that waits for others (step_wait.c), a query (query_cache.c)
 */
#ifndef SPUR_CTL_RECONCILE_H
#define SPUR_CTL_RECONCILE_H

#include "ctl/change.h"

void reconcile_open(struct ctl *t);
void reconcile_close(struct ctl *t);
void reconcile_lead(struct ctl *t);
void reconcile_changed(struct ctl *t, const struct change *ch);

void reconcile_all(struct ctl *t);                  /* all jobs that changed; at the end of the turn at the latest */
void reconcile_job(struct ctl *t, struct job *j);   /* this job now: an order that is sent next relies on it */
void reconcile_notice(struct ctl *t, const struct job *j,
                      const char *line); /* for its output when it is ended; may be NULL */

#endif
