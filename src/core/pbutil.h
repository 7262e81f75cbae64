/*
 * pbutil - copies and pieces of protobuf messages.
 */
#ifndef SPUR_CORE_PBUTIL_H
#define SPUR_CORE_PBUTIL_H

#include "base/bitmap.h"
#include "base/pb_pack.h"

/* A deep copy; free with protobuf_c_message_free_unpacked. */
ProtobufCMessage *pb_dup(const ProtobufCMessage *m);
#define PB_DUP(type, m) ((type *)pb_dup(&(m)->base))

/* The texts of an unpacked message are on the heap, but for the empty text, which is protobuf-c's own. */
void pb_free_text(char *text);
void pb_set_text(char **field, const char *value); /* a copy; NULL: empty */

/* Fields that this release has no tag for, in the message or in any message inside it: is there none?  Drop them. */
bool pb_all_known(const ProtobufCMessage *m);
void pb_drop_unknown(ProtobufCMessage *m);

/* Append field `number` of a length-delimited type: what a containing message would hold. */
void pb_add_field(struct buf *out, unsigned number, const void *p, size_t len);
void pb_add_head(struct buf *out, unsigned number, size_t len); /* the same without the bytes: they follow */
void pb_add_parts(struct buf *out, unsigned number, const void *p, size_t len, const void *more, size_t more_len);
void pb_add_number(struct buf *out, unsigned number, uint64_t value);

/* Bitmaps travel as bytes without trailing zeros. */
void pb_from_bitmap(ProtobufCBinaryData *out, const struct bitmap *b); /* malloc'd data */
void pb_to_bitmap(struct bitmap *out, const ProtobufCBinaryData *in);
bool pb_no_bits(const ProtobufCBinaryData *in);

#endif
