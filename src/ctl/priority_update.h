/*
 * priority_update - keeps the priorities of waiting jobs up to date, by sched/priority.h.
 *
 * What the factors make of a job is no part of the log: it follows from the state, the configuration and the clock,
 * and each leader calculates it anew.  Only the priority a job had when it began is written down, with its start.
 * Nothing is calculated while no job waits or no weight lets numbers move with time.
 */
#ifndef SPUR_CTL_PRIORITY_UPDATE_H
#define SPUR_CTL_PRIORITY_UPDATE_H

#include "ctl/ctl_priv.h"

void priority_update_configure(struct ctl *t);                       /* the site's configuration is another one */
void priority_update_stale(struct ctl *t);                           /* nodes or partitions changed: all anew, once in this turn */
void priority_update_refresh(struct ctl *t);                         /* does what priority_update_stale() asked for */
void priority_update_job(struct ctl *t, struct job *j);              /* it is new, or changed */
void priority_update_timer(struct ctl *t);                             /* PriorityCalcPeriod is over */
uint32_t priority_update_plain(struct ctl *t, const struct job *j);  /* for the log: what a job gets that nobody gave a priority */
uint32_t priority_update_at_start(const struct ctl *t, const struct job *j); /* for its start; 0: as it is */
void ctl_prio(const struct ctl_call *call);               /* sprio */

#endif
