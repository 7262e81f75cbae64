/*
 * query_cache - identical queries in one turn share one reply, and replies are made no more often than the loop can
 * spare.
 *
 * A query for everything (all jobs, all nodes) is answered at the end of a turn, after all changes of the turn, from
 * the state as it is then: never from a state before the query.  Identical queries get the same bytes, and so does a
 * query that arrives while nothing has changed.  While the state changes fast, making replies may take a twentieth of
 * the controller's time: a query that arrives earlier waits for others, 100 ms at the most.  A reply that several
 * clients get is compressed, if the clients can decompress it.
 *
 * A long reply is made in slices, one in each turn, so that the turns stay short: each of its records is from a state
 * after the query, not all from the same one.  Among queries that wait, the user that has had the least of the
 * controller's time comes first.
 *
 * Replies are the same for every user, so users share them; under PrivateData=jobs a user shares with the user alone.
 */
#ifndef SPUR_CTL_QUERY_CACHE_H
#define SPUR_CTL_QUERY_CACHE_H

#include "ctl/module.h"

void query_cache_open(struct ctl *t);
void query_cache_close(struct ctl *t); /* clients that wait will ask another controller */
timer_fn query_cache_timer;

struct by_user;

struct page { /* one frame of an answer */
    struct shared_buf *shared;
    uint16_t flags;
};

struct pages {
    VEC(struct page) v;
    size_t bytes;
};

void pages_add(struct pages *p, struct buf *body, bool more); /* the body is taken */
/* Send the pages to one session; further sessions may get the same pages. */
void pages_say(struct ctl *t, uint64_t session, uint64_t number, enum msg_type reply, const struct pages *p);
void pages_clear(struct pages *p);

struct query_making { /* a reply under way */
    const ProtobufCMessage *question;
    struct pages *out;
    int64_t until_us; /* by stat_clock(): the slice ends then */
    void *work;       /* what the reply is made from, kept from slice to slice; NULL at first */
    void (*work_free)(void *work);
};

/* Make the reply, or as much of it as the slice has time for.  True: it is complete. */
typedef bool query_make_fn(struct ctl *t, struct query_making *m);

#define QUERY_ONCE 1u /* the reply shows what no stamp tells of: later queries do not get it */

/* Answered by query_cache_answer(), now or later. */
void query_cache_ask(const struct ctl_call *call, enum msg_type reply, query_make_fn *make, unsigned flags);
bool query_cache_again(const struct ctl *t); /* a reply is not complete: turn again at once */
void query_cache_answer(struct ctl *t); /* at the end of a turn */
void query_cache_stir(struct ctl *t); /* what is shown changed without an event: a reason, a priority, a node's load */
/* While many queries are answered at once: the jobs of each user; else NULL. */
struct by_user *query_cache_by_user(const struct ctl *t);

#endif
