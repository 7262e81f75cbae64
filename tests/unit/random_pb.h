/*
 * random_pb - protobuf messages with a random value in every field, by their descriptors, and their comparison.
 *
 * A field that is added to a message is filled and compared without any change here.
 */
#ifndef SPUR_TEST_RANDOM_PB_H
#define SPUR_TEST_RANDOM_PB_H

#include <protobuf-c/protobuf-c.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

#define RANDOM_PB_DEPTH 6

static uint64_t random_pb_seed = 1;

static inline uint32_t random_below(uint32_t n)
{
    random_pb_seed = random_pb_seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_pb_seed >> 33) % n;
}

static inline size_t random_value_size(const ProtobufCFieldDescriptor *f)
{
    switch (f->type) {
    case PROTOBUF_C_TYPE_BOOL: return sizeof(protobuf_c_boolean);
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_MESSAGE: return sizeof(void *);
    case PROTOBUF_C_TYPE_BYTES: return sizeof(ProtobufCBinaryData);
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_DOUBLE: return 8;
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_FLOAT:
    case PROTOBUF_C_TYPE_ENUM: return 4;
    }
    return 0;
}

static inline ProtobufCMessage *random_message(const ProtobufCMessageDescriptor *d, unsigned depth);

/* No value is the default one: a field that is lost shows. */
static inline void random_value(const ProtobufCFieldDescriptor *f, void *at, unsigned depth)
{
    uint32_t number = 1 + random_below(1000);
    switch (f->type) {
    case PROTOBUF_C_TYPE_BOOL: *(protobuf_c_boolean *)at = 1; break;
    case PROTOBUF_C_TYPE_STRING: *(char **)at = mem_printf("t%u", number); break;
    case PROTOBUF_C_TYPE_MESSAGE: *(ProtobufCMessage **)at = random_message(f->descriptor, depth + 1); break;
    case PROTOBUF_C_TYPE_BYTES: {
        ProtobufCBinaryData *b = at;
        b->len = 1 + random_below(4);
        b->data = mem_alloc(b->len);
        for (size_t i = 0; i < b->len; i++)
            b->data[i] = (uint8_t)(1 + random_below(255));
        break;
    }
    case PROTOBUF_C_TYPE_ENUM: {
        const ProtobufCEnumDescriptor *e = f->descriptor;
        *(int *)at = e->values[e->n_values > 1 ? 1 + random_below(e->n_values - 1) : 0].value;
        break;
    }
    case PROTOBUF_C_TYPE_DOUBLE: *(double *)at = number / 8.0; break;
    case PROTOBUF_C_TYPE_FLOAT: *(float *)at = (float)number / 8; break;
    default:
        memcpy(at, random_value_size(f) == 8 ? (const void *)&(uint64_t){ number } : (const void *)&number,
               random_value_size(f));
    }
}

/* Free it with protobuf_c_message_free_unpacked().  Messages inside itself end at some depth. */
static inline ProtobufCMessage *random_message(const ProtobufCMessageDescriptor *d, unsigned depth)
{
    ProtobufCMessage *m = mem_alloc(d->sizeof_message);
    protobuf_c_message_init(d, m);
    for (unsigned i = 0; i < d->n_fields; i++) {
        const ProtobufCFieldDescriptor *f = &d->fields[i];
        char *at = (char *)m + f->offset;
        if (f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF || (f->type == PROTOBUF_C_TYPE_MESSAGE && depth >= RANDOM_PB_DEPTH))
            continue;
        if (f->label != PROTOBUF_C_LABEL_REPEATED) {
            random_value(f, at, depth);
            continue;
        }
        size_t n = 1 + random_below(3);
        char *list = mem_array(n, random_value_size(f));
        for (size_t k = 0; k < n; k++)
            random_value(f, list + k * random_value_size(f), depth);
        *(size_t *)((char *)m + f->quantifier_offset) = n;
        *(void **)at = list;
    }
    return m;
}

#define RANDOM_PB(type, name) ((type *)random_message(&name##__descriptor, 0))

/* Set a field back to its default. */
static inline void random_clear_field(ProtobufCMessage *m, const ProtobufCFieldDescriptor *f)
{
    ProtobufCMessage *none = mem_alloc(m->descriptor->sizeof_message), *old = mem_alloc(m->descriptor->sizeof_message);
    protobuf_c_message_init(m->descriptor, none);
    protobuf_c_message_init(m->descriptor, old);
    size_t size = f->label == PROTOBUF_C_LABEL_REPEATED ? sizeof(void *) : random_value_size(f);
    memcpy((char *)old + f->offset, (char *)m + f->offset, size);
    memcpy((char *)m + f->offset, (char *)none + f->offset, size);
    if (f->label == PROTOBUF_C_LABEL_REPEATED) {
        memcpy((char *)old + f->quantifier_offset, (char *)m + f->quantifier_offset, sizeof(size_t));
        memcpy((char *)m + f->quantifier_offset, (char *)none + f->quantifier_offset, sizeof(size_t));
    }
    protobuf_c_message_free_unpacked(old, NULL);
    free(none);
}

/* ---- comparing ---- */

static inline void *field_value(const ProtobufCMessage *m, const ProtobufCFieldDescriptor *f, size_t i)
{
    char *at = (char *)(uintptr_t)m + f->offset;
    return f->label == PROTOBUF_C_LABEL_REPEATED ? *(char **)at + i * random_value_size(f) : at;
}

static inline size_t field_count(const ProtobufCMessage *m, const ProtobufCFieldDescriptor *f)
{
    if (f->label == PROTOBUF_C_LABEL_REPEATED)
        return *(const size_t *)((const char *)m + f->quantifier_offset);
    return f->type != PROTOBUF_C_TYPE_MESSAGE || *(void *const *)((const char *)m + f->offset) ? 1 : 0;
}

static inline size_t message_differs(const ProtobufCMessage *a, const ProtobufCMessage *b);

static inline bool value_same(const ProtobufCFieldDescriptor *f, const void *a, const void *b)
{
    static char empty[] = "";
    if (f->type == PROTOBUF_C_TYPE_STRING) {
        const char *x = *(char *const *)a, *y = *(char *const *)b;
        return !strcmp(x ? x : empty, y ? y : empty);
    }
    if (f->type == PROTOBUF_C_TYPE_BYTES) {
        const ProtobufCBinaryData *x = a, *y = b;
        return x->len == y->len && (!x->len || !memcmp(x->data, y->data, x->len));
    }
    if (f->type == PROTOBUF_C_TYPE_MESSAGE)
        return !message_differs(*(ProtobufCMessage *const *)a, *(ProtobufCMessage *const *)b);
    return !memcmp(a, b, random_value_size(f));
}

static inline bool field_same(const ProtobufCMessage *a, const ProtobufCMessage *b, const ProtobufCFieldDescriptor *fa,
                              const ProtobufCFieldDescriptor *fb)
{
    size_t n = field_count(a, fa);
    bool same = n == field_count(b, fb);
    for (size_t i = 0; same && i < n; i++)
        same = value_same(fa, field_value(a, fa, i), field_value(b, fb, i));
    return same;
}

/* How many fields differ; each is named in a comment. */
static inline size_t message_differs(const ProtobufCMessage *a, const ProtobufCMessage *b)
{
    size_t wrong = 0;
    for (unsigned i = 0; i < a->descriptor->n_fields; i++) {
        const ProtobufCFieldDescriptor *f = &a->descriptor->fields[i];
        if (field_same(a, b, f, f))
            continue;
        printf("# %s.%s differs\n", a->descriptor->short_name, f->name);
        wrong++;
    }
    return wrong;
}

#endif
