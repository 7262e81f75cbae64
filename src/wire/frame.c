/* frame - the envelope of every message; see frame.h. */
#include "wire/frame.h"

#include <endian.h>
#include <string.h>

#include "base/pb_pack.h"
#include "wire/lz4.h"

static void put_header(char *at, size_t len, enum msg_type type, uint16_t flags, uint64_t number)
{
    uint32_t l = htole32((uint32_t)len);
    uint16_t t = htole16((uint16_t)type), f = htole16(flags);
    uint64_t n = htole64(number);
    memcpy(at, &l, 4);
    memcpy(at + 4, &t, 2);
    memcpy(at + 6, &f, 2);
    memcpy(at + 8, &n, 8);
}

void frame_add(struct buf *out, enum msg_type type, uint16_t flags, uint64_t number, const void *body, size_t len)
{
    buf_room(out, FRAME_HEADER + len);
    frame_add_header(out, type, flags, number, len);
    buf_add(out, body, len);
}

void frame_add_header(struct buf *out, enum msg_type type, uint16_t flags, uint64_t number, size_t len)
{
    char header[FRAME_HEADER];
    put_header(header, len, type, flags, number);
    buf_add(out, header, FRAME_HEADER);
}

void frame_add_pb(struct buf *out, enum msg_type type, uint16_t flags, uint64_t number, const ProtobufCMessage *msg)
{
    size_t at = out->len;
    frame_add_header(out, type, flags, number, 0);
    if (!msg)
        return;
    pb_pack(out, msg);
    put_header(out->s + at, out->len - at - FRAME_HEADER, type, flags, number);
}

int frame_find(const void *p, size_t len, uint32_t max_body, struct frame *out, size_t *used, struct err *err)
{
    if (len < FRAME_HEADER)
        return 0;
    const uint8_t *s = p;
    uint32_t body;
    uint16_t type, flags;
    uint64_t number;
    memcpy(&body, s, 4);
    memcpy(&type, s + 4, 2);
    memcpy(&flags, s + 6, 2);
    memcpy(&number, s + 8, 8);
    body = le32toh(body);
    if (body > max_body) {
        err_set(err, EMSGSIZE, "a message of %u bytes is over the limit of %u", body, max_body);
        return -1;
    }
    if (len - FRAME_HEADER < body)
        return 0;
    *out = (struct frame){ le16toh(type), le16toh(flags), le64toh(number), s + FRAME_HEADER, body };
    *used = FRAME_HEADER + body;
    return 1;
}

/* ---- small ---- */

bool frame_pack(const void *body, size_t len, struct buf *out)
{
    uint32_t whole = htole32((uint32_t)len);
    size_t before = out->len;
    if (len > LZ4_MAX)
        return false;
    buf_add(out, &whole, sizeof(whole));
    if (lz4_pack(body, len, out) && out->len - before < len)
        return true;
    out->len = before;
    return false;
}

int frame_unpack(struct frame *f, struct buf *room, struct err *err)
{
    uint32_t whole = 0;
    if (!(f->flags & FRAME_PACKED))
        return 0;
    if (f->len < sizeof(whole))
        return err_set(err, EBADMSG, "a packed message of %u bytes says nothing of its length", f->len);
    memcpy(&whole, f->body, sizeof(whole));
    whole = le32toh(whole);
    if (whole > FRAME_MAX)
        return err_set(err, EMSGSIZE, "a packed message of %u bytes is over the limit of %u", whole, FRAME_MAX);
    if (whole / 255 > f->len) /* no block of this length can hold so much: no room is made for it */
        return err_set(err, EBADMSG, "a packed message of %u bytes says that it was %u long", f->len, whole);
    buf_reset(room);
    char *at = buf_room(room, whole);
    if (!lz4_unpack(f->body + sizeof(whole), f->len - sizeof(whole), at, whole))
        return err_set(err, EBADMSG, "a packed message cannot be unpacked");
    room->len = whole;
    f->flags = (uint16_t)(f->flags & ~FRAME_PACKED);
    f->body = (const uint8_t *)room->s;
    f->len = whole;
    return 0;
}
