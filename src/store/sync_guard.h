/*
 * sync_guard - notices that the sync of a log segment failed while libraft closed it.
 *
 * libraft 0.22 truncates a segment, syncs it and gives it its final name.  When the sync fails it goes on: the file
 * keeps the name of an open segment, later segments are closed, and the next start reads the old entries once more,
 * behind the newer ones, or finds a gap.  So the process must start again before libraft closes another segment: then
 * the file is the oldest open one, and libraft closes it properly.  libraft says nothing of the failure, so calls of
 * fsync and fdatasync of the whole process pass through here.
 */
#ifndef SPUR_STORE_SYNC_GUARD_H
#define SPUR_STORE_SYNC_GUARD_H

#include <stddef.h>

/* Prepared segments, which are synced as well and may fail without harm, have this size. */
void sync_guard_install(size_t segment_bytes);

/* The segment in `dir` (NULL: a ledger without files) whose close failed; NULL: none.  The worker that closes it waits
 * some seconds for the restart.
 */
const char *sync_guard_failed(const char *dir);

#endif
