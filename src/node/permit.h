/*
 * permit - a controller's signed word that a user may put files on nodes of a job.
 */
#ifndef SPUR_NODE_PERMIT_H
#define SPUR_NODE_PERMIT_H

#include "base/err.h"
#include "io/link.h"
#include "message.pb-c.h"

/* The permit inside, or NULL with a reason: not signed with this cluster's key, not for this node, over (or not begun:
 * are the clocks right?) at `now_ms`, or shown by another user.  Agents pass on what users showed them.  Free with
 * pb__permit__free_unpacked. */
Pb__Permit *permit_open(const struct cred_key *key, const Pb__Signed *s, const char *node, const struct link_peer *peer,
                        int64_t now_ms, struct err *err);

#endif
