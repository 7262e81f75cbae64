/*
 * snapshot.c - when a snapshot is due, and how it is taken without holding up the loop.
 *
 * The loop freezes the state at the last apply; a worker thread makes the bytes and the checksum; then libraft writes
 * them in a worker of its own.  libraft 0.22 calls fsm.snapshot_async on the loop, so the worker stands between libraft
 * and its disk instead: in front of io.snapshot_put.
 */
#include <string.h>

#include "base/clock.h"
#include "store/ledger_priv.h"
#include "store/snapfile.h"

#define PREPARE_PART 4 /* the last quarter of the way to a snapshot is used to prepare it */

static uint64_t entries_since(const struct ledger *l, uint64_t applied)
{
    return applied - MIN(l->snapshot_base, applied);
}

/* Entries until the next snapshot, by their number or by their bytes. */
static uint64_t entries_left(const struct ledger *l, uint64_t applied)
{
    uint64_t since = entries_since(l, applied);
    uint64_t left = l->snapshot_entries - MIN(since, (uint64_t)l->snapshot_entries);
    uint64_t bytes_left = l->snapshot_bytes - MIN(l->bytes_since, l->snapshot_bytes);
    uint64_t mean = MAX(l->bytes_since / MAX(since, (uint64_t)1), (uint64_t)1);
    return MIN(left, (bytes_left + mean - 1) / mean);
}

/* libraft counts entries alone: once the bytes are due, any number of entries is enough, and no more are kept. */
static void set_threshold(struct ledger *l, bool by_bytes, uint64_t applied)
{
    if (by_bytes == l->due_by_bytes)
        return;
    l->due_by_bytes = by_bytes;
    unsigned trailing = by_bytes ? (unsigned)MAX(entries_since(l, applied), (uint64_t)1) : l->snapshot_entries;
    raft_set_snapshot_threshold(l->raft, by_bytes ? 1 : l->snapshot_entries);
    raft_set_snapshot_trailing(l->raft, trailing);
}

void ledger_snapshot_count(struct ledger *l, uint64_t index, size_t bytes)
{
    l->bytes_since += bytes;
    set_threshold(l, l->bytes_since >= l->snapshot_bytes, index);
    uint64_t left = entries_left(l, index), total = entries_since(l, index) + left;
    if (l->fsm.prepare && !l->snapshotting && left <= total / PREPARE_PART)
        l->fsm.prepare(l->fsm.arg, left);
}

/* ---- on the loop ---- */

static void release_frozen(struct ledger *l)
{
    void *frozen = take(l->frozen);
    if (frozen)
        l->fsm.release(frozen);
    l->snap_index = 0;
}

void ledger_snapshot_stale(struct ledger *l)
{
    if (!l->snapshotting && l->frozen)
        release_frozen(l);
}

static void freeze_state(struct ledger *l)
{
    int64_t began_us = clock_mono_us();
    release_frozen(l);
    l->frozen = l->fsm.freeze(l->fsm.arg);
    l->snap_index = raft_last_applied(l->raft);
    l->stats.snapshot_us = (uint64_t)(clock_mono_us() - began_us);
    l->stats.snapshot_max_us = MAX(l->stats.snapshot_max_us, l->stats.snapshot_us);
}

void ledger_snapshot_ahead(struct ledger *l)
{
    uint64_t applied = raft_last_applied(l->raft);
    if (!l->snapshotting && !l->trouble.code && !entries_left(l, applied))
        freeze_state(l);
}

static void make_bytes(struct ledger *l)
{
    l->fsm.write(l->frozen, &l->snap);
    l->stats.snapshot_bytes = l->snap.len;
    snapfile_seal(l->snap_head, l->snap_index, l->snap.s, l->snap.len);
    while (l->snap.len % 8)
        buf_addc(&l->snap, '\0');
}

static void fill_buffers(struct ledger *l, struct raft_buffer *bufs)
{
    bufs[0] = (struct raft_buffer){ l->snap_head, SNAPFILE_HEAD };
    bufs[1] = (struct raft_buffer){ l->snap.s, l->snap.len };
}

static int on_snapshot(struct raft_fsm *fsm, struct raft_buffer *bufs[], unsigned *n)
{
    struct ledger *l = fsm->data;
    bool ready = l->snap_index && l->snap_index == raft_last_applied(l->raft);
    if (l->trouble.code || l->snapshotting || (!ready && l->turn))
        return RAFT_BUSY; /* libraft asks again soon; ledger_snapshot_ahead freezes the state between two turns */
    if (!ready)
        freeze_state(l);
    *n = 2;
    *bufs = raft_malloc(2 * sizeof(**bufs));
    if (!l->put) /* a simulator's disk */
        make_bytes(l);
    fill_buffers(l, *bufs);
    l->snapshotting = true;
    l->bytes_since = 0;
    return 0;
}

/* The bytes are on the disk, or never will be. */
static int on_snapshot_end(struct raft_fsm *fsm, struct raft_buffer *bufs[], unsigned *n)
{
    struct ledger *l = fsm->data;
    raft_free(*bufs);
    *bufs = NULL;
    *n = 0;
    l->stats.snapshots++;
    l->snapshot_base = l->snap_index;
    l->snapshotting = false;
    release_frozen(l);
    buf_clear(&l->snap);
    return 0;
}

/* ---- the worker in front of the disk ---- */

static void write_work(uv_work_t *w)
{
    struct ledger *l = w->data;
    int64_t began_us = clock_mono_us();
    make_bytes(l);
    l->stats.snapshot_worker_us = (uint64_t)(clock_mono_us() - began_us);
}

static void put_now(struct ledger *l)
{
    l->put_waits = false;
    fill_buffers(l, l->put_snapshot->bufs);
    int rv = l->put(&l->io, l->put_trailing, l->put_req, l->put_snapshot, l->put_req->cb);
    if (rv)
        ledger_break(l, "cannot write a snapshot: %s", raft_strerror(rv));
}

/* With the snapshot libraft cuts the log: entries that are not kept elsewhere yet must stay. */
static void put_when_kept(struct ledger *l)
{
    if (!l->keeps || l->kept >= l->snap_index)
        put_now(l);
    else if (l->closing)
        l->put_req->cb(l->put_req, RAFT_CANCELED);
    else
        l->put_waits = true;
}

void ledger_kept(struct ledger *l, uint64_t index)
{
    l->kept = MAX(l->kept, index);
    if (l->put_waits)
        put_when_kept(l);
}

void ledger_snapshot_close(struct ledger *l)
{
    if (!l->put_waits)
        return;
    l->put_waits = false;
    l->put_req->cb(l->put_req, RAFT_CANCELED);
}

static void write_done(uv_work_t *w, int status)
{
    struct ledger *l = w->data;
    l->writing = false;
    int64_t began_us = clock_mono_us();
    uint64_t index = l->snap_index;
    release_frozen(l); /* the bytes are copied: what the state replaces from now on needs no second copy */
    l->snap_index = index;
    put_when_kept(l);
    l->stats.snapshot_us += (uint64_t)(clock_mono_us() - began_us);
    l->stats.snapshot_max_us = MAX(l->stats.snapshot_max_us, l->stats.snapshot_us);
    if (l->closing)
        ledger_close_go_on(l);
}

/* A snapshot that the leader sent has its bytes already. */
static int on_put(struct raft_io *io, unsigned trailing, struct raft_io_snapshot_put *req,
                  const struct raft_snapshot *snapshot, raft_io_snapshot_put_cb cb)
{
    struct ledger *l = CONTAINER_OF(io, struct ledger, io);
    if (!l->snapshotting || !snapshot->n_bufs || snapshot->bufs[0].base != l->snap_head)
        return l->put(io, trailing, req, snapshot, cb);
    req->cb = cb;
    l->put_req = req;
    l->put_trailing = trailing;
    l->put_snapshot = snapshot;
    l->writing = true;
    l->write_work.data = l;
    return uv_queue_work(l->loop, &l->write_work, write_work, write_done) ? RAFT_IOERR : 0;
}

void ledger_snapshot_bind(struct ledger *l)
{
    l->snap_head = mem_alloc(SNAPFILE_HEAD);
    l->raft_fsm.snapshot = on_snapshot;
    l->raft_fsm.snapshot_finalize = on_snapshot_end;
    if (l->io.snapshot_put) {
        l->put = l->io.snapshot_put;
        l->io.snapshot_put = on_put;
    }
}
