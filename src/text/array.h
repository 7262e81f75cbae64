/*
 * array - the tasks of a job array: "0-15:4,20,30%3" and back again.
 */
#ifndef SPUR_TEXT_ARRAY_H
#define SPUR_TEXT_ARRAY_H

#include <stdint.h>

#include "base/bitmap.h"
#include "base/err.h"

#define ARRAY_MAX_SIZE 1001  /* MaxArraySize when slurm.conf is silent: the highest task id plus one */
#define ARRAY_LARGEST 4000001 /* the largest MaxArraySize: no text allocates more than this */
#define ARRAY_TEXT_LEN 64    /* where squeue cuts, unless SLURM_BITSTR_LEN says otherwise */

struct array {
    struct bitmap tasks;
    uint32_t max_running; /* 0: no limit */
};

#define ARRAY_INIT { BITMAP_INIT, 0 }
#define auto_array __attribute__((cleanup(array_clear)))

void array_clear(struct array *a);

/* Task ids are below `max_size`; anything else is ESLURM_INVALID_ARRAY.  `out` is filled only on success. */
int array_parse(const char *spec, uint32_t max_size, struct array *out, struct err *err);

/* Slurm's words for the tasks: "1-5,7%2", "0-100:10".  The numbers are cut to less than `max_len` bytes with "..." as
 * SLURM_BITSTR_LEN does (0: never).  Yours; "" for no task. */
char *array_text(const struct bitmap *tasks, uint32_t max_running, size_t max_len);

#endif
