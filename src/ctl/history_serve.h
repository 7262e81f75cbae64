/*
 * history_serve - queries of the history: from a connection to a reader's thread and back, outside the turn.
 *
 * A portion of an answer is fetched when the client has read most of what it got before.  A query whose connection has
 * closed is given up.
 */
#ifndef SPUR_CTL_HISTORY_SERVE_H
#define SPUR_CTL_HISTORY_SERVE_H

#include "ctl/daemon_priv.h"

/* A MSG_HISTORY that its sender may send. */
void history_serve_query(struct daemon *d, const struct session_request *r, const struct ctl_peer *peer);
void history_serve_close(struct daemon *d); /* give up all queries; before history_close() */

#endif
