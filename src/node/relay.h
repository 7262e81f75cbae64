/*
 * relay - commands of this machine reach the leading controller through the agent.
 *
 * A TLS handshake and a signature for every command would cost more than most commands do.  The kernel tells the agent
 * which user is at the other end of its Unix socket; the agent says so to the controller on a connection that is open
 * already (MSG_RELAY).  The controller believes it as far as it believes a credential that this machine signs.
 *
 * Frames pass unchanged in both directions.  Nothing is read from one side while the other side does not take what it
 * was sent.  If the controller goes away, the command's connection is closed and the command asks the controllers
 * itself.
 */
#ifndef SPUR_NODE_RELAY_H
#define SPUR_NODE_RELAY_H

#include "node/agent.h"

#define RELAY_IDLE_MS 300000 /* an unused connection to the controller is kept for so long */
#define RELAY_IDLE_MAX 4
#define RELAY_USER_MAX 64 /* commands of one user at a time; further ones are told to slow down */
#define RELAY_MAX 256     /* of all users but root */

void relay_start(struct agent *a);
/* The agent's own connection to the controller is lost: idle ones are of no use either. */
void relay_leader_lost(struct agent *a);
/* A frame that is no request to the agent.  False: it does not come from a user of this machine. */
bool relay_frame(struct agent *a, struct link *c, const struct frame *f);

#endif
