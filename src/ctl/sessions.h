/*
 * sessions - the controller's connections: clients, agents and controllers, and the requests that wait for the next
 * turn.
 *
 * A session is one connection with a verified peer.  A controller that does not lead redirects every request, except
 * the requests that any controller answers.
 */
#ifndef SPUR_CTL_SESSIONS_H
#define SPUR_CTL_SESSIONS_H

#include "base/map.h"
#include "base/vec.h"
#include "ctl/budget.h"
#include "ctl/ctl.h"
#include "io/link.h"

struct daemon;

struct session_request { /* waits for the next turn */
    uint64_t session;
    struct link_peer peer;
    enum msg_type type;
    uint16_t flags;
    uint64_t number;
    char *body;
    uint32_t len;
    uint64_t lookup; /* parked until the lookup of this number has ended */
    struct budget_user *user; /* NULL: the peer has no budget */
    struct ctl_work *work;    /* not NULL: a part of it is done */
    uint64_t turn;            /* the last that went on with it */
    bool done;
};

struct sessions {
    struct map at; /* id -> struct session */
    uint64_t next;
    VEC(struct session_request) queue;
    VEC(struct session_request) parked; /* wait for an account to be looked up */
    VEC(uint64_t) closed;               /* not yet reported to ctl */
    struct link_listener *unix_listener, *tcp_listener;
    struct budget budget; /* of the users */
    int64_t refusal_logged_s;
};

int sessions_listen(struct daemon *d, struct err *err);
void sessions_stop_listening(struct sessions *s);
void sessions_drop(struct sessions *s); /* close every connection */

struct link *sessions_link(const struct sessions *s, uint64_t id); /* NULL: it is closed */
bool sessions_queued(const struct sessions *s);                    /* does a request wait for a turn? */
bool sessions_waiting(const struct sessions *s);                   /* ... or a closed connection? */

/* A reply to this session is handed to its link or, `queued`, to the send queue, which asks for the link later. */
void sessions_sent(struct sessions *s, uint64_t id, size_t bytes, bool queued);
struct link *sessions_dequeued(struct sessions *s, uint64_t id, size_t bytes); /* NULL: it is closed */

/* Inside a turn: pass the requests to ctl until the turn's entry is full; the remaining requests wait for the next
 * turn. */
void sessions_process(struct daemon *d);
/* Lookups of accounts up to number `ended` have ended: requests that were parked for them are queued again. */
void sessions_unpark(struct daemon *d, uint64_t ended);
/* Inside a turn: report the closed connections to ctl, if it leads; then forget them. */
void sessions_report_closed(struct sessions *s, struct ctl *ctl, bool leading);

#endif
