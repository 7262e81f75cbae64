/*
 * order - a launch order as it arrives, for all nodes of a step, and as this node keeps it.
 *
 * An order is accepted only when the controllers' key signed it recently and it names this node.  The result is for
 * this node alone: its place, its tasks, its share, with the shares of all nodes expanded.
 */
#ifndef SPUR_NODE_ORDER_H
#define SPUR_NODE_ORDER_H

#include "base/err.h"
#include "message.pb-c.h"
#include "step/spool.h"
#include "wire/cred.h"

#define ORDER_NODES_MAX 100000u

/* Verify and unpack the order, and localize it for `node`; NULL with an error.  `key` NULL: the connection has proved
 * that a controller sent it.  Free with pb__launch_order__free_unpacked.  `about` is the order's step, also when a
 * correctly signed order is refused; zeros when the signature is wrong. */
Pb__LaunchOrder *order_open(const struct cred_key *key, const Pb__Signed *s, const char *node, int64_t now_ms,
                            struct step_key *about, struct err *err);

/* A signed order to end or signal a job, for `node`; NULL with an error.  `now_ms` 0: its age does not matter, since it
 * comes from a controller and not by another node. */
Pb__KillOrder *order_open_kill(const struct cred_key *key, const Pb__Signed *s, const char *node, int64_t now_ms,
                               struct err *err);

/* The second half alone, for a verified order: fill in what concerns `node`.  An order that already names one node must
 * name this one and is left unchanged. */
int order_localize(Pb__LaunchOrder *o, const char *node, struct err *err);

#endif
