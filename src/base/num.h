/*
 * num - arithmetic on numbers that a user chose.
 */
#ifndef SPUR_BASE_NUM_H
#define SPUR_BASE_NUM_H

#include <stdint.h>

/* The product, or the largest number where it does not fit: too much stays too much. */
static inline uint64_t mul_cap(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

#endif
