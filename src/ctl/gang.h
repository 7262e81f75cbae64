/*
 * gang - jobs that hold the same cores take turns of SchedulerTimeSlice seconds.
 *
 * Nothing is asked while nobody shares: the state is looked at when jobs begin or end, and a reminder exists only
 * while somebody waits for a turn.
 */
#ifndef SPUR_CTL_GANG_H
#define SPUR_CTL_GANG_H

#include "ctl/ctl_priv.h"

void gang_configure(struct ctl *t);
void gang_refresh(struct ctl *t); /* at the end of a turn of the loop */
void gang_timer(struct ctl *t);     /* a time slice is over */
void gang_end(struct ctl *t);     /* the configuration knows no turns any more */

#endif
