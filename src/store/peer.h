/*
 * peer - the transport libraft talks through: connections that were proved before libraft sees a byte of them.
 *
 * Going out: connect, send the hello frame, wait for one byte that says it was
 * accepted.  Coming in: the controller's own port takes the connection, verifies the
 * hello and hands the stream to peer_accept, which answers with that byte.  The byte is
 * why nothing of libraft's can be swallowed by whoever reads the hello.
 */
#ifndef SPUR_STORE_PEER_H
#define SPUR_STORE_PEER_H

#include <raft.h>
#include <raft/uv.h>

#include "store/ledger.h"

#define PEER_ACCEPTED 'R'
#define PEER_CONNECT_MS 2000 /* a connection that takes longer is given up and tried again */

struct peer_net;

/* Both arrays and callbacks must outlive the net; addresses are looked up in `peers`, so one that moved is found. */
struct peer_net *peer_net_new(uv_loop_t *loop, const struct ledger_transport *conf, const struct ledger_peer *peers,
                              size_t npeers);
/* After libraft closed it. */
void peer_net_free(struct peer_net *net);

struct raft_uv_transport *peer_net_transport(struct peer_net *net);

/* Takes the stream over in any case; one that comes too early or too late (NULL: no net any more) is closed. */
void peer_accept(struct peer_net *net, uint64_t from, const char *address, uv_stream_t *stream);

#endif
