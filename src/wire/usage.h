/*
 * usage - what the tasks of a step used, summed up: totals, and the tasks with the most and the least.
 *
 * A sum is made of tasks on a node, and sums of nodes are added up again: the supervisor, the controller and sstat
 * all count the same way.
 */
#ifndef SPUR_WIRE_USAGE_H
#define SPUR_WIRE_USAGE_H

#include <stdint.h>

#include "record.pb-c.h"

enum usage_metric { USAGE_CPU_MS, USAGE_RSS_KB, USAGE_VM_KB, USAGE_PAGES, USAGE_READ, USAGE_WRITE, USAGE_METRICS };

/* A sum one can add to.  `pb` is the message; it points into the struct, which must stay where it is. */
struct usage_sum {
    Pb__StepUsage pb;
    Pb__Metric metric[USAGE_METRICS];
};

void usage_sum_init(struct usage_sum *u);
/* One more task: the number of its node in the job, its rank, and what it used. */
void usage_sum_task(struct usage_sum *u, uint32_t node, uint32_t rank, const uint64_t value[static USAGE_METRICS]);
/* Another sum; with `node` not negative all of it was used there.  NULL is welcome. */
void usage_sum_add(struct usage_sum *u, const Pb__StepUsage *more, int64_t node);

/* The measure of a sum, NULL when it has none. */
const Pb__Metric *usage_metric_of(const Pb__StepUsage *u, enum usage_metric which);

#endif
