/* message - the table of message types; see message.h. */
#include "wire/message.h"

#include <stddef.h>

static const struct {
    enum msg_type type;
    const char *name;
    const ProtobufCMessageDescriptor *body;
} table[] = {
#define X(name, number, body) { name, #name, &pb__##body##__descriptor },
    MSG_TYPES(X)
#undef X
};

const char *msg_name(enum msg_type type)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (table[i].type == type)
            return table[i].name + 4;
    return "?";
}

const ProtobufCMessageDescriptor *msg_descriptor(enum msg_type type)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (table[i].type == type)
            return table[i].body;
    return NULL;
}
