/*
 * sheet - bytes that several hold at once and nobody changes: an answer that a crowd gets is there once.
 *
 * Whoever holds one lets go of it when done; the last one frees it.  One thread; nobody locks.
 */
#ifndef SPUR_BASE_SHEET_H
#define SPUR_BASE_SHEET_H

#include "base/buf.h"

struct sheet {
    unsigned holders;
    size_t len;
    char *s;
};

struct sheet *sheet_new(struct buf *b);        /* with the bytes of `b`, which is empty then; you hold it */
struct sheet *sheet_hold(struct sheet *s);     /* one more holds it */
void sheet_drop(struct sheet *s);              /* NULL is welcome */

#endif
