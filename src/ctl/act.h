/*
 * act - orders to the nodes of a job: launches, signals, ends.
 *
 * reconcile.c sends the orders that follow from the job's record; all other orders are sent where they are decided
 * (reconcile.h has the list).  An order may be sent again: a node that knows it already says so.
 */
#ifndef SPUR_CTL_ACT_H
#define SPUR_CTL_ACT_H

#include "ctl/ctl_priv.h"

/* ---- from reconcile.c ---- */
void act_started(struct ctl *t, struct job *j); /* launch its script; run its prolog */
void act_step(struct ctl *t, struct job *j, const Pb__Step *s);
void act_terminate(struct ctl *t, struct job *j, const char *reason); /* end it on every node that is not done */
void act_pace(struct ctl *t, struct job *j, bool stop);               /* it is suspended, or goes on */

/* ---- where they are decided ---- */
/* Launch it again on these places, except where it is done. */
void act_launch_again(struct ctl *t, struct job *j, uint32_t step_id, const uint32_t *pos, size_t n);
void act_signal(struct ctl *t, struct job *j, uint32_t signal, bool batch_only, bool full, bool steps_only);
void act_signal_step(struct ctl *t, struct job *j, uint32_t step, uint32_t signal);
/* End it on its nodes: by SIGTERM and then SIGKILL, or by SIGKILL at once; `reason` is for its output. */
void act_end_step(struct ctl *t, struct job *j, const Pb__Step *s, uint32_t signal, const char *reason);
void act_node(struct ctl *t, struct node *n, const Pb__RegisterRequest *r); /* a node registered: all it should do */

#endif
