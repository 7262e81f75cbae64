/*
 * agent - a command's link to the daemon of one node.
 *
 * By its Unix socket if it runs on this machine, else by TCP at the address that the controller told.  Each wait has a
 * limit; there is no retry: a node that does not answer is reported to the user by name.
 */
#ifndef SPUR_CLIENT_AGENT_H
#define SPUR_CLIENT_AGENT_H

#include "base/err.h"
#include "client/client.h"
#include "text/site.h"
#include "wire/frame.h"

struct agent_link;

int agent_open(struct agent_link **out, const struct site *site, const Pb__AgentAddr *at, struct err *err);
/* The daemon of `node` on this machine, by its Unix socket alone. */
int agent_open_local(struct agent_link **out, const struct site *site, const char *node, struct err *err);
void agent_close(struct agent_link *l); /* NULL is welcome */

int agent_send(struct agent_link *l, enum msg_type type, const ProtobufCMessage *m, struct err *err);
/* Wait for an answer of type `want`, yours to client_free(); a MSG_FAILURE or a MSG_DONE with a code becomes err. */
int agent_hear(struct agent_link *l, enum msg_type want, ProtobufCMessage **reply, int timeout_ms, struct err *err);

/* Ask the controller for a permit: this user, these nodes.  `*out` with client_free(). */
int agent_permit(struct client *c, const Pb__PermitRequest *ask, Pb__PermitReply **out, struct err *err);

#endif
