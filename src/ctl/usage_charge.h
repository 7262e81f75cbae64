/*
 * usage_charge - charges what jobs used to their associations, the accounts above, and their QOS.
 *
 * Every PriorityCalcPeriod, while anything runs or waits, one event says what each has used until now:
 * billing units and TRES by the second, fading with PriorityDecayHalfLife.  The event has the sums, not how to get
 * them: a replay does no arithmetic with time.  Jobs are charged before they are purged, so nothing is missed, and each
 * second once: the state has the time until which all jobs are charged.
 */
#ifndef SPUR_CTL_USAGE_CHARGE_H
#define SPUR_CTL_USAGE_CHARGE_H

#include "ctl/module.h"

void usage_charge_open(struct ctl *t);
void usage_charge_close(struct ctl *t);
void usage_charge_changed(struct ctl *t, const struct change *ch);
void usage_charge_all(struct ctl *t);   /* until now */
void usage_charge_remind(struct ctl *t); /* something runs or waits: see to it that it is charged */
void usage_charge_lead(struct ctl *t);       /* this controller leads from now on */
void usage_charge_configured(struct ctl *t); /* another configuration holds */
void usage_charge_before(struct ctl *t,
                         const struct job *j); /* what it holds is about to change: until now it held this */
timer_fn usage_charge_timer;
/* Has it used something that is not charged yet? */
bool usage_charge_owes(struct ctl *t, const struct job *j);

#endif
