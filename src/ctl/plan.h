/*
 * plan - asks the scheduler, and makes its answer happen.
 *
 * A plan is made at the end of a turn in which something changed that may let a job start, or when a time comes that
 * the scheduler named.
 */
#ifndef SPUR_CTL_PLAN_H
#define SPUR_CTL_PLAN_H

#include "ctl/module.h"

void plan_open(struct ctl *t);
void plan_close(struct ctl *t);
void plan_configure(struct ctl *t);
void plan_lead(struct ctl *t);
void plan_changed(struct ctl *t, const struct change *ch);
void plan_turn_end(struct ctl *t);
timer_fn plan_timer;

void plan_turn_begin(struct ctl *t);        /* a turn begins */
void plan_want(struct ctl *t);         /* a plan at the end of this turn */
bool plan_again(const struct ctl *t);  /* the plan's budget was spent: turn again at once */
/* It has its nodes, they are ready, and it is its turn: srun's own step begins, clients hear of it; reconcile.c
 * launches. */
void plan_begun(struct ctl *t, struct job *j);
bool plan_victim(const struct ctl *t, const struct job *j); /* was it preempted, and waits for the other to begin? */

#endif
