/*
 * yield - a job that checkpoints is asked to make room for a while, and goes back to the queue.
 *
 * It gets its signal (--signal) as if its limit were near, has as long as it asked for, and is put back then; or as
 * soon as it ends by itself with anything but 0.  A job that ends with 0 has finished its work.
 */
#ifndef SPUR_CTL_YIELD_H
#define SPUR_CTL_YIELD_H

#include "ctl/module.h"

void yield_ask(struct ctl *t, const struct sched_preempt *v);
timer_fn yield_timer;
bool yield_ended(struct ctl *t, struct job *j, uint32_t exit_code, uint32_t done_node); /* put back, not ended */

#endif
