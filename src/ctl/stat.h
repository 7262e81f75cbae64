/*
 * stat - what this controller has done since it began to lead, midnight or a reset: numbers for sdiag.
 *
 * Plain counters, no part of the state: they belong to the process.  There is no timer at midnight: the next
 * count sees that a day is over.  Times are measured by the clock that the daemon gives; without one they are 0.
 */
#ifndef SPUR_CTL_STAT_H
#define SPUR_CTL_STAT_H

#include "ctl/ctl_priv.h"

struct stat_traffic { /* since this controller began to lead */
    uint64_t orders_sent, nodes_ordered, reports_heard, nodes_reported;
};

void stat_open(struct ctl *t);
void stat_close(struct ctl *t);
int64_t stat_clock(const struct ctl *t); /* microseconds */
void stat_event(struct ctl *t, const Pb__Event *ev);
void stat_plan(struct ctl *t, const struct plan *p, int64_t us, bool starts_spent);
void stat_rpc(struct ctl *t, enum msg_type type, uint32_t uid, int64_t us);
void stat_rpc_took(struct ctl *t, enum msg_type type, int64_t us); /* for one that is counted already */
void stat_order(struct ctl *t, size_t nodes);  /* an order for so many nodes was sent */
void stat_report(struct ctl *t);               /* a message with reports was heard ... */
void stat_reported(struct ctl *t, size_t nodes); /* ... of so many nodes */
struct stat_traffic stat_traffic(const struct ctl *t);

#endif
