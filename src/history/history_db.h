/*
 * history_db - the tables of the history, in SQLite.
 *
 * Job, step and spec rows are facts: once the log is cut they exist nowhere else.  A released schema only gains tables
 * and columns; migrations are steps of history_db.c.  The index of the last entry is written in the transaction that
 * writes its rows.  Every value is a bound parameter.
 *
 * One connection belongs to one thread at a time.
 */
#ifndef SPUR_HISTORY_DB_H
#define SPUR_HISTORY_DB_H

#include "base/err.h"
#include "core/job.h"
#include "history/fold.h"

#define HISTORY_NOT_OVER (INT64_C(1) << 60) /* end of a job or step that has not ended: later than all times */

struct history_db;

/* The state by which rows are found: the base of the job's state; an attempt that was requeued has one of its own. */
static inline int64_t history_state(uint32_t state)
{
    return state & JOB_REQUEUE_FLAG ? JOB_REQUEUE_FLAG : state & JOB_STATE_BASE;
}

/* Made, and brought to this release's schema, when it is not there.  A damaged file, or one of a newer release, is
 * refused with a sentence that names it. */
int history_db_open(struct history_db **out, const char *path, struct err *err);
void history_db_close(struct history_db *db); /* NULL is welcome */

/* Write the rows of these batches in one transaction and remember the last one's index.  Batches up to the index that
 * the file has are skipped.  On an error nothing of it is in the file. */
int history_db_write(struct history_db *db, struct fold_batch *const *batch, size_t n, struct err *err);
/* Nothing was to be written up to this entry. */
int history_db_mark(struct history_db *db, uint64_t index, struct err *err);
uint64_t history_db_index(const struct history_db *db);

/* All rows as text, one a line, in the order of their keys: for tests and comparisons. */
int history_db_dump(struct history_db *db, struct buf *out, struct err *err);

#endif
