/*
 * history_sql - a HistoryQuery as the statement that selects the keys of jobs, by the columns that have indexes.
 *
 * It selects all jobs that were asked for, and possibly more: history_match.h decides.
 */
#ifndef SPUR_HISTORY_SQL_H
#define SPUR_HISTORY_SQL_H

#include <sqlite3.h>

#include "message.pb-c.h"

/* Rows of id, submit, run in this order.  An error code of SQLite, or SQLITE_OK. */
int history_sql_prepare(sqlite3 *sql, const Pb__HistoryQuery *q, sqlite3_stmt **out);

#endif
