/*
 * time - time limits, durations, moments: Slurm's ways to write them.
 *
 * Limits are minutes, durations seconds, moments seconds since 1970 written in
 * local time.  No function here reads the clock: `now` is an argument.
 */
#ifndef SPUR_TEXT_TIME_H
#define SPUR_TEXT_TIME_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/err.h"

#define TIME_INFINITE 0xffffffffu /* a limit that is none, as Slurm's INFINITE */
#define TIME_NO_VAL   0xfffffffeu /* a limit that was not given, as Slurm's NO_VAL */
#define TIME_TEXT     32          /* room for any text made here */

/* "min", "min:sec", "h:m:s", "d-h", "d-h:m", "d-h:m:s", UNLIMITED, INFINITE, "-1".  Seconds round up to a minute. */
int time_limit_parse(const char *text, uint32_t *minutes, struct err *err);

/* The same words as seconds (TIME_INFINITE for unlimited); a lone number is minutes. */
int time_secs_parse(const char *text, uint32_t *seconds, struct err *err);

/* scontrol's way, hours always there: "00:01:00", "1-02:03:04", "UNLIMITED" (TIME_INFINITE), "Partition_Limit"
 * (TIME_NO_VAL).  All the writers return `out`. */
char *time_limit_text(char out[static TIME_TEXT], uint32_t minutes);
char *time_secs_text(char out[static TIME_TEXT], uint64_t seconds);

/* squeue's way (%M %L %l), hours only when there are any: "0:42", "10:00", "2:03:04", "1-02:03:04". */
char *time_limit_short(char out[static TIME_TEXT], uint32_t minutes); /* UNLIMITED, NOT_SET */
char *time_elapsed(char out[static TIME_TEXT], int64_t seconds);      /* INVALID when negative */

/* A moment as sbatch --begin and --deadline take it: "now+2hours", "16:00", "4:30pm", "noon", "tomorrow", "012510",
 * "01/25/10", "2010-01-20", "2010-01-20T12:34[:56]", ...  A time of day that is over today means tomorrow. */
int time_at_parse(const char *text, time_t now, time_t *at, struct err *err);

/* The same as the accounting commands take it: a time of day is today's, and a day without a year that is still to come
 * is that of last year. */
int time_past_parse(const char *text, time_t now, time_t *at, struct err *err);

/* "2026-11-15T20:00:00"; for 0 and for infinity the word given by the caller: "Unknown", "N/A". */
char *time_stamp(char out[static TIME_TEXT], time_t at, const char *when_unset);

#endif
