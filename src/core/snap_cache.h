/*
 * snap_cache - the encoded form of every record of the state, kept until the record changes.
 *
 * The kinds of which there may be many (jobs, blobs, nodes, associations, ...) have a table each: pieces of bytes in
 * the order of their numbers, ready to be written one after the other.  A change only queues the record's number; the
 * bytes are made again by cluster_snapshot_prepare().
 *
 * A snapshot copies the tables, not the bytes.  As long as one exists, bytes that are replaced or removed are kept, so
 * a worker thread may read them without a lock.
 */
#ifndef SPUR_CORE_SNAP_CACHE_H
#define SPUR_CORE_SNAP_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

enum snap_kind { SNAP_NODE, SNAP_BLOB, SNAP_JOB, SNAP_ASSOC, SNAP_HISTORY, SNAP_KEY, SNAP_KINDS };

struct snap_piece {
    uint64_t number;
    char *bytes; /* NULL: the record is gone */
    size_t len;
};

struct snap_range { /* numbers that were queued one after the other: those of new records count up */
    uint64_t first, n;
};

struct snap_table {
    VEC(struct snap_piece) at; /* by number */
    size_t gone;
    VEC(struct snap_range) stale; /* records whose bytes are to be made again */
    size_t next;                  /* of `stale`: the first range that is not done; it loses what is done of it */
    size_t nstale;                /* records in the ranges */
};

struct snap_cache {
    unsigned snapshots; /* that point to its bytes */
    bool orphan;        /* the cluster is gone */
    struct snap_table table[SNAP_KINDS];
    VEC(char *) retired; /* bytes that a snapshot may still point to */
};

struct snap_cache *snap_cache_new(void);
void snap_cache_free(struct snap_cache *s); /* for the cluster: the last snapshot frees it, if there is one */
void snap_cache_release(struct snap_cache *s); /* for a snapshot, which has counted itself in `snapshots` */

void snap_queue(struct snap_table *t, uint64_t number);
bool snap_queued_last(const struct snap_table *t, uint64_t number); /* is this the last record in the queue? */
/* The record has changed, or is new, or is gone.  `*queued` is the record's own mark, so that it is queued once. */
static inline void snap_stale(struct snap_cache *s, enum snap_kind kind, uint64_t number, bool *queued)
{
    if (*queued)
        return;
    *queued = true;
    snap_queue(&s->table[kind], number);
}
/* The next record in the queue, which leaves it; `nstale` says whether there is one. */
uint64_t snap_next(struct snap_table *t);

/* These are its bytes from now on; they change owner.  Numbers mostly count up: one in between costs a move. */
void snap_put(struct snap_cache *s, enum snap_kind kind, uint64_t number, char *bytes, size_t len);
void snap_remove(struct snap_cache *s, enum snap_kind kind, uint64_t number);

#endif
