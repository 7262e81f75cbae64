/* bitmap - a set of small numbers; see bitmap.h. */
#include "base/bitmap.h"

#include <string.h>

#include "base/mem.h"

static void bitmap_reserve(struct bitmap *b, size_t words)
{
    if (words <= b->words)
        return;
    b->word = mem_grow(b->word, words, sizeof(*b->word));
    memset(b->word + b->words, 0, (words - b->words) * sizeof(*b->word));
    b->words = words;
}

void bitmap_clear(struct bitmap *b)
{
    free(b->word);
    *b = (struct bitmap)BITMAP_INIT;
}

void bitmap_zero(struct bitmap *b)
{
    if (b->words)
        memset(b->word, 0, b->words * sizeof(*b->word));
}

void bitmap_copy(struct bitmap *to, const struct bitmap *from)
{
    bitmap_reserve(to, from->words);
    bitmap_zero(to);
    if (from->words)
        memcpy(to->word, from->word, from->words * sizeof(*to->word));
}

void bitmap_set(struct bitmap *b, size_t i)
{
    bitmap_reserve(b, i / 64 + 1);
    b->word[i / 64] |= 1ull << (i % 64);
}

void bitmap_set_range(struct bitmap *b, size_t from, size_t n)
{
    if (n)
        bitmap_reserve(b, (from + n - 1) / 64 + 1);
    for (size_t i = 0; i < n; i++)
        bitmap_set(b, from + i);
}

void bitmap_unset(struct bitmap *b, size_t i)
{
    if (i / 64 < b->words)
        b->word[i / 64] &= ~(1ull << (i % 64));
}

bool bitmap_has(const struct bitmap *b, size_t i)
{
    return i / 64 < b->words && (b->word[i / 64] >> (i % 64) & 1);
}

size_t bitmap_count(const struct bitmap *b)
{
    size_t n = 0;
    for (size_t w = 0; w < b->words; w++)
        n += (size_t)__builtin_popcountll(b->word[w]);
    return n;
}

bool bitmap_none(const struct bitmap *b)
{
    return bitmap_next(b, 0) == BITMAP_END;
}

size_t bitmap_next(const struct bitmap *b, size_t from)
{
    for (size_t w = from / 64; w < b->words; w++) {
        uint64_t bits = b->word[w];
        if (w == from / 64)
            bits &= ~0ull << (from % 64);
        if (bits)
            return w * 64 + (size_t)__builtin_ctzll(bits);
    }
    return BITMAP_END;
}

size_t bitmap_next_unset(const struct bitmap *b, size_t from)
{
    while (bitmap_has(b, from))
        from++;
    return from;
}

void bitmap_and(struct bitmap *to, const struct bitmap *with)
{
    for (size_t w = 0; w < to->words; w++)
        to->word[w] &= w < with->words ? with->word[w] : 0;
}

void bitmap_or(struct bitmap *to, const struct bitmap *with)
{
    bitmap_reserve(to, with->words);
    for (size_t w = 0; w < with->words; w++)
        to->word[w] |= with->word[w];
}

void bitmap_minus(struct bitmap *to, const struct bitmap *what)
{
    for (size_t w = 0; w < MIN(to->words, what->words); w++)
        to->word[w] &= ~what->word[w];
}
