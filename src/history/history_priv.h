/*
 * history_priv - what the worker and the readers of the history share.
 */
#ifndef SPUR_HISTORY_PRIV_H
#define SPUR_HISTORY_PRIV_H

#include "history/history.h"

struct history {
    uv_thread_t thread;
    uv_mutex_t lock; /* of all below but `db`, which is the worker's */
    uv_cond_t wake;    /* the worker has something to do */
    uv_cond_t written; /* the index moved, or there is trouble */
    struct history_db *db; /* NULL: it could not be opened yet */
    char *path;
    VEC(struct fold_batch *) queue; /* oldest first */
    uint64_t fed;                   /* index of the last entry that was handed over */
    struct history_stats stats;
    bool closing, wanted;
    bool dropped; /* rows that found no room: they are made again from the log */
    uv_async_t tell; /* the index moved */
    history_kept_fn *kept;
    void *arg;

    VEC(struct history_call *) calls; /* in the order of arrival */
    uv_cond_t go_on;                  /* a portion was taken, or a call is to stop */
    uv_async_t answer;                /* a call has a portion, or is over */
    unsigned handles;                 /* of `tell` and `answer`, those that are not closed yet */
};

void history_readers_open(struct history *h, uv_loop_t *loop);
void history_readers_close(struct history *h); /* the worker has ended: waits for the readers */

#endif
