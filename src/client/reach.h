/*
 * reach - a connected socket to a controller or to a node's daemon, with our identity shown on it.
 *
 * A Unix socket needs nothing said: the kernel tells who we are.  Over TCP the server's
 * challenge is answered with a credential, signed with the cluster's key where we may read
 * it, else by the daemon of this machine (its Unix socket, again the kernel's word).
 */
#ifndef SPUR_CLIENT_REACH_H
#define SPUR_CLIENT_REACH_H

#include "base/err.h"
#include "text/site.h"

/* All return a file descriptor, or -1 with a reason. */
int reach_unix(const struct site *site, uint64_t ctl_id, struct err *err);
int reach_agent(const struct site *site, const char *node, struct err *err); /* the daemon of a node on this machine */
int reach_tcp(const struct site *site, const char *host, uint16_t port, struct err *err);

#endif
