/*
 * gang - jobs that hold the same cores get time slices of SchedulerTimeSlice seconds in turn.
 *
 * The state is looked at when jobs begin or end, and a timer exists only while a job waits for its time slice.
 */
#ifndef SPUR_CTL_GANG_H
#define SPUR_CTL_GANG_H

#include "ctl/module.h"

void gang_open(struct ctl *t);
void gang_close(struct ctl *t);
void gang_configure(struct ctl *t);
void gang_refresh(struct ctl *t); /* at the end of a turn of the loop */
timer_fn gang_timer;              /* a time slice is over */
void gang_lead(struct ctl *t);
void gang_changed(struct ctl *t, const struct change *ch);
/* A job was started: is it launched at the end of the turn, unless the time slice is that of others? */
bool gang_takes(struct ctl *t, const struct job *j);
void gang_end(struct ctl *t);     /* the configuration has no time slices any more */

#endif
