/* fsm.c - what libraft calls back: apply, snapshot, restore.  None of them ever tells it about a failure of ours
 * that it would answer by standing still: the ledger breaks instead, and says so. */
#include <endian.h>
#include <string.h>

#include "base/clock.h"
#include "store/ledger_priv.h"
#include "store/snapfile.h"

static bool frame_open(const struct raft_buffer *b, struct frame *f)
{
    if (b->len < sizeof(*f))
        return false;
    memcpy(f, b->base, sizeof(*f));
    return f->magic == htole32(FRAME_MAGIC) && le32toh(f->len) <= b->len - sizeof(*f);
}

void ledger_note(struct ledger *l, uint64_t committed)
{
    uint64_t here = MIN(committed, l->raft->last_stored);
    if (here <= l->guard.committed)
        return;
    int rc = guard_note(&l->guard, here);
    if (rc)
        ledger_break(l, "cannot write %s/mark: %s", l->dir, strerror(rc));
    ledger_sync_soon(l);
}

/* Barriers and membership changes count in the index, but do not come here. */
static int on_apply(struct raft_fsm *fsm, const struct raft_buffer *b, void **result)
{
    struct ledger *l = fsm->data;
    uint64_t index = raft_last_applied(l->raft) + 1;
    struct frame f;
    *result = NULL;
    if (l->trouble.code)
        return 0;
    if (!frame_open(b, &f)) {
        ledger_break(l, "entry %llu of the log is not one of ours", (unsigned long long)index);
        return 0;
    }
    bool mine = l->turn && f.origin == l->origin && le64toh(f.seq) == l->turn->seq;
    if (!mine)
        ledger_answer(l, LEDGER_UNKNOWN); /* somebody else leads: what we have on the way comes later or never */
    l->snap_index = l->snapshotting ? l->snap_index : 0;
    ledger_note(l, index);
    l->fsm.apply(l->fsm.arg, index, (const char *)b->base + sizeof(f), le32toh(f.len), mine);
    return 0;
}

static void encode(struct ledger *l)
{
    int64_t began_us = clock_mono_us();
    buf_reset(&l->snap);
    l->fsm.snapshot(l->fsm.arg, &l->snap);
    l->snap_index = raft_last_applied(l->raft);
    snapfile_seal(l->snap_head, l->snap_index, l->snap.s, l->snap.len);
    l->stats.snapshot_bytes = l->snap.len;
    while (l->snap.len % 8)
        buf_addc(&l->snap, '\0');
    l->stats.snapshot_us = (uint64_t)(clock_mono_us() - began_us);
    l->stats.snapshot_max_us = MAX(l->stats.snapshot_max_us, l->stats.snapshot_us);
}

void ledger_snapshot_ahead(struct ledger *l)
{
    bool due = raft_last_applied(l->raft) - l->snapshot_base >= l->snapshot_entries;
    if (due && !l->snapshotting && !l->trouble.code)
        encode(l);
}

static int on_snapshot(struct raft_fsm *fsm, struct raft_buffer *bufs[], unsigned *n)
{
    struct ledger *l = fsm->data;
    bool ready = l->snap_index && l->snap_index == raft_last_applied(l->raft);
    if (l->trouble.code || l->snapshotting || (!ready && l->turn))
        return RAFT_BUSY; /* asked again soon; ledger_snapshot_ahead makes it ready between two turns */
    if (!ready)
        encode(l);
    *n = l->snap.len ? 2 : 1;
    *bufs = raft_malloc(2 * sizeof(**bufs));
    (*bufs)[0] = (struct raft_buffer){ l->snap_head, SNAPFILE_HEAD };
    (*bufs)[1] = (struct raft_buffer){ l->snap.s, l->snap.len };
    l->snapshotting = true;
    return 0;
}

/* The bytes are written, or never will be. */
static int on_snapshot_end(struct raft_fsm *fsm, struct raft_buffer *bufs[], unsigned *n)
{
    struct ledger *l = fsm->data;
    raft_free(*bufs);
    *bufs = NULL;
    *n = 0;
    l->stats.snapshots++;
    l->snapshot_base = l->snap_index;
    l->snapshotting = false;
    l->snap_index = 0;
    buf_clear(&l->snap);
    return 0;
}

static int restore(struct ledger *l, const struct raft_buffer *b, struct err *err)
{
    uint64_t index;
    const void *body;
    size_t len;
    int rc = snapfile_open(b->base, b->len, &index, &body, &len, err);
    if (!rc)
        rc = l->fsm.restore(l->fsm.arg, body, len, err);
    if (rc)
        return rc;
    l->snapshot_base = index;
    l->stats.restores++;
    if (!guard_note(&l->guard, index)) /* libraft has it on the disk before it hands it to us */
        ledger_sync_soon(l);
    return 0;
}

static int on_restore(struct raft_fsm *fsm, struct raft_buffer *b)
{
    struct ledger *l = fsm->data;
    struct err err = ERR_INIT;
    ledger_answer(l, LEDGER_UNKNOWN);
    if (restore(l, b, &err)) {
        if (l->opening)
            ledger_break(l, "%s/%s: %s", l->log_dir, l->newest_snapshot, err.text);
        else
            ledger_break(l, "the snapshot sent by controller %llu: %s", (unsigned long long)l->leader, err.text);
        return RAFT_CORRUPT;
    }
    raft_free(b->base);
    return 0;
}

void ledger_fsm_bind(struct ledger *l)
{
    l->snap_head = mem_alloc(SNAPFILE_HEAD);
    l->raft_fsm = (struct raft_fsm){
        .version = 2,
        .data = l,
        .apply = on_apply,
        .snapshot = on_snapshot,
        .restore = on_restore,
        .snapshot_finalize = on_snapshot_end,
    };
}
