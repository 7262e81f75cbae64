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
#define FRAME_MAX_HELLO 4096u /* before we know who it is */

#define FRAME_MORE 1u /* further frames of this reply follow */

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

/* Look for a whole frame at the start of `p`.  1: found, *used bytes long; 0: more bytes are needed; -1: refused (err
 * says why). */
int frame_find(const void *p, size_t len, uint32_t max_body, struct frame *out, size_t *used, struct err *err);

#endif
