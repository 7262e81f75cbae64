/* stream - frames that survive a broken connection; see stream.h. */
#include "wire/stream.h"

#define COMPACT (1u << 20) /* this much that was acknowledged is worth a move of the rest */

void stream_clear(struct stream *st)
{
    buf_clear(&st->opening);
    buf_clear(&st->out);
    *st = (struct stream){ 0 };
}

/* Forget what the other side has: when nothing is left, or when moving the rest costs less than it frees. */
static void stream_compact(struct stream *st)
{
    size_t rest = st->out.len - st->start;
    if (rest && (st->start < COMPACT || rest > st->start))
        return;
    buf_cut(&st->out, st->start);
    st->sent -= st->start;
    st->start = 0;
}

void stream_add(struct stream *st, enum msg_type type, const ProtobufCMessage *msg)
{
    frame_add_pb(&st->out, type, 0, 0, msg);
}

void stream_add_bytes(struct stream *st, const void *frames, size_t len)
{
    buf_add(&st->out, frames, len);
}

size_t stream_next(const struct stream *st, const char **at)
{
    if (st->opened < st->opening.len) {
        *at = st->opening.s + st->opened;
        return st->opening.len - st->opened;
    }
    *at = st->out.s ? st->out.s + st->sent : NULL;
    return st->out.len - st->sent;
}

void stream_sent(struct stream *st, size_t n)
{
    size_t opening = MIN(n, st->opening.len - st->opened);
    st->opened += opening;
    st->sent += n - opening;
}

size_t stream_open(const struct stream *st)
{
    return st->out.len - st->start;
}

bool stream_idle(const struct stream *st)
{
    return st->opened == st->opening.len && st->sent == st->out.len;
}

void stream_took(struct stream *st, size_t len)
{
    st->taken += len;
}

void stream_ack(struct stream *st, bool now)
{
    uint64_t news = st->taken - st->told;
    if (!news || (!now && news < STREAM_ACK_BYTES))
        return;
    Pb__IoAck a = PB__IO_ACK__INIT;
    a.received = st->told = st->taken;
    stream_add(st, MSG_IO_ACK, &a.base);
}

bool stream_acked(struct stream *st, uint64_t received)
{
    if (received < st->base) /* sent before a break, and again after it */
        return true;
    if (received - st->base > st->out.len - st->start)
        return false;
    size_t n = (size_t)(received - st->base);
    st->base = received;
    st->start += n;
    st->sent = MAX(st->sent, st->start);
    stream_compact(st);
    return true;
}

void stream_reopen(struct stream *st, enum msg_type type, const ProtobufCMessage *opening)
{
    buf_reset(&st->opening);
    st->opened = 0;
    st->sent = st->start;
    if (opening)
        frame_add_pb(&st->opening, type, 0, 0, opening);
}
