/* frame - the envelope: limits are looked at before anything else, pieces wait for the rest. */
#include "base/mem.h"
#include "test.h"
#include "wire/frame.h"

static void test_round_trip(void)
{
    auto_buf struct buf b = BUF_INIT;
    Pb__Failure f = PB__FAILURE__INIT, *back;
    struct frame got;
    size_t used = 0;
    f.code = 7, f.text = (char[]){ "no" };
    frame_add_pb(&b, MSG_FAILURE, FRAME_MORE, UINT64_MAX, &f.base);
    frame_add(&b, MSG_STATUS, 0, 2, NULL, 0);
    is_int(frame_find(b.s, b.len, FRAME_MAX, &got, &used, NULL), 1, "a frame is found");
    ok(got.type == MSG_FAILURE && got.flags == FRAME_MORE && got.number == UINT64_MAX,
       "with its type, flags and number");
    back = pb__failure__unpack(NULL, got.len, got.body);
    ok(back && back->code == 7 && !strcmp(back->text, "no"), "and its body");
    pb__failure__free_unpacked(back, NULL);
    size_t first = used;
    is_int(frame_find(b.s + first, b.len - first, FRAME_MAX, &got, &used, NULL), 1, "the next one, too");
    ok(got.type == MSG_STATUS && !got.len && first + used == b.len, "it is empty, and the last");
}

static void test_pieces(void)
{
    auto_buf struct buf b = BUF_INIT;
    struct frame got;
    size_t used = 0, waits = 0;
    frame_add(&b, MSG_STATUS, 0, 1, "12345", 5);
    for (size_t n = 0; n < b.len; n++)
        waits += frame_find(b.s, n, FRAME_MAX, &got, &used, NULL) == 0;
    is_int(waits, b.len, "every beginning of a frame waits for the rest");
}

static void test_limits(void)
{
    static const struct {
        uint32_t len, max;
        int want;
        const char *name;
    } cases[] = {
        { FRAME_MAX_HELLO, FRAME_MAX_HELLO, 0, "a body of just the limit is waited for" },
        { FRAME_MAX_HELLO + 1, FRAME_MAX_HELLO, -1, "a byte more is refused, before it has come" },
        { FRAME_MAX, FRAME_MAX, 0, "the same for those we know" },
        { FRAME_MAX + 1, FRAME_MAX, -1, "and a byte more" },
        { UINT32_MAX, FRAME_MAX, -1, "all ones" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        uint8_t head[FRAME_HEADER] = { 0 };
        struct err err = ERR_INIT;
        struct frame got;
        size_t used;
        memcpy(head, &cases[i].len, 4);
        is_int(frame_find(head, sizeof(head), cases[i].max, &got, &used, &err), cases[i].want, "%s", cases[i].name);
        ok((cases[i].want < 0) == (err.code == EMSGSIZE), "with a reason where it is refused");
    }
}

static void test_packed(void)
{
    auto_buf struct buf text = BUF_INIT, small = BUF_INIT, room = BUF_INIT;
    struct err err = ERR_INIT;
    for (int i = 0; i < 1000; i++)
        buf_addf(&text, "job %d is waiting; ", i);
    ok(frame_pack(text.s, text.len, &small) && small.len < text.len / 2, "a body that repeats itself gets small");
    struct frame f = { MSG_JOBS_REPLY, FRAME_PACKED | FRAME_MORE, 3, (uint8_t *)small.s, (uint32_t)small.len }, g = f;
    is_int(frame_unpack(&f, &room, &err), 0, "and back");
    ok(f.len == text.len && !memcmp(f.body, text.s, text.len) && f.flags == FRAME_MORE && f.number == 3,
       "as it was, with its other flags");
    is_int(frame_unpack(&f, &room, &err), 0, "one that is not packed is left alone");
    g.len -= 1;
    is_int(frame_unpack(&g, &room, &err), EBADMSG, "one that was cut is refused");
    static const uint8_t lie[] = { 0xff, 0xff, 0xff, 0x01, 0, 0 };
    g = (struct frame){ MSG_JOBS_REPLY, FRAME_PACKED, 3, lie, sizeof(lie) };
    buf_clear(&room);
    ok(frame_unpack(&g, &room, &err) == EBADMSG && !room.cap,
       "one that cannot be as long as it says, before room is made");
    g.len = 3;
    is_int(frame_unpack(&g, &room, &err), EBADMSG, "one without a length, too");
    small.len = 0;
    ok(!frame_pack("few", 3, &small) && !small.len, "what does not get smaller is left alone");
}

static void test_types(void)
{
    ok(!strcmp(msg_name(MSG_SUBMIT), "SUBMIT") && msg_descriptor(MSG_SUBMIT) == &pb__submit_request__descriptor,
       "a type has a name and a body");
    ok(!strcmp(msg_name((enum msg_type)9999), "?") && !msg_descriptor((enum msg_type)9999),
       "an unknown one has neither");
}

int main(void)
{
    test_round_trip();
    test_pieces();
    test_limits();
    test_packed();
    test_types();
    return test_done();
}
