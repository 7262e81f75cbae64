/*
 * arena - a protobuf allocator that gives everything back at once: unpacking long lists stays cheap.
 */
#ifndef SPUR_CLIENT_ARENA_H
#define SPUR_CLIENT_ARENA_H

#include <protobuf-c/protobuf-c.h>

struct arena_chunk;

struct arena {
    ProtobufCAllocator allocator; /* hand this to an unpack function */
    struct arena_chunk *chunk;    /* in use */
    struct arena_chunk *spare;    /* kept for the next round */
    size_t used;
};

void arena_init(struct arena *a);
void arena_reset(struct arena *a); /* everything unpacked with it is gone; room is kept */
void arena_clear(struct arena *a);

#endif
