/* bounds - the size of a message before it is decoded; see bounds.h. */
#include "wire/bounds.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#define MIB (1024ull * 1024)

/* Allocated for each field beside its own bytes: the decoder's list of fields, the allocator's header, a pointer. */
#define PER_FIELD 80

#define ANY UINT32_MAX, UINT64_MAX, FRAME_MAX

/* What a user or a node may send; ordinary requests have a few dozen elements and a few kilobytes.  A type without a
 * row is not walked: its schema is neither recursive nor repeated, or it is a controller's own. */
static const struct {
    enum msg_type type;
    struct bounds bounds;
} rows[] = {
    /*                 elements     memory      bytes                                 */
    { MSG_SUBMIT,      {  65536,  64 * MIB, 16 * MIB } }, /* argv of a command line, the environment, a script */
    { MSG_STEP,        {  65536,  64 * MIB, 16 * MIB } },
    { MSG_WAIT,        {   1000,   1 * MIB, MIB / 16 } },
    { MSG_JOBS,        {  10000,   4 * MIB,      MIB } },
    { MSG_HISTORY,     {  10000,   4 * MIB,      MIB } },
    { MSG_PRIO,        {  10000,   4 * MIB,      MIB } },
    { MSG_NODES,       {  10000,   4 * MIB,      MIB } },
    { MSG_CLUSTER,     {  10000,   4 * MIB,      MIB } },
    { MSG_PARTS,       {  10000,   4 * MIB,      MIB } },
    { MSG_RESVS,       {  10000,   4 * MIB,      MIB } },
    { MSG_LICENSES,    {  10000,   4 * MIB,      MIB } },
    { MSG_TOPOLOGY,    {  10000,   4 * MIB,      MIB } },
    { MSG_WHY,         {  10000,   4 * MIB, MIB / 16 } },
    { MSG_STAT,        {  10000,   4 * MIB, MIB / 16 } },
    { MSG_PERMIT,      {  10000,   4 * MIB,      MIB } },
    { MSG_CANCEL,      {  10000,   8 * MIB,  4 * MIB } },
    { MSG_JOB_OP,      {  10000,   8 * MIB,  4 * MIB } },
    { MSG_UPDATE,      {  10000,   8 * MIB,  4 * MIB } },
    { MSG_ASSOC_LOAD,  {     10,  17 * MIB, 16 * MIB } }, /* an administrator's */
    { MSG_BCAST_OPEN,  {  70000,  32 * MIB, 16 * MIB } }, /* the addresses of the nodes below */
    { MSG_BCAST_DATA,  {     10,  10 * MIB,  9 * MIB } },
    { MSG_REGISTER,    { 100000,  64 * MIB, 16 * MIB } }, /* the steps that run on a node */
    { MSG_REPORT,      { 100000,  64 * MIB, 16 * MIB } },
    { MSG_REPORTS,     { 500000, 256 * MIB, FRAME_MAX } }, /* a report for each node below */
    { MSG_FANOUT,      { 500000, 256 * MIB, FRAME_MAX } },
    { MSG_FANOUT_REPLY,{ 500000, 256 * MIB, FRAME_MAX } },
    { MSG_START_REPLY, { ANY } },                          /* recursive, and from a controller */
    { MSG_STEP_REPLY,  { ANY } },
};

const struct bounds *bounds_of(enum msg_type type)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].type == type)
            return &rows[i].bounds;
    return NULL;
}

uint32_t bounds_user_bytes(const void *header, size_t len)
{
    uint16_t type = 0;
    if (len >= FRAME_HEADER)
        memcpy(&type, (const char *)header + 4, sizeof(type));
    const struct bounds *b = bounds_of(le16toh(type));
    return b ? b->bytes : BOUNDS_SMALL;
}

/* ---- the walk ---- */

struct level {
    const ProtobufCMessageDescriptor *d;
    const uint8_t *end;
};

struct walk {
    struct level at[BOUNDS_DEPTH];
    size_t depth; /* levels in use */
    uint64_t elements, memory;
    const struct bounds *bounds;
    const char *wrong; /* why it is refused */
};

static bool read_varint(const uint8_t **p, const uint8_t *end, uint64_t *v)
{
    *v = 0;
    for (unsigned shift = 0; *p < end && shift < 70; shift += 7) {
        uint8_t byte = *(*p)++;
        if (shift < 64)
            *v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

static bool is_numeric(const ProtobufCFieldDescriptor *f)
{
    return f && f->type != PROTOBUF_C_TYPE_STRING && f->type != PROTOBUF_C_TYPE_BYTES &&
           f->type != PROTOBUF_C_TYPE_MESSAGE;
}

/* A list of numbers in one field: a number takes a byte at least, or as many as its type has. */
static uint64_t count_packed(const ProtobufCFieldDescriptor *f, const uint8_t *p, size_t len)
{
    uint64_t n = 0;
    switch (f->type) {
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_FLOAT: return len / 4;
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_DOUBLE: return len / 8;
    default:
        for (size_t i = 0; i < len; i++)
            n += p[i] < 0x80;
        return n;
    }
}

static bool charge_message(struct walk *w, uint64_t elements, uint64_t memory)
{
    w->elements += elements;
    w->memory += memory;
    if (w->elements > w->bounds->elements)
        w->wrong = "has too many elements";
    else if (w->memory > w->bounds->memory)
        w->wrong = "takes too much memory";
    return !w->wrong;
}

static bool enter_message(struct walk *w, const ProtobufCMessageDescriptor *d, const uint8_t *end)
{
    if (w->depth == BOUNDS_DEPTH) {
        w->wrong = "is nested too deeply";
        return false;
    }
    w->at[w->depth++] = (struct level){ d, end };
    return charge_message(w, 0, d->sizeof_message);
}

/* A field with a length; its bytes are at `*p`, and are passed over unless a message is entered. */
static bool take_bytes(struct walk *w, const ProtobufCFieldDescriptor *f, const uint8_t **p, size_t len)
{
    bool many = !f || f->label == PROTOBUF_C_LABEL_REPEATED;
    if (f && f->type == PROTOBUF_C_TYPE_MESSAGE)
        return charge_message(w, many, 0) && enter_message(w, f->descriptor, *p + len);
    uint64_t n = many ? 1 : 0, memory = len;
    if (is_numeric(f)) {
        n = count_packed(f, *p, len);
        memory = n * 8;
    }
    *p += len;
    return charge_message(w, n, memory);
}

/* One field of the innermost message. */
static bool take_field(struct walk *w, const uint8_t **p)
{
    const struct level *at = &w->at[w->depth - 1];
    uint64_t tag, v;
    if (!read_varint(p, at->end, &tag) || tag >> 3 == 0 || tag >> 3 > UINT32_MAX >> 3) {
        w->wrong = "does not parse";
        return false;
    }
    const ProtobufCFieldDescriptor *f = protobuf_c_message_descriptor_get_field(at->d, (unsigned)(tag >> 3));
    if (!charge_message(w, 0, PER_FIELD))
        return false;
    size_t left = (size_t)(at->end - *p), fixed = (tag & 7) == 1 ? 8 : (tag & 7) == 5 ? 4 : 0;
    bool good = true;
    switch (tag & 7) {
    case 0: good = read_varint(p, at->end, &v); break;
    case 1:
    case 5:
        good = left >= fixed;
        *p += good ? fixed : 0;
        break;
    case 2:
        if (read_varint(p, at->end, &v) && v <= (uint64_t)(at->end - *p))
            return take_bytes(w, f, p, (size_t)v);
        good = false;
        break;
    default: good = false; /* groups are none of ours */
    }
    if (!good) {
        w->wrong = "does not parse";
        return false;
    }
    return charge_message(w, !f || f->label == PROTOBUF_C_LABEL_REPEATED, 0);
}

int bounds_check(const ProtobufCMessageDescriptor *d, const void *bytes, size_t len, const struct bounds *b,
                 struct err *err)
{
    struct walk w = { .bounds = b };
    const uint8_t *p = bytes;
    bool good = enter_message(&w, d, p + len);
    while (good && w.depth) {
        if (p == w.at[w.depth - 1].end)
            w.depth--;
        else
            good = take_field(&w, &p);
    }
    if (good)
        return 0;
    return err_set(err, w.wrong[0] == 'd' ? EBADMSG : E2BIG, "a message %s", w.wrong);
}

int bounds_check_frame(const struct frame *f, struct err *err)
{
    const struct bounds *b = bounds_of(f->type);
    struct err why = ERR_INIT;
    int rc = b ? bounds_check(msg_descriptor(f->type), f->body, f->len, b, &why) : 0;
    return rc ? err_set(err, rc, "%s: %s", msg_name(f->type), why.text) : 0;
}
