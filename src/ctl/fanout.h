/*
 * fanout - orders to many nodes, sent to a few of them, which forward them (node/tree.h).
 *
 * A few are told directly.  More are cut into TreeWidth branches, and the first of each branch gets the order with the
 * names of the nodes below it.  It answers when all have it; until then the branch is remembered here: if it falls
 * silent or its connection ends, the nodes below it are told again, which does no harm to a node that has the order
 * already. Nothing of this is in the log: a new leader hears from every node what runs there, and orders what is
 * missing.
 */
#ifndef SPUR_CTL_FANOUT_H
#define SPUR_CTL_FANOUT_H

#include "ctl/module.h"

void fanout_open(struct ctl *t);
void fanout_close(struct ctl *t);
size_t fanout_waiting(const struct ctl *t); /* branches that have not answered */

/* The step (its number; STEP_BATCH, STEP_PROLOG) of a job, on these places of its allocation.  `order` is a packed
 * pb.Signed. */
void fanout_launch(struct ctl *t, const struct job *j, uint32_t step_id, const uint32_t *pos, size_t n,
                   const struct buf *order);
void fanout_kill(struct ctl *t, const struct job *j, const uint32_t *pos, size_t n, Pb__KillOrder *k);

void fanout_session_lost(struct ctl *t, uint64_t session);
timer_fn fanout_timer; /* a branch that should have answered by now */

#endif
