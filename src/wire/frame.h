/*
 * frame - the envelope of every message: 16 bytes of header, then a protobuf.
 *
 *     u32 length of the body | u16 type | u16 flags | u64 request number     (little endian)
 *
 * A reply carries the number of its request.  A body longer than the limit is refused
 * before any room is made for it.
 */
#ifndef SPUR_WIRE_FRAME_H
#define SPUR_WIRE_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "wire/message.h"

#define FRAME_HEADER 16u
#define FRAME_MAX (64u << 20) /* anything authenticated */
#define FRAME_MAX_HELLO 4096u /* before the peer's identity is known */

enum frame_flag {
    FRAME_MORE = 1,   /* further frames of this reply follow */
    FRAME_PACKED = 2, /* the body is small: u32 length of the real one, then an LZ4 block; frame_unpack() */
    FRAME_PACKS = 4,  /* of a request: its answer may come packed */
};

struct frame {
    enum msg_type type;
    uint16_t flags;
    uint64_t number;
    const uint8_t *body; /* borrowed */
    uint32_t len;
};

/* Append one frame. */
void frame_add(struct buf *out, enum msg_type type, uint16_t flags, uint64_t number, const void *body, size_t len);
/* Append one frame with a packed message (NULL: empty body). */
void frame_add_pb(struct buf *out, enum msg_type type, uint16_t flags, uint64_t number, const ProtobufCMessage *msg);

/* Append what stands before a body of `len` bytes, which is sent by other means. */
void frame_add_header(struct buf *out, enum msg_type type, uint16_t flags, uint64_t number, size_t len);

/* The body of a frame made small, appended to `out`.  False, and nothing is appended: it would not be smaller. */
bool frame_pack(const void *body, size_t len, struct buf *out);
/* A packed frame as it was; its body is in `room` then.  Any other frame stays as it is.  0, or what is wrong with it.
 */
int frame_unpack(struct frame *f, struct buf *room, struct err *err);

/* Look for a whole frame at the start of `p`.  1: found, *used bytes long; 0: more bytes are needed; -1: refused (err
 * says why). */
int frame_find(const void *p, size_t len, uint32_t max_body, struct frame *out, size_t *used, struct err *err);

#endif
