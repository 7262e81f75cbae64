/*
 * shared_buf - an immutable, reference-counted byte buffer; identical query replies share one.
 *
 * The creator owns one reference; the last unref frees the bytes.  One thread; no locks.
 */
#ifndef SPUR_BASE_SHARED_BUF_H
#define SPUR_BASE_SHARED_BUF_H

#include "base/buf.h"

struct shared_buf {
    unsigned refs;
    size_t len;
    char *s;
};

struct shared_buf *shared_buf_new(struct buf *b); /* takes the bytes of `b`, which is empty afterwards; one reference */
struct shared_buf *shared_buf_ref(struct shared_buf *s); /* one reference more; returns `s` */
void shared_buf_unref(struct shared_buf *s);             /* NULL is welcome */

#endif
