/*
 * fold - what accounting remembers of each entry of the log: events in, rows out.
 *
 * A fold observes cluster_apply() (core/cluster.h).  The rows of an entry follow from the events of the entry and the
 * state alone, so every controller makes the same rows for the same entry.  A row replaces the row with the same key:
 * folding an entry twice changes nothing.
 *
 * A job row is a pb.Job as queries send it, without its spec, its steps and its nodes one by one; a step row is a
 * pb.Step without secrets.  The loop's thread makes the bytes; a worker thread takes them apart (history_db.h).
 */
#ifndef SPUR_HISTORY_FOLD_H
#define SPUR_HISTORY_FOLD_H

#include "base/buf.h"
#include "core/cluster.h"

enum fold_kind {
    FOLD_JOB,  /* bytes: a pb.Job */
    FOLD_STEP, /* bytes: a pb.Step */
    FOLD_SPEC, /* bytes: a pb.JobSpec; `id` is its number, which jobs name */
};

struct fold_row {
    enum fold_kind kind;
    uint64_t id;      /* of the job, or of the spec */
    int64_t submit_s; /* of the job: an id is used again after MaxJobId */
    uint32_t run;     /* how often the job had been requeued */
    uint32_t step;    /* of a step row: its number */
    uint64_t spec;    /* of a job row */
    size_t at, len;   /* its bytes in fold_batch.bytes */
};

struct fold_batch { /* the rows of one entry, in the order in which they are to be written */
    uint64_t index; /* of the entry */
    bool after_gap; /* rows of entries before this one were never made here */
    struct buf bytes;
    VEC(struct fold_row) rows;
};

struct fold;

struct fold *fold_new(void);
void fold_free(struct fold *f); /* NULL is welcome */
/* Observe this state from now on: the rows of entries before it are in the history, or come from another controller. */
void fold_watch(struct fold *f, struct cluster *c);

/* Around each cluster_apply(); `applied`: it succeeded. */
void fold_begin(struct fold *f, const Pb__Event *ev);
void fold_end(struct fold *f, bool applied);

/* Rows for all that the state holds, as if it had just changed: the state is that of a snapshot, and the entries before
 * it are not here to be folded. */
void fold_all(struct fold *f);

/* The rows of the events since the last call, as entry `index`; NULL: none. */
struct fold_batch *fold_take(struct fold *f, uint64_t index);
void fold_batch_free(struct fold_batch *b); /* NULL is welcome */

#endif
