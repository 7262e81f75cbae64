/*
 * stat - what this controller has done since it began to lead, midnight or a reset: numbers for sdiag.
 *
 * Plain counters, no part of the state: they belong to the process.  Nobody wakes up at midnight; whoever counts next sees
 * that a day is over.  Times are measured by the clock that the daemon gives; without one they are 0.
 */
#ifndef SPUR_CTL_STAT_H
#define SPUR_CTL_STAT_H

#include "base/map.h"
#include "core/cluster.h"
#include "sched/sched.h"
#include "wire/frame.h"

struct ctl;
struct ctl_call;

struct stat_cycles { /* of one kind of plan */
    uint64_t n, us, max_us, last_us, depth, queue, table;
    uint64_t last_depth, last_queue, last_table;
    int64_t last_s;
};

struct stat_ends { /* why plans ended */
    uint64_t queue, depth, starts;
};

struct stats {
    int64_t since_s;
    uint64_t submitted, started, completed, cancelled, failed;
    struct stat_cycles main, fill; /* all plans; those that had to look into the future */
    struct stat_ends main_end, fill_end;
    uint64_t het;                  /* components of heterogeneous jobs that started */
    uint64_t filled, filled_ever;  /* jobs that started before one that stands higher */
    struct map rpc, users;         /* message type + 1, uid + 1 -> struct rpc_count */
};

int64_t stat_clock(const struct ctl *t); /* microseconds */
void stat_event(struct ctl *t, const Pb__Event *ev);
void stat_plan(struct ctl *t, const struct plan *p, int64_t us, bool starts_spent);
void stat_rpc(struct ctl *t, enum msg_type type, uint32_t uid, int64_t us);
void stat_rpc_took(struct ctl *t, enum msg_type type, int64_t us); /* for one that is counted already */
void stat_clear(struct ctl *t);
void ctl_diag(const struct ctl_call *call); /* sdiag */

#endif
