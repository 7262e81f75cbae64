/*
 * sum - the checksum of bytes that come in pieces (xxh3): not against forgers, against what gets lost on the way.
 */
#ifndef SPUR_WIRE_SUM_H
#define SPUR_WIRE_SUM_H

#include <stddef.h>
#include <stdint.h>

struct sum;

struct sum *sum_new(void);
void sum_add(struct sum *s, const void *p, size_t n);
uint64_t sum_value(const struct sum *s);
void sum_free(struct sum *s); /* NULL is welcome */

#endif
