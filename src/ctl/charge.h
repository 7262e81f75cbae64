/*
 * charge - what jobs used is written down for those who run them: associations, the accounts above, and QOS.
 *
 * Every PriorityCalcPeriod, while anything runs or anything that was used still fades, one event says what each has used until now:
 * billing units and TRES by the second, fading with PriorityDecayHalfLife.  The event has the sums, not how to get them:
 * a replay does no arithmetic with time.  Jobs are charged before they are purged, so nothing is missed, and each second once:
 * the state knows until when everybody is charged.
 */
#ifndef SPUR_CTL_CHARGE_H
#define SPUR_CTL_CHARGE_H

#include "ctl/ctl_priv.h"

void charge_all(struct ctl *t);   /* until now */
void charge_remind(struct ctl *t); /* something runs: see to it that it is charged */
void charge_due(struct ctl *t);
/* Has it used something that nobody was charged for yet? */
bool charge_owes(struct ctl *t, const struct job *j);

#endif
