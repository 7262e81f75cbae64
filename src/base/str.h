/*
 * str - questions about text, and pieces of it.
 */
#ifndef SPUR_BASE_STR_H
#define SPUR_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

static inline bool str_eq(const char *a, const char *b)
{
    return a && b && !strcmp(a, b);
}
static inline bool str_ieq(const char *a, const char *b)
{
    return a && b && !strcasecmp(a, b);
}
static inline bool str_empty(const char *s)
{
    return !s || !*s;
}
static inline const char *str_or(const char *s, const char *other)
{
    return s && *s ? s : other;
}
bool str_has_prefix(const char *s, const char *prefix);
bool str_has_iprefix(const char *s, const char *prefix);
bool str_has_suffix(const char *s, const char *suffix);

/* The whole of `s` as a number in [min, max]; false when it is anything else.  No sign, no blanks, base 10. */
bool str_u64(const char *s, uint64_t min, uint64_t max, uint64_t *out);
bool str_i64(const char *s, int64_t min, int64_t max, int64_t *out);

/* Walk the pieces of `list` between any of `seps`; empty pieces are skipped.  Start with *pos = list.
 * Returns a malloc'd piece, or NULL at the end. */
char *str_next(const char **pos, const char *seps);

/* Is `word` one of the comma-separated words of `list`? */
bool str_in_list(const char *list, const char *word);

/* Cut white space from both ends, in place. */
char *str_trim(char *s);

#endif
