/*
 * permit - a controller's signed permission for a user to put files on nodes of a job.
 */
#ifndef SPUR_NODE_PERMIT_H
#define SPUR_NODE_PERMIT_H

#include "base/err.h"
#include "io/link.h"
#include "message.pb-c.h"

/* Verify and unpack the permit; NULL with an error: not signed with this cluster's key, not for this node, expired or
 * not yet valid at `now_ms`, or presented by another user.  Agents may present the permits of users.  Free with
 * pb__permit__free_unpacked. */
Pb__Permit *permit_open(const struct cred_key *key, const Pb__Signed *s, const char *node, const struct link_peer *peer,
                        int64_t now_ms, struct err *err);

#endif
