/*
 * strs - a list of texts that owns them.
 *
 *     auto_strs struct strs names = STRS_INIT;
 *     strs_split(&names, "a,b,,c", ",");      a b c
 */
#ifndef SPUR_TEXT_STRS_H
#define SPUR_TEXT_STRS_H

#include <stdbool.h>
#include <stddef.h>

struct strs {
    char **at;
    size_t n, cap;
};

#define STRS_INIT { NULL, 0, 0 }
#define auto_strs __attribute__((cleanup(strs_clear)))

void strs_clear(struct strs *l);                                      /* free; reusable after */
void strs_add(struct strs *l, const char *s);                         /* a copy */
void strs_take(struct strs *l, char *s);                              /* the list owns `s` now */
void strs_split(struct strs *l, const char *text, const char *seps);  /* append the pieces; empty ones are skipped */
bool strs_has(const struct strs *l, const char *s);
char *strs_join(const struct strs *l, const char *sep);               /* yours; "" when empty */

#endif
