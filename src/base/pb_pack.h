/*
 * pb_pack - a protobuf message as bytes, appended in one pass.
 *
 * The bytes are those of protobuf_c_message_pack(), which walks every field twice: for the size, then for the bytes.
 * Most fields of our large messages (a job, its spec) are not set; passing over one takes a few instructions here.
 */
#ifndef SPUR_BASE_PB_PACK_H
#define SPUR_BASE_PB_PACK_H

#include <protobuf-c/protobuf-c.h>

#include "base/buf.h"

void pb_pack(struct buf *out, const ProtobufCMessage *m);
/* As field `number` of a message that contains it. */
void pb_pack_field(struct buf *out, unsigned number, const ProtobufCMessage *m);

#endif
