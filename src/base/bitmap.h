/*
 * bitmap - a set of small numbers; it grows when a bit past its end is set.
 */
#ifndef SPUR_BASE_BITMAP_H
#define SPUR_BASE_BITMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bitmap {
    uint64_t *word;
    size_t words;
};

#define BITMAP_INIT                                                                                                    \
    {                                                                                                                  \
        NULL, 0                                                                                                        \
    }
#define BITMAP_END SIZE_MAX
#define auto_bitmap __attribute__((cleanup(bitmap_clear)))

void bitmap_clear(struct bitmap *b); /* free; reusable after */
void bitmap_zero(struct bitmap *b);  /* empty, keep the room */
void bitmap_copy(struct bitmap *to, const struct bitmap *from);
void bitmap_set(struct bitmap *b, size_t i);
void bitmap_set_range(struct bitmap *b, size_t from, size_t n);
void bitmap_unset(struct bitmap *b, size_t i);
bool bitmap_has(const struct bitmap *b, size_t i);
size_t bitmap_count(const struct bitmap *b);
bool bitmap_none(const struct bitmap *b);
size_t bitmap_next(const struct bitmap *b, size_t from); /* first set bit >= from, or BITMAP_END */
size_t bitmap_next_unset(const struct bitmap *b, size_t from);
void bitmap_and(struct bitmap *to, const struct bitmap *with);
void bitmap_or(struct bitmap *to, const struct bitmap *with);
void bitmap_minus(struct bitmap *to, const struct bitmap *what);

#define bitmap_each(b, i) for (size_t i = bitmap_next((b), 0); i != BITMAP_END; i = bitmap_next((b), i + 1))

#endif
