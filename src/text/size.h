/*
 * size - amounts of memory and disk: "4000", "4G", "512K" in, megabytes out, and back again.
 */
#ifndef SPUR_TEXT_SIZE_H
#define SPUR_TEXT_SIZE_H

#include <stdint.h>

#include "base/err.h"

#define SIZE_TEXT 32 /* room for any text made here */

/* Memory: a whole number, megabytes unless a suffix K M G T says otherwise; kilobytes round up to the next megabyte. */
int size_mb_parse(const char *text, uint64_t *mb, struct err *err);

/* A count with an optional suffix K M G T P of 1024: "2K" is 2048. */
int size_count_parse(const char *text, uint64_t *count, struct err *err);

/* As squeue's %m, scontrol's MinMemoryNode and TRES write it: a larger unit where a half of it fits: 4000 -> "4000M",
 * 4096 -> "4G", 1536 -> "1.50G", 0 -> "0".  Writers return `out`. */
char *size_mb_text(char out[static SIZE_TEXT], uint64_t mb);

/* A count, with the largest suffix that loses nothing: 2048 -> "2K", 1536 -> "1536". */
char *size_count_text(char out[static SIZE_TEXT], uint64_t count);

/* A count in one of the units K M G T P, with two decimals where it is no whole number: 1536 in K -> "1.50K". */
char *size_in_unit(char out[static SIZE_TEXT], uint64_t count, char unit);

#endif
