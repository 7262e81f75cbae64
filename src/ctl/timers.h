/*
 * timers - what a job's times ask for: its limit, its warning, its deadline, its purge.
 *
 * They follow from the job's record: whenever it changes they are set again, and a timer that no longer fits is ignored
 * when it fires.
 */
#ifndef SPUR_CTL_TIMERS_H
#define SPUR_CTL_TIMERS_H

#include "ctl/module.h"

void timers_open(struct ctl *t);
void timers_close(struct ctl *t);
void timers_lead(struct ctl *t);
void timers_changed(struct ctl *t, const struct change *ch);
timer_fn timers_limit, timers_warn_due, timers_deadline, timers_purge, timers_immediate;

void timers_end(struct ctl *t, struct job *j);  /* it has run for as long as it may */
void timers_warn(struct ctl *t, struct job *j); /* its --signal, if it has one and has not had it */

#endif
