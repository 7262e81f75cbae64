/*
 * lease - until when the steps of a node may run without a word of a leading controller (SpurFencing=lease).
 *
 * One number in a file of the spool, in milliseconds of CLOCK_BOOTTIME: the agent moves it on when its heartbeat is
 * answered, each supervisor reads it every second and ends its step when the time has come.  So a step ends on time
 * when its agent is stopped or killed, and after a machine has been suspended.  0: there is no lease.
 */
#ifndef SPUR_STEP_LEASE_H
#define SPUR_STEP_LEASE_H

#include "base/err.h"
#include "step/step.h"

struct lease; /* the shared number */

int lease_open(struct lease **out, int spool, struct err *err); /* for the agent, as long as it lives; makes the file */
void lease_set(struct lease *l, int64_t until_boot_ms);
bool lease_is_over(const struct lease *l);

/* ---- in a supervisor ---- */
const struct lease *lease_find(void); /* NULL: there is none */
bool lease_begin(struct step *s); /* watch it, if there is one; false: it is over, and nothing may be started */

#endif
