/*
 * send_list - what a connection has to send: bytes of its own, with shared buffers among them.
 */
#ifndef SPUR_IO_SEND_LIST_H
#define SPUR_IO_SEND_LIST_H

#include <uv.h>

#include "base/shared_buf.h"
#include "base/vec.h"

struct send_shared {
    size_t at; /* it comes after so many of the list's own bytes */
    struct shared_buf *buf;
};

struct send_list {
    struct buf own;
    VEC(struct send_shared) shared;
    size_t len; /* of all bytes */
};

struct buf *send_list_own(struct send_list *p, size_t len);      /* append exactly `len` bytes to the result */
void send_list_share(struct send_list *p, struct shared_buf *s); /* takes a reference until the list is reset */
void send_list_reset(struct send_list *p);                       /* empty; its buffer is kept for reuse */
void send_list_clear(struct send_list *p);

size_t send_list_count(const struct send_list *p); /* the most pieces there can be */
/* Fill `out` with the bytes from number `from` on, piece by piece; returns the number of pieces. */
unsigned send_list_pieces(const struct send_list *p, size_t from, uv_buf_t *out);

#endif
