/*
 * stream - frames between two programs over a connection that may break: what was not acknowledged is sent again.
 *
 * Each side counts the bytes of the frames it has taken and tells the other from time to time (MSG_IO_ACK); what was
 * told is forgotten there.  The frames that open a connection (MSG_IO_HELLO, MSG_IO_WELCOME) carry these counts and are
 * not counted themselves.  After a break each side goes on where the other stopped: nothing is lost, nothing comes
 * twice.
 *
 * A stream knows no socket: it says what to send next and is told what was sent.
 */
#ifndef SPUR_WIRE_STREAM_H
#define SPUR_WIRE_STREAM_H

#include "wire/frame.h"

#define STREAM_ACK_BYTES (256u << 10) /* taken and not told: tell */

struct stream {
    struct buf opening; /* a hello or a welcome: leaves first on a new connection */
    size_t opened;      /* of it, sent */
    struct buf out;     /* frames; up to `start` the other side has them */
    size_t start, sent; /* of out */
    uint64_t base;      /* the stream's count at `start` */
    uint64_t taken;     /* bytes of the other side */
    uint64_t told;      /* bytes of `taken` that were acknowledged */
};

void stream_clear(struct stream *st);

/* A frame at the end. */
void stream_add(struct stream *st, enum msg_type type, const ProtobufCMessage *msg);
void stream_add_bytes(struct stream *st, const void *frames, size_t len); /* whole frames */

/* What waits for this connection; 0: nothing.  Then say how much of it the socket took. */
size_t stream_next(const struct stream *st, const char **at);
void stream_sent(struct stream *st, size_t n);
/* How much the other side does not have for certain; and whether that is nothing. */
size_t stream_open(const struct stream *st);
/* Is anything left that this connection was not given? */
bool stream_idle(const struct stream *st);

/* A frame of the other side, `len` bytes with its header, was taken: counted. */
void stream_took(struct stream *st, size_t len);
/* Tell what was taken: once it is much, or `now`. */
void stream_ack(struct stream *st, bool now);
/* The other side told; what it told before may come again.  false: it cannot have taken that much. */
bool stream_acked(struct stream *st, uint64_t received);

/* A new connection: `opening` (or NULL) leaves first, then all that the other side did not take. */
void stream_reopen(struct stream *st, enum msg_type type, const ProtobufCMessage *opening);

#endif
