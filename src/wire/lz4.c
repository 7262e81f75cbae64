/* lz4 - bytes made smaller and back; see lz4.h. */
#include "wire/lz4.h"

#include <endian.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"

#define HASH_BITS 14
#define MATCH_MIN 4   /* bytes that a reference to earlier ones is worth */
#define TAIL 5        /* the last bytes are never part of a reference */
#define MATCH_STOP 12 /* nor does one begin in the last so many */
#define OFFSET_MAX 65535u

static uint32_t read4(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof(v));
    return v;
}

static uint64_t read8(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof(v));
    return v;
}

static uint32_t hash4(uint32_t v)
{
    return v * 2654435761u >> (32 - HASH_BITS);
}

/* ---- small ---- */

/* What of a length is over 15 follows in bytes of up to 255. */
static uint8_t *put_length(uint8_t *to, size_t n)
{
    for (; n >= 255; n -= 255)
        *to++ = 255;
    *to++ = (uint8_t)n;
    return to;
}

/* Literals, then (unless it is the end) a reference: `match` bytes from `offset` before. */
static void add_sequence(struct buf *out, const uint8_t *lit, size_t nlit, size_t offset, size_t match)
{
    size_t more = match ? match - MATCH_MIN : 0;
    uint8_t *to = (uint8_t *)buf_room(out, nlit + nlit / 255 + more / 255 + 8);
    *to++ = (uint8_t)(MIN(nlit, 15u) << 4 | MIN(more, 15u));
    if (nlit >= 15)
        to = put_length(to, nlit - 15);
    memcpy(to, lit, nlit);
    to += nlit;
    if (match) {
        *to++ = (uint8_t)(offset & 255);
        *to++ = (uint8_t)(offset >> 8);
        if (more >= 15)
            to = put_length(to, more - 15);
    }
    out->len = (size_t)((char *)to - out->s);
}

static size_t same_length(const uint8_t *a, const uint8_t *b, const uint8_t *end)
{
    const uint8_t *start = b;
    for (; end - b >= 8; a += 8, b += 8) {
        uint64_t differs = read8(a) ^ read8(b);
        if (differs)
            return (size_t)(b - start) + (size_t)__builtin_ctzll(le64toh(differs)) / 8;
    }
    while (b < end && *a == *b)
        a++, b++;
    return (size_t)(b - start);
}

bool lz4_pack(const void *bytes, size_t n, struct buf *out)
{
    const uint8_t *p = bytes;
    size_t before = out->len, at = 0, lit = 0;
    if (n > LZ4_MAX || n < MATCH_STOP + 1)
        return false;
    auto_free uint32_t *last = mem_array(1u << HASH_BITS, sizeof(*last)); /* place + 1 of bytes with this hash */
    while (at + MATCH_STOP < n && out->len - before < n) {
        uint32_t h = hash4(read4(p + at)), seen = last[h];
        last[h] = (uint32_t)at + 1;
        size_t from = seen ? seen - 1 : 0;
        if (!seen || at - from > OFFSET_MAX || read4(p + from) != read4(p + at)) {
            at += 1 + ((at - lit) >> 6); /* where nothing repeats, look less closely */
            continue;
        }
        size_t match = MATCH_MIN + same_length(p + from + MATCH_MIN, p + at + MATCH_MIN, p + n - TAIL);
        add_sequence(out, p + lit, at - lit, at - from, match);
        at += match;
        lit = at;
    }
    add_sequence(out, p + lit, n - lit, 0, 0);
    if (out->len - before < n)
        return true;
    out->len = before;
    return false;
}

/* ---- and back ---- */

struct reader {
    const uint8_t *p, *end;
};

static bool read_length(struct reader *r, size_t *n)
{
    uint8_t b = 255;
    while (b == 255) {
        if (r->p >= r->end || *n > LZ4_MAX)
            return false;
        b = *r->p++;
        *n += b;
    }
    return true;
}

static bool copy_match(uint8_t *out, size_t *at, size_t want, size_t offset, size_t n)
{
    if (!offset || offset > *at || n > want - *at)
        return false;
    uint8_t *to = out + *at;
    *at += n;
    for (; offset >= 8 && n >= 8; n -= 8, to += 8)
        memcpy(to, to - offset, 8);
    for (; n; n--, to++) /* byte by byte: it may run into itself */
        *to = *(to - offset);
    return true;
}

bool lz4_unpack(const void *bytes, size_t n, void *to, size_t want)
{
    struct reader r = { bytes, (const uint8_t *)bytes + n };
    uint8_t *out = to;
    size_t at = 0;
    while (r.p < r.end) {
        uint8_t token = *r.p++;
        size_t lit = token >> 4, match = token & 15;
        if (lit == 15 && !read_length(&r, &lit))
            return false;
        if (lit > (size_t)(r.end - r.p) || lit > want - at)
            return false;
        memcpy(out + at, r.p, lit);
        at += lit;
        r.p += lit;
        if (r.p == r.end)
            return at == want; /* the end is without a reference */
        if (r.end - r.p < 2)
            return false;
        size_t offset = r.p[0] | (size_t)r.p[1] << 8;
        r.p += 2;
        if ((match == 15 && !read_length(&r, &match)) || !copy_match(out, &at, want, offset, match + MATCH_MIN))
            return false;
    }
    return false;
}
