/*
 * history_match - is a row of the history one that a query asks for?
 *
 * It looks at what no column has: array tasks, components, partitions, reservations, sizes, time limits.
 */
#ifndef SPUR_HISTORY_MATCH_H
#define SPUR_HISTORY_MATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "message.pb-c.h"

/* The bytes are those of a pb.Job and of its pb.JobSpec. */
bool history_match(const Pb__HistoryQuery *q, const uint8_t *job, size_t len, const uint8_t *spec, size_t spec_len);

#endif
