/* turn.c - one append at a time and its answer; and which controller leads. */
#include <assert.h>
#include <endian.h>
#include <stdarg.h>
#include <string.h>

#include "store/heap_guard.h"
#include "store/ledger_priv.h"
#include "store/sync_guard.h"

#define REFUSED_MS 3000
#define ROOM_BYTES (64u << 20) /* several segments */

/* What libraft refuses before anything happened; all else may have happened. */
static int refusal_code(int rv)
{
    switch (rv) {
    case RAFT_NOTLEADER:
        return ENOTCONN;
    case RAFT_NOSPACE:
        return ENOSPC;
    case RAFT_TOOBIG:
        return EMSGSIZE;
    case RAFT_NOMEM:
    case RAFT_BUSY:
    case RAFT_TOOMANY:
        return EAGAIN;
    }
    return LEDGER_UNKNOWN;
}

void ledger_answer(struct ledger *l, int rc)
{
    struct turn *t = l->turn;
    if (!t)
        return;
    l->turn = NULL;
    ledger_done_fn *done = t->done;
    t->done = NULL; /* libraft's callback comes later, and only frees */
    done(t->arg, rc);
}

static void on_committed(struct raft_apply *req, int status, void *result)
{
    struct turn *t = req->data;
    struct ledger *l = t->l;
    if (t == l->turn) {
        if (!status) {
            l->turn = NULL;
            ledger_snapshot_ahead(l); /* before the caller changes its state again */
            l->turn = t;
        }
        ledger_answer(l, status ? LEDGER_UNKNOWN : 0);
    }
    free(t);
}

static void say_refused(uv_timer_t *timer)
{
    struct ledger *l = timer->data;
    struct turn *t = take(l->refused);
    if (!t)
        return;
    ledger_answer(l, t->rc);
    free(t);
}

static void turn_refuse(struct ledger *l, struct turn *t, int rc)
{
    t->rc = rc;
    l->refused = t;
    uv_timer_start(&l->soon, say_refused, 0, 0);
}

static void frame_make(struct raft_buffer *out, const struct ledger *l, const void *entry, size_t len)
{
    struct frame f = { htole32(FRAME_MAGIC), htole32((uint32_t)len), l->origin, htole64(l->seq) };
    out->len = (sizeof(f) + len + 7) & ~(size_t)7;
    out->base = raft_malloc(out->len);
    if (!out->base)
        abort();
    memset((char *)out->base + out->len - 8, 0, 8);
    memcpy(out->base, &f, sizeof(f));
    if (len)
        memcpy((char *)out->base + sizeof(f), entry, len);
}

void ledger_append(struct ledger *l, const void *entry, size_t len, ledger_done_fn *done, void *arg)
{
    assert(!l->turn && !l->closing);
    struct turn *t = NEW(struct turn);
    t->l = l;
    t->seq = ++l->seq;
    t->done = done;
    t->arg = arg;
    t->req.data = t;
    l->turn = t;
    if (len > LEDGER_ENTRY_MAX) {
        turn_refuse(l, t, EMSGSIZE);
        return;
    }
    if (l->role != LEDGER_LEADER) {
        turn_refuse(l, t, ENOTCONN);
        return;
    }
    struct raft_buffer b;
    frame_make(&b, l, entry, len);
    heap_guard_begin();
    int rv = raft_apply(l->raft, &t->req, &b, 1, on_committed);
    bool freed = heap_guard_end(b.base);
    if (rv) {
        if (!freed)
            raft_free(b.base);
        turn_refuse(l, t, refusal_code(rv));
        return;
    }
    l->stats.appends++;
}

void ledger_break(struct ledger *l, const char *fmt, ...)
{
    if (l->trouble.code)
        return; /* the first one is the cause */
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(l->trouble.text, sizeof(l->trouble.text), fmt, ap);
    va_end(ap);
    l->trouble.code = EUCLEAN;
}

/* Elected and caught up with the past: now it may decide. */
static void on_barrier(struct raft_barrier *b, int status)
{
    struct ledger *l = b->data;
    l->barrier_busy = false;
    l->leading = !status && raft_current_term(l->raft) == l->barrier_term;
    if (l->leading && !l->closing)
        ledger_joined(l);
}

/*
 * libraft does not prepare another segment after one sync of a new segment has failed: it says that the disk is full,
 * for ever.  Where there is room all the same, a new start is the way out.
 */
static void watch_refusals(struct ledger *l, int rv)
{
    uint64_t now = uv_now(l->loop);
    if (rv != RAFT_NOSPACE || ledger_disk_free(l) < ROOM_BYTES)
        l->refused_ms = 0;
    else if (!l->refused_ms)
        l->refused_ms = now;
    else if (now - l->refused_ms > REFUSED_MS)
        ledger_break(l, "the log in %s takes no entry, with %llu MB free: %s", l->log_dir,
                     (unsigned long long)(ledger_disk_free(l) >> 20), raft_errmsg(l->raft));
}

static void ask_to_lead(struct ledger *l)
{
    uint64_t term = raft_current_term(l->raft);
    if (l->barrier_busy || l->closing || (l->barrier_term == term && l->leading))
        return;
    l->leading = false;
    l->barrier_term = term;
    l->barrier.data = l;
    heap_guard_begin();
    int rv = raft_barrier(l->raft, &l->barrier, on_barrier); /* refused: asked again on the next watch */
    heap_guard_end(NULL);
    l->barrier_busy = !rv;
    watch_refusals(l, rv);
}

static enum ledger_role role_now(struct ledger *l)
{
    if (l->trouble.code)
        return LEDGER_BROKEN;
    switch (raft_state(l->raft)) {
    case RAFT_LEADER:
        ask_to_lead(l);
        return l->leading ? LEDGER_LEADER : LEDGER_CANDIDATE;
    case RAFT_CANDIDATE:
        l->leading = false;
        return LEDGER_CANDIDATE;
    case RAFT_FOLLOWER:
        l->leading = false;
        return LEDGER_FOLLOWER;
    case RAFT_UNAVAILABLE:
        break;
    }
    ledger_break(l, "the log cannot be written: %s", raft_errmsg(l->raft));
    return LEDGER_BROKEN;
}

void ledger_watch(struct ledger *l)
{
    raft_id leader = 0;
    const char *address;
    if (l->closing)
        return;
    ledger_note(l, raft_last_applied(l->raft));
    const char *segment = sync_guard_failed(l->log_dir);
    if (segment)
        ledger_break(l, "%s/%s could not be synced", l->log_dir, segment);
    enum ledger_role role = role_now(l);
    if (role == LEDGER_FOLLOWER)
        raft_leader(l->raft, &leader, &address);
    else if (role == LEDGER_LEADER)
        leader = l->id;
    if (role == LEDGER_LEADER && l->npeers > 1)
        ledger_grow(l);
    if (role == l->role && leader == l->leader)
        return;
    l->role = role;
    l->leader = leader;
    if (role == LEDGER_BROKEN)
        ledger_answer(l, LEDGER_UNKNOWN);
    if (l->fsm.role && !l->closing)
        l->fsm.role(l->fsm.arg, role, leader);
}

static void on_transferred(struct raft_transfer *req)
{
    struct ledger *l = req->data;
    ledger_done_fn *done = take(l->transfer_done);
    l->transferring = false;
    if (done)
        done(l->transfer_arg, raft_state(l->raft) == RAFT_LEADER ? ETIMEDOUT : 0);
}

/* The voter that holds most, but not one whose disk is empty. */
static uint64_t choose_successor(struct ledger *l)
{
    uint64_t best = 0;
    raft_index most = 0, match = 0;
    for (size_t i = 0; i < l->npeers; i++) {
        uint64_t id = l->peers[i].id;
        if (id != l->id && id != l->forgetful && !raft_match_index(l->raft, id, &match) && match > most) {
            best = id;
            most = match;
        }
    }
    return best;
}

int ledger_transfer(struct ledger *l, ledger_done_fn *done, void *arg)
{
    if (l->role != LEDGER_LEADER)
        return ENOTCONN;
    if (l->transferring)
        return EBUSY;
    uint64_t to = choose_successor(l);
    if (!to)
        return ENOENT;
    l->transfer = (struct raft_transfer){ .data = l };
    l->transfer_done = done;
    l->transfer_arg = arg;
    l->transferring = !raft_transfer(l->raft, &l->transfer, to, on_transferred);
    if (l->transferring)
        return 0;
    l->transfer_done = NULL;
    return ENOENT;
}
