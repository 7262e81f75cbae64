/*
 * peer - the transport of libraft: links between controllers that were verified before libraft sees a byte of them.
 *
 * Outgoing: a link to the other controller's own port shows this controller's credential and is accepted by one byte.
 * Incoming: the controller's listener verifies the credential and hands the stream to peer_accept, which sends that
 * byte.  From there on the stream is libraft's.
 */
#ifndef SPUR_STORE_PEER_H
#define SPUR_STORE_PEER_H

#include <raft.h>
#include <raft/uv.h>

#include "store/ledger.h"

struct peer_net;

/* Claim and peers must outlive the net; addresses are looked up in `peers`, so a controller that moved is found. */
struct peer_net *peer_net_new(uv_loop_t *loop, const struct link_claim *claim, const struct ledger_peer *peers,
                              size_t npeers);
/* After libraft closed it. */
void peer_net_free(struct peer_net *net);

struct raft_uv_transport *peer_net_transport(struct peer_net *net);

/* Takes the stream over in any case; a stream that comes too early or too late (NULL: no net any more) is closed. */
void peer_accept(struct peer_net *net, uint64_t from, const char *address, uv_stream_t *stream);

#endif
