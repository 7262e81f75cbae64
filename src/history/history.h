/*
 * history - the accounting of this controller: rows of committed entries in, a file on its own disk, off the loop.
 *
 * Every controller has one.  The loop hands over the rows of each committed entry (fold.h); a worker thread writes them
 * in batches, with the index of the last entry in the same transaction.  Killed at any moment it goes on where the
 * index says.  The log must not be cut beyond history_index(): entries up to it are on disk here.
 *
 * A disk that is full, or a file that cannot be written, delays the history and nothing else: rows are kept in the log
 * and, up to a bound, in memory; the worker tries again.  Called on the loop's thread.
 */
#ifndef SPUR_HISTORY_HISTORY_H
#define SPUR_HISTORY_HISTORY_H

#include <uv.h>

#include "history/history_db.h"
#include "message.pb-c.h"

struct history;

struct history_stats {
    uint64_t index;   /* of the last entry on disk */
    uint64_t waiting; /* entries in memory */
    size_t bytes;     /* of them */
    uint64_t written; /* rows, since the start */
    char trouble[256]; /* why nothing is written at the moment; "": all is well */
};

/* On the loop: entries up to this one are on disk.  `again`: rows of later ones were dropped while nothing could be
 * written, so the log must be read again from there. */
typedef void history_kept_fn(void *arg, uint64_t index, bool again);
/* A file that is damaged or of a newer release is refused; one that cannot be opened for now is tried again. */
int history_open(struct history **out, uv_loop_t *loop, const char *path, history_kept_fn *kept, void *arg,
                 struct err *err);
/* Wait until what was handed over is written, or cannot be.  The memory is freed by the loop.  NULL is welcome. */
void history_close(struct history *h);

/* The rows of entry `index`, which is committed; they change owner.  NULL: it has none. */
void history_feed(struct history *h, uint64_t index, struct fold_batch *rows);
uint64_t history_index(struct history *h);
uint64_t history_fed(struct history *h); /* the last entry that was handed over */
void history_want(struct history *h); /* tell soon: the log is about to be cut */
struct history_stats history_stats(struct history *h);

/* ---- queries: worked on by threads, four at a time and one of each user ---- */
struct history_call;

/* On the loop: the bytes of a HistoryRows, which may be taken.  The next portion comes after history_go_on().
 * `last`: no rows, the call is gone; `rc`: 0, or why the answer is not whole. */
typedef void history_answer_fn(void *arg, struct buf *rows, bool last, int rc, const struct err *err);

/* The answer holds all entries that were handed over before.  `q` changes owner.  NULL: too many wait. */
struct history_call *history_ask(struct history *h, Pb__HistoryQuery *q, uint32_t uid, history_answer_fn *answer,
                                 void *arg);
void history_go_on(struct history_call *c);
void history_cancel(struct history_call *c); /* no further call of `answer`; the pointer is dead */

#endif
