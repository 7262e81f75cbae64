/*
 * reach - a command's link to a controller or to a node's daemon, found by the configuration.
 *
 * A Unix socket of this machine comes first: there the kernel names the user.  Over TCP the challenge is answered
 * with a credential: signed with the cluster's key if the user may read it, else by any Spur daemon of this machine.
 */
#ifndef SPUR_CLIENT_REACH_H
#define SPUR_CLIENT_REACH_H

#include "base/err.h"
#include "io/link_wait.h"
#include "text/site.h"

#define REACH_MS 2000 /* to connect to one address, and to open the link */

/* `host` NULL or empty: only the Unix socket. */
int reach_controller(struct link_wait *w, const struct site *site, uint64_t id, const char *host, uint16_t port,
                     struct err *err);
/* The leading controller, through a node's daemon of this machine (node/relay.h): no handshake, no signature.  ENOENT:
 * there is none, or a controller is on this machine, or TCP is plain and costs no more. */
int reach_relay(struct link_wait *w, const struct site *site, struct err *err);
/* `host` NULL or empty: only the Unix socket. */
int reach_agent(struct link_wait *w, const struct site *site, const char *node, const char *host, uint16_t port,
                struct err *err);

#endif
