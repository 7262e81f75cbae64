/*
 * snapfile - the envelope around a snapshot: which index it is of, how long it is, and a checksum over all of it.
 *
 * libraft stores and sends snapshots as they are; whether a snapshot arrived whole is checked here.
 */
#ifndef SPUR_STORE_SNAPFILE_H
#define SPUR_STORE_SNAPFILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define SNAPFILE_HEAD 40

/* Write the SNAPFILE_HEAD bytes that go before `body`. */
void snapfile_seal(void *head, uint64_t index, const void *body, size_t len);

/* Check an envelope of `size` bytes (padding may follow the body); the body stays inside `p`.  EUCLEAN when damaged. */
int snapfile_open(const void *p, size_t size, uint64_t *index, const void **body, size_t *len, struct err *err);

#endif
