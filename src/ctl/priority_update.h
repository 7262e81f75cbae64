/*
 * priority_update - keeps the priorities of waiting jobs up to date, by sched/priority.h.
 *
 * What the factors make of a job is no part of the log: it follows from the state, the configuration and the clock,
 * and each leader calculates it anew.  Only the priority a job had when it began is written down, with its start.
 * Nothing is calculated while no job waits or no weight lets numbers move with time.
 */
#ifndef SPUR_CTL_PRIORITY_UPDATE_H
#define SPUR_CTL_PRIORITY_UPDATE_H

#include "ctl/module.h"
#include "sched/priority.h"

void priority_update_open(struct ctl *t);
void priority_update_close(struct ctl *t);
void priority_update_changed(struct ctl *t, const struct change *ch);
void priority_update_configure(struct ctl *t);                       /* the site's configuration is another one */
void priority_update_stale(struct ctl *t); /* nodes or partitions changed: all anew, once in this turn */
void priority_update_refresh(struct ctl *t);                         /* does what priority_update_stale() asked for */
timer_fn priority_update_timer;                           /* PriorityCalcPeriod is over */
const struct priority_conf *priority_update_conf(const struct ctl *t);
uint32_t priority_update_plain(struct ctl *t,
                               const struct job *j); /* for the log: the priority of a job without an explicit one */
uint32_t priority_update_at_start(const struct ctl *t, const struct job *j); /* for its start; 0: as it is */

#endif
