/* A message that the bounds let pass decodes within the memory they say, and no deeper than they say. */
#include "fuzz.h"

#include "wire/bounds.h"

#define MEMORY (256u << 10)

static size_t used;

static void *take_room(void *arg, size_t n)
{
    (void)arg;
    used += n;
    return malloc(n ? n : 1);
}

static void give_room(void *arg, void *p)
{
    (void)arg;
    free(p);
}

static const enum msg_type types[] = {
#define X(name, number, body) name,
    MSG_TYPES(X)
#undef X
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n < 1)
        return 0;
    const struct bounds b = { 1000, MEMORY, FRAME_MAX };
    const ProtobufCMessageDescriptor *d = msg_descriptor(types[data[0] % (sizeof(types) / sizeof(types[0]))]);
    if (bounds_check(d, data + 1, n - 1, &b, NULL))
        return 0;
    ProtobufCAllocator a = { take_room, give_room, NULL };
    used = 0;
    ProtobufCMessage *m = protobuf_c_message_unpack(d, &a, n - 1, data + 1);
    check(used <= 2 * MEMORY);
    if (m)
        protobuf_c_message_free_unpacked(m, &a);
    return 0;
}
