/*
 * watchdog - how long the turns of the controller take, and what takes the time.
 *
 * The loop measures the parts of each turn.  sdiag shows how many turns were long and which was the worst; a turn over
 * a second is logged.
 */
#ifndef SPUR_CTL_WATCHDOG_H
#define SPUR_CTL_WATCHDOG_H

#include "ctl/module.h"

void watchdog_open(struct ctl *t);
void watchdog_close(struct ctl *t);
void watchdog_reset(struct ctl *t); /* sdiag --reset */

/* A request of this type took so long: one of them may be the cause of a long turn. */
void watchdog_request(struct ctl *t, enum msg_type type, int64_t us);
/* The numbers for sdiag; the text in `out` is borrowed. */
void watchdog_tell(const struct ctl *t, Pb__DiagTurns *out);

#endif
