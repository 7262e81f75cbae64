/* pbutil - copies and pieces of protobuf messages; see pbutil.h. */
#include "core/pbutil.h"

#include <stdlib.h>
#include <string.h>

ProtobufCMessage *pb_dup(const ProtobufCMessage *m)
{
    auto_buf struct buf b = BUF_INIT;
    pb_pack(&b, m);
    ProtobufCMessage *copy = protobuf_c_message_unpack(m->descriptor, NULL, b.len, (uint8_t *)b.s);
    if (!copy) {
        /* Unknown fields that no encoder writes do not survive being packed again: an empty message is what is left. */
        copy = mem_alloc(m->descriptor->sizeof_message);
        protobuf_c_message_init(m->descriptor, copy);
    }
    return copy;
}

void pb_free_text(char *text)
{
    if (text != (char *)protobuf_c_empty_string)
        free(text);
}

void pb_set_text(char **field, const char *value)
{
    char *old = *field;
    *field = mem_str(value ? value : "");
    pb_free_text(old);
}

/* ---- unknown fields ---- */

/* The messages in one field: how many there are, and where. */
static size_t messages_in(const ProtobufCMessage *m, const ProtobufCFieldDescriptor *f, ProtobufCMessage *const **list)
{
    const char *at = (const char *)m;
    if (f->type != PROTOBUF_C_TYPE_MESSAGE)
        return 0;
    if (f->label == PROTOBUF_C_LABEL_REPEATED) {
        *list = *(ProtobufCMessage *const *const *)(at + f->offset);
        return *(const size_t *)(at + f->quantifier_offset);
    }
    if ((f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) && *(const uint32_t *)(at + f->quantifier_offset) != f->id)
        return 0;
    *list = (ProtobufCMessage *const *)(at + f->offset);
    return **list ? 1 : 0;
}

bool pb_all_known(const ProtobufCMessage *m)
{
    if (m->n_unknown_fields)
        return false;
    for (unsigned i = 0; i < m->descriptor->n_fields; i++) {
        ProtobufCMessage *const *list = NULL;
        size_t n = messages_in(m, &m->descriptor->fields[i], &list);
        for (size_t k = 0; k < n; k++)
            if (!pb_all_known(list[k]))
                return false;
    }
    return true;
}

void pb_drop_unknown(ProtobufCMessage *m)
{
    for (unsigned i = 0; i < m->n_unknown_fields; i++)
        free(m->unknown_fields[i].data);
    free(m->unknown_fields);
    m->unknown_fields = NULL;
    m->n_unknown_fields = 0;
    for (unsigned i = 0; i < m->descriptor->n_fields; i++) {
        ProtobufCMessage *const *list = NULL;
        size_t n = messages_in(m, &m->descriptor->fields[i], &list);
        for (size_t k = 0; k < n; k++)
            pb_drop_unknown(list[k]);
    }
}

/* ---- pieces ---- */

static void add_varint(struct buf *out, uint64_t v)
{
    while (v >= 0x80) {
        buf_addc(out, (char)(v | 0x80));
        v >>= 7;
    }
    buf_addc(out, (char)v);
}

void pb_add_number(struct buf *out, unsigned number, uint64_t value)
{
    add_varint(out, (uint64_t)number << 3);
    add_varint(out, value);
}

void pb_add_head(struct buf *out, unsigned number, size_t len)
{
    add_varint(out, (uint64_t)number << 3 | 2);
    add_varint(out, len);
}

void pb_add_field(struct buf *out, unsigned number, const void *p, size_t len)
{
    pb_add_head(out, number, len);
    buf_add(out, p, len);
}

void pb_add_parts(struct buf *out, unsigned number, const void *p, size_t len, const void *more, size_t more_len)
{
    pb_add_head(out, number, len + more_len);
    buf_add(out, p, len);
    buf_add(out, more, more_len);
}

void pb_from_bitmap(ProtobufCBinaryData *out, const struct bitmap *b)
{
    size_t n = b->words * 8;
    const uint8_t *p = (const uint8_t *)b->word;
    while (n && !p[n - 1])
        n--;
    out->len = n;
    out->data = n ? mem_copy(p, n) : NULL;
}

void pb_to_bitmap(struct bitmap *out, const ProtobufCBinaryData *in)
{
    bitmap_clear(out);
    if (!in->len)
        return;
    out->words = (in->len + 7) / 8;
    out->word = mem_array(out->words, 8);
    memcpy(out->word, in->data, in->len);
}

bool pb_no_bits(const ProtobufCBinaryData *in)
{
    for (size_t i = 0; i < in->len; i++)
        if (in->data[i])
            return false;
    return true;
}
