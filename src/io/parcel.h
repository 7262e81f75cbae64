/*
 * parcel - what a connection has to send: bytes of its own, with sheets hung in among them that others send as well.
 */
#ifndef SPUR_IO_PARCEL_H
#define SPUR_IO_PARCEL_H

#include <uv.h>

#include "base/sheet.h"
#include "base/vec.h"

struct hung {
    size_t at; /* of the own bytes so many come before it */
    struct sheet *sheet;
};

struct parcel {
    struct buf own;
    VEC(struct hung) hung;
    size_t len; /* of all */
};

struct buf *parcel_own(struct parcel *p, size_t len);                 /* where you add exactly `len` bytes */
void parcel_hang(struct parcel *p, struct sheet *s);                  /* holds it until it is cleared or reset */
void parcel_before(struct parcel *p, const void *bytes, size_t len);  /* in front of all that is there */
void parcel_reset(struct parcel *p);                                  /* empty; room of its own is kept */
void parcel_clear(struct parcel *p);

size_t parcel_count(const struct parcel *p); /* room for so many pieces is enough */
/* Everything from byte `from` on, in the pieces where it lies; how many those are. */
unsigned parcel_pieces(const struct parcel *p, size_t from, uv_buf_t *out);

#endif
