/*
 * charge - what jobs used is written down for those who run them: associations, the accounts above, and QOS.
 *
 * Every PriorityCalcPeriod, while anything runs or waits, one event says what each has used until now:
 * billing units and TRES by the second, fading with PriorityDecayHalfLife.  The event has the sums, not how to get them:
 * a replay does no arithmetic with time.  Jobs are charged before they are purged, so nothing is missed, and each second once:
 * the state knows until when everybody is charged.
 */
#ifndef SPUR_CTL_CHARGE_H
#define SPUR_CTL_CHARGE_H

#include "ctl/ctl_priv.h"

void charge_all(struct ctl *t);   /* until now */
void charge_remind(struct ctl *t); /* something runs or waits: see to it that it is charged */
void charge_lead(struct ctl *t);       /* this controller leads from now on */
void charge_configured(struct ctl *t); /* another configuration holds */
void charge_ended(struct ctl *t, const struct job *j);  /* it ended, and is charged with the next account */
void charge_before(struct ctl *t, const struct job *j); /* what it holds is about to change: until now it held this */
void charge_due(struct ctl *t);
/* Has it used something that nobody was charged for yet? */
bool charge_owes(struct ctl *t, const struct job *j);

#endif
