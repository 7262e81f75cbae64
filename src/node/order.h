/*
 * order - a launch order as it arrives, for all nodes of a step, and as this node keeps it.
 *
 * What comes in is believed only when the controllers' key has signed it lately and it names this node.  What comes out
 * names this node alone: its place, its tasks, its share, with the shares of all nodes written out.
 */
#ifndef SPUR_NODE_ORDER_H
#define SPUR_NODE_ORDER_H

#include "base/err.h"
#include "message.pb-c.h"
#include "step/spool.h"
#include "wire/cred.h"

#define ORDER_NODES_MAX 100000u

/* The order inside, made this node's own; NULL with a reason.  Free with pb__launch_order__free_unpacked.  `about` says
 * which step it is for, also when a signed one is refused; zeros when it cannot be believed. */
Pb__LaunchOrder *order_open(const struct cred_key *key, const Pb__Signed *s, const char *node, int64_t now_ms,
                            struct step_key *about, struct err *err);

/* The second half alone, for an order that is believed: fill in what is `node`'s.  An order that names one node in
 * `node` must be for this one and is left as it is. */
int order_localize(Pb__LaunchOrder *o, const char *node, struct err *err);

#endif
