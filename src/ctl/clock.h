/*
 * clock - is this machine's wall clock right?  The clocks of the other controllers and of the nodes vote.
 *
 * A node tells its wall clock with each heartbeat, a controller when it connects.  Where most clocks are further than
 * SpurClockMaxSkew from this machine's, the machine is off: the cluster's time (cluster_clock.h) is drawn towards the
 * median instead, and another controller should lead.  A node that is off is named in the log and in its reason; it
 * works on, because orders are dated by the cluster's time.
 */
#ifndef SPUR_CTL_CLOCK_H
#define SPUR_CTL_CLOCK_H

#include "ctl/module.h"

void clock_open(struct ctl *t);
void clock_close(struct ctl *t);
void clock_told(struct ctl *t, struct node *n, int64_t wall_ms); /* the node says how late it is by its own clock */

#endif
