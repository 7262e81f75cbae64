/*
 * join.c - a member without a voice.
 *
 * A voter that lost its disk may not vote before it holds everything that was
 * committed: together with another laggard it could elect a leader that lacks facts,
 * and its own former vote is forgotten.  libraft knows no such member, so its messages
 * pass through here: until all that was committed is applied here, votes given are
 * turned into votes refused, and requests for votes name an empty log, which gets no vote.
 *
 * A controller that begins a history is such a member too, for an empty disk looks the same in both
 * cases.  It has a voice only among beginners, and only once every configured controller
 * was heard to be one: so the first leader is found when all are there, and neither one
 * that was wiped nor those that join an old controller can begin a second history.
 */
#include "store/heap_guard.h"
#include "store/ledger_priv.h"

#define BEGINNING 16 /* entries: the members, and a few attempts to lead */

static bool join_pending(const struct ledger *l)
{
    return l->mark.flags & LEDGER_MARK_JOINING;
}

void ledger_joined(struct ledger *l)
{
    struct err err = ERR_INIT;
    if (join_pending(l) && ledger_mark_set_flags(&l->mark, l->mark.flags & ~(uint32_t)LEDGER_MARK_JOINING, &err))
        ledger_break(l, "%s", err.text);
}

/* Does the candidate ask among nothing but beginners? */
static bool all_begin(const struct ledger *l)
{
    uint64_t all = l->npeers < 64 ? (1ull << l->npeers) - 1 : ~0ull;
    return l->candidate_last <= BEGINNING && l->beginners == all;
}

static void hear_candidate(struct ledger *l, const struct raft_message *m)
{
    l->candidate_last = m->request_vote.last_log_index; /* the answer is sent before libraft's recv returns */
    for (size_t i = 0; i < l->npeers && i < 64; i++) {
        if (l->peers[i].id == l->id)
            l->beginners |= 1ull << i;
        else if (l->peers[i].id == m->server_id && l->candidate_last > BEGINNING)
            l->beginners &= ~(1ull << i);
        else if (l->peers[i].id == m->server_id)
            l->beginners |= 1ull << i;
    }
}

static int on_send(struct raft_io *io, struct raft_io_send *req, const struct raft_message *message, raft_io_send_cb cb)
{
    struct ledger *l = CONTAINER_OF(io, struct ledger, io);
    if (!join_pending(l))
        return l->send(io, req, message, cb);
    struct raft_message m = *message;
    if (m.type == RAFT_REQUEST_VOTE && m.request_vote.last_log_index > BEGINNING)
        m.request_vote.last_log_index = m.request_vote.last_log_term = 0;
    else if (m.type == RAFT_REQUEST_VOTE_RESULT && !all_begin(l))
        m.request_vote_result.vote_granted = false;
    return l->send(io, req, &m, cb);
}

/*
 * The leader's side: a follower that says it holds less than it once confirmed came back with an empty disk.  libraft
 * takes its words for old ones and would wait for ever; a new leader asks afresh, so leadership goes to a third one.
 */
static void join_suspect(struct ledger *l, const struct raft_message *m)
{
    raft_index match = 0;
    if (l->role != LEDGER_LEADER) {
        l->forgetful = 0;
        return;
    }
    if (m->type == RAFT_APPEND_ENTRIES_RESULT && m->append_entries_result.rejected &&
        !raft_match_index(l->raft, m->server_id, &match) && m->append_entries_result.last_log_index < match)
        l->forgetful = m->server_id;
    if (l->forgetful && !ledger_transfer(l, NULL, NULL))
        l->forgetful = 0;
}

/*
 * What must be applied here before we have a voice: the first entry of the leader's own term that it shows us.  All
 * that was ever committed comes before it; the leader's commit index alone may be behind, right after an election.
 */
static void hear_leader(struct ledger *l, const struct raft_append_entries *a)
{
    if (a->term == l->join_term)
        return;
    if (a->prev_log_term == a->term) {
        l->join_term = a->term;
        l->join_target = a->prev_log_index;
    }
    for (unsigned i = 0; i < a->n_entries && l->join_term != a->term; i++) {
        if (a->entries[i].term == a->term) {
            l->join_term = a->term;
            l->join_target = a->prev_log_index + 1 + i;
        }
    }
}

static void on_recv(struct raft_io *io, struct raft_message *message)
{
    struct ledger *l = CONTAINER_OF(io, struct ledger, io);
    join_suspect(l, message);
    if (message->type == RAFT_REQUEST_VOTE)
        hear_candidate(l, message);
    if (join_pending(l) && message->type == RAFT_APPEND_ENTRIES)
        hear_leader(l, &message->append_entries);
    heap_guard_begin(); /* an entry that the disk refuses at once is freed twice */
    l->recv(io, message); /* frees what the message holds */
    heap_guard_end(NULL);
    if (join_pending(l) && !l->closing && l->join_target && raft_current_term(l->raft) == l->join_term &&
        raft_last_applied(l->raft) >= l->join_target)
        ledger_joined(l);
}

static int on_start(struct raft_io *io, unsigned msecs, raft_io_tick_cb tick, raft_io_recv_cb recv)
{
    struct ledger *l = CONTAINER_OF(io, struct ledger, io);
    l->recv = recv;
    return l->start(io, msecs, tick, on_recv);
}

void ledger_join_bind(struct ledger *l)
{
    l->send = l->io.send;
    l->start = l->io.start;
    l->io.send = on_send;
    l->io.start = on_start;
}
