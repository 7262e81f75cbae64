/*
 * cluster_clock - the time of the cluster's decisions: it moves with a monotonic clock and never steps.
 *
 * It starts where the log ends, or at the wall clock of a controller that has just booted, and is carried on by the
 * monotonic clock (CLOCK_BOOTTIME) of the controller that leads.  From there it is corrected towards the wall clock by
 * at most a tenth of the time that passes, forwards and backwards: a wall clock that steps by hours changes no limit by
 * more than a tenth, and time never goes back.  A follower keeps its own from the times of the entries that it applies,
 * so that the next leader goes on where the last one stopped, whatever its wall clock says.
 *
 * Pure: all times are the caller's.  `wall_ms` is the wall clock after ctl_clock() has corrected it.
 */
#ifndef SPUR_CTL_CLUSTER_CLOCK_H
#define SPUR_CTL_CLUSTER_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLUSTER_CLOCK_CLOSE_MS 5000
#define CLUSTER_CLOCK_SLEW 10 /* it is corrected by at most this part of the time that passes */

struct cluster_clock {
    int64_t at_ms, mono_ms; /* the time at this reading of the monotonic clock */
    int64_t last_ms;        /* the last time that was read */
    bool anchored;          /* false: nothing but the wall clock is known */
};

/* The time goes on from `at_ms`, which it was at `mono_ms` of the same boot. */
void cluster_clock_anchor(struct cluster_clock *c, int64_t at_ms, int64_t mono_ms);
/* An entry of another leader was applied.  An entry that is not close to the wall clock may be an old one, read from
 * the disk: it anchors nothing. */
void cluster_clock_follow(struct cluster_clock *c, int64_t entry_ms, int64_t wall_ms, int64_t mono_ms);
/* This controller leads from now on; the last entry of the log is of `floor_ms`. */
void cluster_clock_lead(struct cluster_clock *c, int64_t floor_ms, int64_t wall_ms, int64_t mono_ms);
/* The time now. */
int64_t cluster_clock_read(struct cluster_clock *c, int64_t wall_ms, int64_t mono_ms);

/* The median of `own` and the `n` others, which are reordered; of two in the middle the one nearer to `own`: a clock is
 * wrong only where most others say so. */
int64_t cluster_clock_median(int64_t own, int64_t *others, size_t n);

#endif
