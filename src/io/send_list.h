/*
 * send_list - what a connection has to send: bytes of its own, with shared buffers among them.
 */
#ifndef SPUR_IO_SEND_LIST_H
#define SPUR_IO_SEND_LIST_H

#include <uv.h>

#include "base/shared_buf.h"
#include "base/vec.h"

struct hung {
    size_t at; /* of the own bytes so many come before it */
    struct shared_buf *shared;
};

struct send_list {
    struct buf own;
    VEC(struct hung) hung;
    size_t len; /* of all */
};

struct buf *send_list_own(struct send_list *p, size_t len);                 /* where you add exactly `len` bytes */
void send_list_hang(struct send_list *p, struct shared_buf *s);                  /* holds it until it is cleared or reset */
void send_list_before(struct send_list *p, const void *bytes, size_t len);  /* in front of all that is there */
void send_list_reset(struct send_list *p);                                  /* empty; room of its own is kept */
void send_list_clear(struct send_list *p);

size_t send_list_count(const struct send_list *p); /* room for so many pieces is enough */
/* Everything from byte `from` on, in the pieces where it lies; how many those are. */
unsigned send_list_pieces(const struct send_list *p, size_t from, uv_buf_t *out);

#endif
