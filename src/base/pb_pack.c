/* pb_pack - see pb_pack.h. */
#include "base/pb_pack.h"

#include <stdbool.h>
#include <string.h>

#define VARINT_MAX 10 /* bytes of a varint, at most */

enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

/* ---- pieces ---- */

static uint8_t *put_varint(uint8_t *p, uint64_t v)
{
    while (v >= 0x80) {
        *p++ = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    *p++ = (uint8_t)v;
    return p;
}

static void add_varint(struct buf *out, uint64_t v)
{
    uint8_t *p = (uint8_t *)buf_room(out, VARINT_MAX);
    out->len += (size_t)(put_varint(p, v) - p);
}

static void add_bytes(struct buf *out, const void *p, size_t n)
{
    char *to = buf_room(out, n + VARINT_MAX);
    size_t head = (size_t)((char *)put_varint((uint8_t *)to, n) - to);
    if (n)
        memcpy(to + head, p, n);
    out->len += head + n;
}

/* A length goes before bytes that are not there yet: one byte is kept free, and the bytes move if it takes more. */
static size_t open_length(struct buf *out)
{
    buf_room(out, 1);
    return ++out->len;
}

static void close_length(struct buf *out, size_t from)
{
    uint8_t head[VARINT_MAX];
    size_t n = out->len - from, more = (size_t)(put_varint(head, n) - head) - 1;
    if (more) {
        buf_room(out, more);
        memmove(out->s + from + more, out->s + from, n);
        out->len += more;
    }
    memcpy(out->s + from - 1, head, more + 1);
}

/* ---- one value ---- */

static unsigned wire_type(ProtobufCType type)
{
    switch (type) {
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_DOUBLE: return WIRE_64;
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_FLOAT: return WIRE_32;
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE: return WIRE_BYTES;
    default: return WIRE_VARINT;
    }
}

static size_t value_size(ProtobufCType type)
{
    switch (type) {
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_MESSAGE: return sizeof(void *);
    case PROTOBUF_C_TYPE_BYTES: return sizeof(ProtobufCBinaryData);
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_DOUBLE: return 8;
    default: return 4;
    }
}

static void add_fixed(struct buf *out, const void *value, size_t n)
{
    memcpy(buf_room(out, n), value, n); /* little-endian, as the wire is */
    out->len += n;
}

static void add_message(struct buf *out, const ProtobufCMessage *m)
{
    size_t from = open_length(out);
    if (m)
        pb_pack(out, m);
    close_length(out, from);
}

static void add_value(struct buf *out, ProtobufCType type, const void *value)
{
    const ProtobufCBinaryData *bytes = value;
    int32_t i32;
    int64_t i64;
    uint32_t u32;
    switch (type) {
    case PROTOBUF_C_TYPE_ENUM:
    case PROTOBUF_C_TYPE_INT32:
        memcpy(&i32, value, 4);
        add_varint(out, (uint64_t)(int64_t)i32);
        break;
    case PROTOBUF_C_TYPE_SINT32:
        memcpy(&i32, value, 4);
        add_varint(out, ((uint32_t)i32 << 1) ^ (uint32_t)(i32 >> 31));
        break;
    case PROTOBUF_C_TYPE_SINT64:
        memcpy(&i64, value, 8);
        add_varint(out, ((uint64_t)i64 << 1) ^ (uint64_t)(i64 >> 63));
        break;
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_UINT64:
        memcpy(&i64, value, 8);
        add_varint(out, (uint64_t)i64);
        break;
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_BOOL:
        memcpy(&u32, value, 4);
        add_varint(out, type == PROTOBUF_C_TYPE_BOOL ? u32 != 0 : u32);
        break;
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_FLOAT: add_fixed(out, value, 4); break;
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_DOUBLE: add_fixed(out, value, 8); break;
    case PROTOBUF_C_TYPE_STRING: {
        const char *text = *(char *const *)value;
        add_bytes(out, text, text ? strlen(text) : 0);
        break;
    }
    case PROTOBUF_C_TYPE_BYTES: add_bytes(out, bytes->data, bytes->len); break;
    case PROTOBUF_C_TYPE_MESSAGE: add_message(out, *(ProtobufCMessage *const *)value); break;
    }
}

/* ---- one field ---- */

static bool is_pointer(const ProtobufCFieldDescriptor *f)
{
    return f->type == PROTOBUF_C_TYPE_STRING || f->type == PROTOBUF_C_TYPE_MESSAGE;
}

/* A field without a mark of its own: zero, "" and NULL are not written. */
static bool is_zero(const ProtobufCFieldDescriptor *f, const char *value)
{
    uint64_t v64;
    uint32_t v32;
    switch (f->type) {
    case PROTOBUF_C_TYPE_STRING: return !*(const char *const *)value || !**(const char *const *)value;
    case PROTOBUF_C_TYPE_DOUBLE: return *(const double *)value == 0;
    case PROTOBUF_C_TYPE_FLOAT: return *(const float *)value == 0;
    case PROTOBUF_C_TYPE_MESSAGE:
    case PROTOBUF_C_TYPE_BYTES: /* begins with its length */
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_SFIXED64: return memcpy(&v64, value, 8), !v64;
    default: return memcpy(&v32, value, 4), !v32;
    }
}

/* Not a list: is it written? */
static bool is_set(const ProtobufCFieldDescriptor *f, const char *m)
{
    const char *value = m + f->offset;
    if (f->label == PROTOBUF_C_LABEL_REQUIRED)
        return true;
    if (f->label == PROTOBUF_C_LABEL_NONE && !(f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF))
        return !is_zero(f, value);
    if (f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF && *(const uint32_t *)(m + f->quantifier_offset) != f->id)
        return false;
    if (is_pointer(f))
        return *(const void *const *)value && *(const void *const *)value != f->default_value;
    return f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF || *(const protobuf_c_boolean *)(m + f->quantifier_offset);
}

static void add_list(struct buf *out, const ProtobufCFieldDescriptor *f, const char *m)
{
    size_t n = *(const size_t *)(m + f->quantifier_offset), size = value_size(f->type);
    const char *at = *(const char *const *)(m + f->offset);
    if (!n)
        return;
    bool packed = f->flags & PROTOBUF_C_FIELD_FLAG_PACKED;
    uint64_t tag = (uint64_t)f->id << 3 | (packed ? WIRE_BYTES : wire_type(f->type));
    size_t from = 0;
    if (packed) {
        add_varint(out, tag);
        from = open_length(out);
    }
    for (size_t i = 0; i < n; i++, at += size) {
        if (!packed)
            add_varint(out, tag);
        add_value(out, f->type, at);
    }
    if (packed)
        close_length(out, from);
}

static void add_unknown(struct buf *out, const ProtobufCMessageUnknownField *u)
{
    add_varint(out, (uint64_t)u->tag << 3 | u->wire_type);
    buf_add(out, u->data, u->len);
}

void pb_pack(struct buf *out, const ProtobufCMessage *m)
{
    const ProtobufCMessageDescriptor *d = m->descriptor;
    const char *base = (const char *)m;
    for (unsigned i = 0; i < d->n_fields; i++) {
        const ProtobufCFieldDescriptor *f = &d->fields[i];
        if (f->label == PROTOBUF_C_LABEL_REPEATED) {
            add_list(out, f, base);
        } else if (is_set(f, base)) {
            add_varint(out, (uint64_t)f->id << 3 | wire_type(f->type));
            add_value(out, f->type, base + f->offset);
        }
    }
    for (unsigned i = 0; i < m->n_unknown_fields; i++)
        add_unknown(out, &m->unknown_fields[i]);
    *buf_room(out, 0) = '\0';
}

void pb_pack_field(struct buf *out, unsigned number, const ProtobufCMessage *m)
{
    add_varint(out, (uint64_t)number << 3 | WIRE_BYTES);
    add_message(out, m);
    *buf_room(out, 0) = '\0';
}
