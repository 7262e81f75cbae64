/*
 * clock - the clocks of the system, read in one place, and the cluster's time as this process knows it.
 *
 * The monotonic clock measures waits and deadlines: it never steps back and means nothing to another machine.  The wall
 * clock dates what is stored or shown.  core, sched and ctl read neither: they are told the time.
 *
 * A daemon learns the cluster's time from the leading controller (ctl/cluster_clock.h) and carries it on by its
 * monotonic clock: what is signed and verified is dated by it, so that a wrong wall clock refuses no order and no user.
 */
#ifndef SPUR_BASE_CLOCK_H
#define SPUR_BASE_CLOCK_H

#include <stdint.h>

int64_t clock_mono_ms(void);
int64_t clock_mono_us(void);
int64_t clock_boot_ms(void); /* monotonic, and goes on while the machine is suspended */
int64_t clock_wall_ms(void); /* since 1970, UTC */

void clock_set_cluster(int64_t now_ms); /* it is so late now */
int64_t clock_cluster_ms(void);         /* the wall clock as long as the cluster's time is not known */

#endif
