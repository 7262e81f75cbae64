/*
 * vec - an array that grows, of any type.
 *
 *     VEC(int) v = { 0 };
 *     vec_push(&v, 42);
 *     for (size_t i = 0; i < v.n; i++) use(v.at[i]);
 *     vec_clear(&v);
 */
#ifndef SPUR_BASE_VEC_H
#define SPUR_BASE_VEC_H

#include <string.h>

#include "base/mem.h"

#define VEC(type)      \
    struct {           \
        type *at;      \
        size_t n, cap; \
    }

#define vec_reserve(v, want)                                                           \
    do {                                                                               \
        if ((v)->cap < (want)) {                                                       \
            (v)->cap = MAX((size_t)(want), (v)->cap + (v)->cap / 2 + 8);               \
            (v)->at = mem_grow((v)->at, (v)->cap, sizeof(*(v)->at));                   \
        }                                                                              \
    } while (0)

/* The value is evaluated before the array changes, so it may look at the array. */
#define vec_push(v, ...)                               \
    do {                                               \
        __typeof__(*(v)->at) push_ = (__VA_ARGS__);    \
        vec_reserve(v, (v)->n + 1);                    \
        (v)->at[(v)->n++] = push_;                     \
    } while (0)

#define vec_pop(v) ((v)->at[--(v)->n])

/* Remove element i, keeping the order. */
#define vec_remove(v, i)                                                                          \
    do {                                                                                          \
        memmove((v)->at + (i), (v)->at + (i) + 1, ((v)->n - (i) - 1) * sizeof(*(v)->at));         \
        (v)->n--;                                                                                 \
    } while (0)

#define vec_clear(v)                  \
    do {                              \
        free((v)->at);                \
        (v)->at = NULL;               \
        (v)->n = (v)->cap = 0;        \
    } while (0)

#endif
