/*
 * order - what the nodes of a step are told to run: one message for all of them, signed once if other nodes
 * forward it (ctl/fanout.c).
 *
 * Shares of nodes in a row that are alike stand once with their count, names stand in one host list: the order for a
 * thousand equal nodes is hardly longer than that for one.  node/order.h reads it.
 */
#ifndef SPUR_CTL_ORDER_H
#define SPUR_CTL_ORDER_H

#include "ctl/ctl_priv.h"

/* The order of a step (NULL: the batch script) of a running job: a packed pb.LaunchOrder, appended. */
void order_make(const struct ctl *t, const struct job *j, const Pb__Step *s, struct buf *out);
/* Run the prolog for this job and nothing yet: PrologFlags=Alloc. */
void order_prolog(const struct ctl *t, const struct job *j, struct buf *out);

#endif
