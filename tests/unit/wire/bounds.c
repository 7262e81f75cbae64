/* bounds - messages that nest too deeply, have too many elements or take too much memory are refused unread. */
#include "wire/bounds.h"

#include <errno.h>

#include "base/buf.h"
#include "test.h"

static void add_varint(struct buf *b, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        buf_addc(b, (char)(v | 0x80));
    buf_addc(b, (char)v);
}

static unsigned field_id(const ProtobufCMessageDescriptor *d, const char *name)
{
    const ProtobufCFieldDescriptor *f = protobuf_c_message_descriptor_get_field_by_name(d, name);
    return f ? f->id : 0;
}

static int check(enum msg_type type, const struct buf *b)
{
    struct frame f = { type, 0, 1, (uint8_t *)b->s, (uint32_t)b->len };
    struct err err = ERR_INIT;
    int rc = bounds_check_frame(&f, &err);
    if (rc)
        printf("# %s\n", err.text);
    return rc;
}

/* `levels` messages of the type within each other, by its recursive field. */
static void nest(struct buf *out, enum msg_type type, const char *field, unsigned levels)
{
    unsigned tag = field_id(msg_descriptor(type), field) << 3 | 2;
    auto_buf struct buf inner = BUF_INIT;
    for (unsigned i = 0; i < levels; i++) {
        auto_buf struct buf outer = BUF_INIT;
        add_varint(&outer, tag);
        add_varint(&outer, inner.len);
        buf_add(&outer, inner.s ? inner.s : "", inner.len);
        buf_reset(&inner);
        buf_add(&inner, outer.s, outer.len);
    }
    buf_add(out, inner.s, inner.len);
}

static void test_depth(void)
{
    static const struct {
        enum msg_type type;
        const char *field;
        unsigned levels;
        int code;
    } cases[] = {
        { MSG_SUBMIT, "het", 1, 0 },         { MSG_SUBMIT, "het", BOUNDS_DEPTH - 1, 0 },
        { MSG_SUBMIT, "het", BOUNDS_DEPTH, E2BIG }, { MSG_SUBMIT, "het", 10000, E2BIG },
        { MSG_STEP, "het", 10000, E2BIG },   { MSG_START_REPLY, "het", 10000, E2BIG },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        auto_buf struct buf b = BUF_INIT;
        nest(&b, cases[i].type, cases[i].field, cases[i].levels);
        is_int(check(cases[i].type, &b), cases[i].code, "%u levels of %s in %s (%zu bytes)", cases[i].levels,
               cases[i].field, msg_name(cases[i].type), b.len);
    }
}

/* How deep a message is by its schema, a recursive field followed once. */
static unsigned schema_depth(const ProtobufCMessageDescriptor *d, const ProtobufCMessageDescriptor **path, unsigned n)
{
    unsigned deepest = 0, seen = 0;
    for (unsigned i = 0; i < n; i++)
        seen += path[i] == d;
    if (seen > 1 || n == 30)
        return 0;
    path[n] = d;
    for (unsigned i = 0; i < d->n_fields; i++)
        if (d->fields[i].type == PROTOBUF_C_TYPE_MESSAGE) {
            unsigned k = schema_depth(d->fields[i].descriptor, path, n + 1);
            deepest = k > deepest ? k : deepest;
        }
    return deepest + 1;
}

static bool is_recursive(const ProtobufCMessageDescriptor *d, const ProtobufCMessageDescriptor **path, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (path[i] == d)
            return true;
    path[n] = d;
    for (unsigned i = 0; i < d->n_fields; i++)
        if (d->fields[i].type == PROTOBUF_C_TYPE_MESSAGE && is_recursive(d->fields[i].descriptor, path, n + 1))
            return true;
    return false;
}

static void test_schema(void)
{
    const ProtobufCMessageDescriptor *path[31];
    unsigned deepest = 0;
#define X(name, number, body)                                                                                          \
    {                                                                                                                  \
        unsigned k = schema_depth(msg_descriptor(name), path, 0);                                                      \
        deepest = k > deepest ? k : deepest;                                                                           \
        if (is_recursive(msg_descriptor(name), path, 0))                                                               \
            ok(bounds_of(name) != NULL, "%s is recursive and has a row", msg_name(name));                              \
    }
    MSG_TYPES(X)
#undef X
    ok(deepest <= BOUNDS_DEPTH, "the deepest message of the schema has %u levels", deepest);
}

static void test_elements(void)
{
    auto_buf struct buf refs = BUF_INIT, uids = BUF_INIT, same = BUF_INIT, few = BUF_INIT;
    unsigned tag = field_id(msg_descriptor(MSG_CANCEL), "jobs") << 3 | 2;
    for (unsigned i = 0; i < 4000000; i++) { /* references without anything in them: two bytes each */
        add_varint(&refs, tag);
        add_varint(&refs, 0);
    }
    is_int(check(MSG_CANCEL, &refs), E2BIG, "an 8 MB CANCEL of empty references");
    add_varint(&uids, field_id(msg_descriptor(MSG_JOBS), "uid") << 3 | 2);
    add_varint(&uids, 3000000);
    for (unsigned i = 0; i < 3000000; i++)
        buf_addc(&uids, 1);
    is_int(check(MSG_JOBS, &uids), E2BIG, "a query with three million users");
    for (unsigned i = 0; i < 3000000; i++) {
        add_varint(&same, field_id(msg_descriptor(MSG_JOBS), "with_done") << 3);
        buf_addc(&same, 1);
    }
    is_int(check(MSG_JOBS, &same), E2BIG, "one field three million times");
    for (unsigned i = 0; i < 500; i++) {
        add_varint(&few, field_id(msg_descriptor(MSG_JOBS), "uid") << 3);
        add_varint(&few, 100000 + i);
    }
    is_int(check(MSG_JOBS, &few), 0, "five hundred users are fine");
}

static void test_broken(void)
{
    static const struct {
        const char *bytes;
        size_t len;
        const char *name;
    } cases[] = {
        { "\x80", 1, "half a tag" },
        { "\x0a\x05" "abc", 5, "a length over the end" },
        { "\x0b", 1, "a group" },
        { "\x09\x01", 2, "half a fixed number" },
        { "\x00\x01", 2, "field zero" },
        { "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12, "an endless number" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        auto_buf struct buf b = BUF_INIT;
        buf_add(&b, cases[i].bytes, cases[i].len);
        is_int(check(MSG_SUBMIT, &b), EBADMSG, "%s", cases[i].name);
    }
    auto_buf struct buf none = BUF_INIT;
    buf_room(&none, 1);
    is_int(check(MSG_SUBMIT, &none), 0, "an empty message is one");
}

static uint32_t user_bytes(enum msg_type type)
{
    auto_buf struct buf b = BUF_INIT;
    frame_add(&b, type, 0, 1, NULL, 0);
    return bounds_user_bytes(b.s, b.len);
}

static void test_bytes(void)
{
    is_int(user_bytes(MSG_SUBMIT), 16 << 20, "a submission may have 16 MB");
    is_int(user_bytes(MSG_CANCEL), 4 << 20, "a CANCEL 4 MB");
    is_int(user_bytes(MSG_STATUS), BOUNDS_SMALL, "a message without a row little");
    is_int(user_bytes(MSG_JOBS_REPLY), BOUNDS_SMALL, "a reply is no user's message");
    is_int(user_bytes((enum msg_type)60000), BOUNDS_SMALL, "nor is an unknown one");
    is_int(bounds_user_bytes("", 0), BOUNDS_SMALL, "half a header");
}

int main(void)
{
    test_bytes();
    test_depth();
    test_schema();
    test_elements();
    test_broken();
    return test_done();
}
