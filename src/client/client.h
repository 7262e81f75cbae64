/*
 * client - one call to the controller, from a command.
 *
 * Finds the configuration, the socket and the leader by itself, and rides through a
 * failover: a call is repeated until an answer came or `patience` is over.  Calls that
 * change something carry a key or are safe to repeat.  Blocking; one call at a time.
 */
#ifndef SPUR_CLIENT_CLIENT_H
#define SPUR_CLIENT_CLIENT_H

#include "base/err.h"
#include "text/site.h"
#include "wire/frame.h"

struct client;

/* The configuration is read once: $SLURM_CONF or the usual places; none at all is fine. */
int client_open(struct client **out, struct err *err);
void client_close(struct client *c);
const struct site *client_site(const struct client *c);
/* How long a call is repeated; the value before is returned.  Default: MessageTimeout, at least 10 s.  A call whose
 * patience is over within a wait for the answer ends there. */
unsigned client_patience(struct client *c, unsigned seconds);

/* Send `request`; on success `*reply` is the unpacked answer of type `want`, to be freed with client_free().
 * A MSG_FAILURE or MSG_DONE with a code becomes err and the return value. */
int client_call(struct client *c, enum msg_type type, const ProtobufCMessage *request, enum msg_type want,
                ProtobufCMessage **reply, struct err *err);
/* The same, for answers in several frames: each(arg, message) for each; the message is only lent. */
typedef int client_each_fn(void *arg, const ProtobufCMessage *reply);
int client_stream(struct client *c, enum msg_type type, const ProtobufCMessage *request, enum msg_type want,
                  client_each_fn *each, void *arg, struct err *err);
/* Wait for a further frame on the connection of the last call (SUBMIT with want_start).  `timeout_ms` -1: for ever.
 * ETIMEDOUT, or ECONNRESET when the controller went away or does not answer (ask again with MSG_WAIT).  A command with
 * a poll() of its own waits for the fd, for client_wait_ms() at most (-1: not connected), and then calls this with a
 * timeout of 0: that is how a silent controller is asked whether it lives (io/liveness.h). */
int client_more(struct client *c, enum msg_type want, ProtobufCMessage **reply, int timeout_ms, struct err *err);
int client_fd(const struct client *c);
int client_wait_ms(const struct client *c);
/* Send a request whose answer comes much later, or never: it is for client_more().  Other calls may come between. */
int client_post(struct client *c, enum msg_type type, const ProtobufCMessage *request, struct err *err);
void client_free(ProtobufCMessage *m);

/* Ask one controller (index in the configuration's list) about itself, without patience: for ping. */
int client_status(struct client *c, size_t controller, Pb__StatusReply **out, struct err *err);

#endif
