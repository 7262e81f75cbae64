/*
 * hostlist - "n[1-3,5],login,rack[0-1]n[01-04]" and the names it stands for.
 *
 * Leading zeros are kept, a name may hold several brackets (the last one runs
 * fastest), and nothing is allocated for an expression before its size is known:
 * more than HOSTLIST_MAX hosts or a name over HOSTLIST_NAME_MAX is an error.
 * Names that come back are never merged: a host named twice is there twice.
 */
#ifndef SPUR_TEXT_HOSTLIST_H
#define SPUR_TEXT_HOSTLIST_H

#include <stddef.h>

#include "base/err.h"
#include "text/strs.h"

#define HOSTLIST_MAX 65536
#define HOSTLIST_NAME_MAX 255

/* Append the names of `expr`, in the order written.  An empty expression is no host.  On error `out` is unchanged. */
int hostlist_expand(const char *expr, struct strs *out, struct err *err);

/* How many names `expr` stands for, without making them. */
int hostlist_count(const char *expr, size_t *count, struct err *err);

/* The ranged form, in the order given: n1 n2 n10 n3 -> "n[1-2,10,3]".  Yours to free; "" for none. */
char *hostlist_compress(char *const *names, size_t n);

/* The same sorted by prefix and number: n1 n2 n10 n3 -> "n[1-3,10]". */
char *hostlist_compress_sorted(char *const *names, size_t n);

/* The order of the sorted form: n2 before n10, n before n1. */
int hostlist_cmp(const char *a, const char *b);

#endif
