/*
 * lz4 - bytes made smaller and back, in the LZ4 block format: fast, and good enough for programs and texts.
 */
#ifndef SPUR_WIRE_LZ4_H
#define SPUR_WIRE_LZ4_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

#define LZ4_MAX (64u << 20) /* bytes in one block */

/* Append the small form of `n` bytes (at most LZ4_MAX).  False, and nothing is appended: it would not be smaller. */
bool lz4_pack(const void *p, size_t n, struct buf *out);
/* The other way: exactly `want` bytes into `out`.  False: that is not what it holds. */
bool lz4_unpack(const void *p, size_t n, void *out, size_t want);

#endif
