/*
 * history_query - the answer to one HistoryQuery, from a connection of its own that cannot write.
 *
 * Rows come in the order of job number, submission and attempt, in portions of about HISTORY_PORTION bytes; memory does
 * not grow with the answer.  Every value of the query is a bound parameter.  Runs in any one thread.
 */
#ifndef SPUR_HISTORY_QUERY_H
#define SPUR_HISTORY_QUERY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "message.pb-c.h"

#define HISTORY_PORTION (128u * 1024)

/* The bytes of a HistoryRows without its time; they change owner.  False: no more is wanted. */
typedef bool history_portion_fn(void *arg, struct buf *rows);

/* 0, or why there is no answer.  ECANCELED: `*stop` became true, or a portion was not wanted. */
int history_query_run(const char *path, const Pb__HistoryQuery *q, history_portion_fn *portion, void *arg,
                      const bool *stop, struct err *err);

#endif
