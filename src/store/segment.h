/*
 * segment - a look at libraft's files that changes nothing.
 *
 * libraft takes damage in an open segment for a torn tail, cuts it off and goes on.
 * So the entries that libraft would find are counted before it may touch anything.
 */
#ifndef SPUR_STORE_SEGMENT_H
#define SPUR_STORE_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct segment_view {
    bool metadata;          /* the term and vote are there */
    bool any;               /* any file of a log is there */
    uint64_t snapshot;      /* index of the newest snapshot, 0: none */
    uint64_t last;          /* the last index that snapshot and segments reach */
    char newest_snapshot[80];
    char damaged[80];       /* the first open segment with bytes after its last whole batch, "" */
};

/* How many entries libraft would keep of an open segment's bytes; `*clean`: nothing but zeros follows them. */
uint64_t segment_entries(const void *file, size_t size, bool *clean);

int segment_look(struct segment_view *v, const char *dir, struct err *err);

#endif
