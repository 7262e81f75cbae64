/*
 * work - a request that touches many records is carried out in slices, one in each turn.
 *
 * The function of the message puts what it needs into a state and calls work_run(); the daemon passes the request again
 * in each turn until it is answered (ctl_request_slice).  Each record is decided against the state of its own turn.  A
 * request whose account has to be looked up stands still until then.
 */
#ifndef SPUR_CTL_WORK_H
#define SPUR_CTL_WORK_H

#include "ctl/ctl_priv.h"

#define WORK_SLICE_US 2000

/* Go on with the state until work_over(); true: everything is done, and the reply is said. */
typedef bool work_fn(const struct ctl_call *call, void *state);

/* The state is taken. */
void work_run(const struct ctl_call *call, void *state, work_fn *go_on, void (*state_free)(void *state));

/* Is the slice over, or does the request wait for a lookup?  Asked before each record. */
bool work_over(const struct ctl_call *call);

/* For request.c: a further slice of a request under way; true: it is answered. */
bool work_resume(struct ctl_call *call, struct ctl_work *w);

#endif
