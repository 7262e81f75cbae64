/* pack - pb_pack() gives the bytes of protobuf_c_message_pack(), whatever a message holds. */
#include "base/pb_pack.h"
#include "base/str.h"
#include "event.pb-c.h"
#include "message.pb-c.h"
#include "random_pb.h"
#include "test.h"

static uint64_t random_number(void)
{
    uint64_t v = (uint64_t)random_below(UINT32_MAX >> 1) << 33 ^ (uint64_t)random_below(UINT32_MAX >> 1) << 10;
    return random_below(4) ? v >> random_below(64) : ~(v >> random_below(64)); /* of every length, and negative */
}

static char *random_text(void)
{
    static const uint32_t lengths[] = { 1, 1, 20, 126, 129, 300, 20000 };
    uint32_t n = random_below(lengths[random_below(ARRAY_LEN(lengths))]);
    char *s = mem_alloc(n + 1u);
    memset(s, 'x', n);
    return s;
}

static void change_value(const ProtobufCFieldDescriptor *f, char *at);

/* A third of the fields is as it was, a third is empty, a third has another value. */
static void change_message(ProtobufCMessage *m)
{
    for (unsigned i = 0; i < m->descriptor->n_fields; i++) {
        const ProtobufCFieldDescriptor *f = &m->descriptor->fields[i];
        char *at = (char *)m + f->offset;
        if (f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF)
            continue;
        size_t n = f->label == PROTOBUF_C_LABEL_REPEATED ? *(size_t *)((char *)m + f->quantifier_offset) : 1;
        for (size_t k = 0; k < n; k++)
            change_value(f, f->label == PROTOBUF_C_LABEL_REPEATED ? *(char **)at + k * random_value_size(f) : at);
    }
}

static void change_value(const ProtobufCFieldDescriptor *f, char *at)
{
    uint32_t way = random_below(3);
    uint64_t number = way == 1 ? 0 : random_number();
    if (f->type == PROTOBUF_C_TYPE_MESSAGE) {
        if (*(ProtobufCMessage **)at)
            change_message(*(ProtobufCMessage **)at);
    } else if (!way) {
        return;
    } else if (f->type == PROTOBUF_C_TYPE_STRING) {
        free(*(char **)at);
        *(char **)at = way == 1 ? mem_str("") : random_text();
    } else if (f->type == PROTOBUF_C_TYPE_BYTES) {
        ProtobufCBinaryData *b = (ProtobufCBinaryData *)(void *)at;
        free(b->data);
        b->data = (uint8_t *)random_text();
        b->len = way == 1 ? 0 : strlen((char *)b->data);
    } else {
        memcpy(at, &number, random_value_size(f));
    }
}

static bool same_bytes(const ProtobufCMessage *m)
{
    auto_buf struct buf ours = BUF_INIT, theirs = BUF_INIT;
    size_t n = protobuf_c_message_get_packed_size(m);
    theirs.len = protobuf_c_message_pack(m, (uint8_t *)buf_room(&theirs, n));
    buf_adds(&ours, "before");
    pb_pack(&ours, m);
    return ours.len == n + 6 && !memcmp(ours.s, "before", 6) && !memcmp(ours.s + 6, theirs.s, n) && !ours.s[ours.len];
}

static void test_type(const ProtobufCMessageDescriptor *d)
{
    bool same = true;
    for (int round = 0; round < 40; round++) {
        ProtobufCMessage *m = random_message(d, 4);
        same = same && same_bytes(m);
        change_message(m);
        same = same && same_bytes(m);
        protobuf_c_message_free_unpacked(m, NULL);
    }
    ok(same, "%s", d->name);
}

/* Every body of an event, set and NULL. */
static void test_oneof(void)
{
    const ProtobufCMessageDescriptor *d = &pb__event__descriptor;
    unsigned bodies = 0, same = 0;
    for (unsigned i = 0; i < d->n_fields; i++) {
        const ProtobufCFieldDescriptor *f = &d->fields[i];
        Pb__Event ev = PB__EVENT__INIT;
        if (!(f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF))
            continue;
        ProtobufCMessage *body = random_message(f->descriptor, 4);
        ev.body_case = (Pb__Event__BodyCase)f->id;
        same += same_bytes(&ev.base);
        *(ProtobufCMessage **)(void *)((char *)&ev + f->offset) = body;
        same += same_bytes(&ev.base);
        bodies += 2;
        protobuf_c_message_free_unpacked(body, NULL);
    }
    ok(bodies > 20 && same == bodies, "every body of an event");
}

/* What another release wrote and this one does not know is kept. */
static void test_unknown(void)
{
    static const uint8_t bytes[] = { 0xfa, 0x7f, 3, 'a', 'b', 'c', 0xe0, 0x7f, 5 };
    Pb__License *m = pb__license__unpack(NULL, sizeof(bytes), bytes);
    ok(m && m->base.n_unknown_fields == 2 && same_bytes(&m->base), "unknown fields");
    pb__license__free_unpacked(m, NULL);
}

int main(void)
{
    static const ProtobufCMessageDescriptor *const types[] = {
        &pb__job__descriptor,         &pb__job_spec__descriptor,       &pb__node__descriptor,
        &pb__part__descriptor,        &pb__step__descriptor,           &pb__resv__descriptor,
        &pb__assoc__descriptor,       &pb__qos__descriptor,            &pb__snapshot__descriptor,
        &pb__ev_submit__descriptor,   &pb__ev_start__descriptor,       &pb__submit_request__descriptor,
        &pb__job_list__descriptor,    &pb__launch_order__descriptor,   &pb__stat_reply__descriptor,
    };
    for (size_t i = 0; i < ARRAY_LEN(types); i++)
        test_type(types[i]);
    test_oneof();
    test_unknown();
    return test_done();
}
