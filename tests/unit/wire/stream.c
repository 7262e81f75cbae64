/* stream - a connection that breaks anywhere costs no frame and repeats none. */
#include "wire/stream.h"
#include "base/mem.h"
#include "test.h"

/* The other side of a cable: takes bytes as they come, counts whole frames. */
struct end {
    struct buf in;
    struct stream *st;
    uint32_t next; /* the number that must come next */
    bool wrong;
};

static void take_frame(struct end *e, const struct frame *f, size_t used)
{
    if (f->type == MSG_IO_HELLO)
        return;
    stream_took(e->st, used);
    Pb__IoExit *x = f->type == MSG_IO_EXIT ? pb__io_exit__unpack(NULL, f->len, f->body) : NULL;
    e->wrong |= !x || x->task != e->next++;
    if (x)
        pb__io_exit__free_unpacked(x, NULL);
}

static void hear(struct end *e, const char *p, size_t n)
{
    struct frame f;
    size_t used, at = 0;
    buf_add(&e->in, p, n);
    while (frame_find(e->in.s + at, e->in.len - at, FRAME_MAX, &f, &used, NULL) > 0) {
        take_frame(e, &f, used);
        at += used;
    }
    buf_cut(&e->in, at);
}

/* Send at most `n` bytes; what was sent and is not `kept` never arrives. */
static void carry(struct stream *from, struct end *to, size_t n, size_t kept)
{
    const char *p;
    for (size_t len; n && (len = stream_next(from, &p)); n -= len) {
        len = MIN(len, n);
        size_t heard = MIN(len, kept);
        if (heard)
            hear(to, p, heard);
        kept -= heard;
        stream_sent(from, len);
    }
}

static void reconnect(struct stream *from, struct end *to)
{
    Pb__IoHello h = PB__IO_HELLO__INIT;
    buf_reset(&to->in); /* half a frame is gone with the connection */
    ok(stream_acked(from, to->st->taken), "a count of what was taken is believed");
    stream_reopen(from, MSG_IO_HELLO, &h.base);
}

static void test_breaks(void)
{
    struct stream out = { 0 }, in = { 0 };
    struct end end = { .st = &in };
    uint32_t sent = 0;
    for (size_t cut = 0; cut < 60; cut++) {
        for (int i = 0; i < 5; i++) {
            Pb__IoExit x = PB__IO_EXIT__INIT;
            x.task = sent++;
            x.status = 1;
            stream_add(&out, MSG_IO_EXIT, &x.base);
        }
        carry(&out, &end, 20 + cut, cut);
        reconnect(&out, &end);
    }
    carry(&out, &end, SIZE_MAX, SIZE_MAX);
    ok(!end.wrong && end.next == sent, "every frame came once and in order");
    ok(stream_idle(&out) && stream_open(&out), "what was sent is kept until it is acknowledged");
    ok(stream_acked(&out, in.taken) && !stream_open(&out), "and then forgotten");
    buf_clear(&end.in);
    stream_clear(&out);
    stream_clear(&in);
}

static void test_acks(void)
{
    struct stream st = { 0 };
    stream_took(&st, 100);
    stream_ack(&st, false);
    ok(!stream_open(&st), "a little is not worth an acknowledgement");
    stream_ack(&st, true);
    size_t one = stream_open(&st);
    ok(one != 0, "unless it is asked for");
    stream_ack(&st, true);
    is_int(stream_open(&st), one, "it is told once");
    stream_took(&st, STREAM_ACK_BYTES);
    stream_ack(&st, false);
    ok(stream_open(&st) > one, "much is told unasked");
    ok(!stream_acked(&st, stream_open(&st) + 1), "an acknowledgement of more than was sent is refused");
    size_t rest = stream_open(&st) - one;
    ok(stream_acked(&st, one) && stream_acked(&st, one - 1), "what was told before may come again");
    is_int(stream_open(&st), rest, "and changes nothing");
    stream_clear(&st);
}

static void test_room(void)
{
    static char block[64 << 10];
    struct stream st = { 0 };
    uint64_t total = 0;
    for (int i = 0; i < 400; i++) {
        stream_add_bytes(&st, block, sizeof(block));
        total += sizeof(block);
        const char *p;
        stream_sent(&st, stream_next(&st, &p));
        stream_acked(&st, total - sizeof(block));
    }
    ok(st.out.cap < 8u << 20, "a long stream needs the room of what is under way");
    stream_clear(&st);
}

int main(void)
{
    test_breaks();
    test_acks();
    test_room();
    return test_done();
}
