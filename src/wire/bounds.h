/*
 * bounds - what a message may be, read from its bytes before anything is allocated for it.
 *
 * Protobuf decodes recursively and makes room for every element that a few bytes announce.  So the bytes are first
 * walked against the message's descriptor, without recursion and without memory: how deep it nests, how many elements
 * it has, how much memory it would take.  The table has the limits of each type of message; every link checks each
 * frame by it before the frame is delivered.
 */
#ifndef SPUR_WIRE_BOUNDS_H
#define SPUR_WIRE_BOUNDS_H

#include "base/err.h"
#include "wire/frame.h"

#define BOUNDS_DEPTH 10 /* messages within messages: more than any of ours needs */

struct bounds {
    uint32_t elements; /* of repeated fields, and fields that are not known, at all levels */
    uint64_t memory;   /* bytes, decoded */
    uint32_t bytes;    /* on the wire, in a user's message */
};

#define BOUNDS_SMALL (128u << 10) /* bytes of a user's message without a row */

const struct bounds *bounds_of(enum msg_type type); /* NULL: messages of this type are not walked */

/* The longest body that a user's frame may have, by the type in its header: asked before room is made for it. */
uint32_t bounds_user_bytes(const void *header, size_t len);

/* 0, or E2BIG or EBADMSG with a sentence. */
int bounds_check(const ProtobufCMessageDescriptor *d, const void *p, size_t len, const struct bounds *b,
                 struct err *err);

/* A frame's body against the row of its type. */
int bounds_check_frame(const struct frame *f, struct err *err);

#endif
