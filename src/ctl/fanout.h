/*
 * fanout - orders to many nodes, sent to a few of them, which forward them (node/tree.h).
 *
 * A few are told directly.  More are cut into TreeWidth branches, and the first of each branch gets the order with the
 * names of those below it.  It answers when all have it; until then the branch is remembered here: if it falls silent or
 * its connection ends, those below it are told anew, which does no harm to who has heard it before.
 * Nothing of this is in the log: a new leader hears from every node what runs there, and orders what is missing.
 */
#ifndef SPUR_CTL_FANOUT_H
#define SPUR_CTL_FANOUT_H

#include "ctl/ctl_priv.h"

/* The step (its number; STEP_BATCH, STEP_PROLOG) of a job, on these places of its allocation.  `order` is a packed pb.Signed. */
void fanout_launch(struct ctl *t, const struct job *j, uint32_t step_id, const uint32_t *pos, size_t n,
                   const struct buf *order);
void fanout_kill(struct ctl *t, const struct job *j, const uint32_t *pos, size_t n, Pb__KillOrder *k);

void ctl_fanout_reply(const struct ctl_call *call);
void fanout_session_lost(struct ctl *t, uint64_t session);
void fanout_timer(struct ctl *t, uint32_t number); /* a branch that should have answered by now */
void fanout_clear(struct ctl *t);

#endif
