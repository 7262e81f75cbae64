/*
 * say - messages of a command to its user, as Slurm's commands write them: "sbatch: error: ...".
 *
 * The name is the one the command was called by; main sets it.
 */
#ifndef SPUR_CLI_SAY_H
#define SPUR_CLI_SAY_H

#include <stdbool.h>

#include "base/buf.h"

extern const char *say_name;                      /* "sbatch" */
extern char *const *say_argv;                     /* the command line; ends with NULL */

void say_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void say_fatal(const char *fmt, ...) __attribute__((format(printf, 1, 2)));        /* "fatal:"; the caller leaves */
void say_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));         /* nothing but the name before it */
void say_verbose(unsigned verbose, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* "slurm 26.05.5" by Slurm's names, "spur 0.1.0" by ours; with a newline. */
void say_version(struct buf *out);

/* The exit status of a failure: $SLURM_EXIT_ERROR, or `otherwise`. */
int say_exit(int otherwise);
int say_exit_by(const char *variable, int otherwise);   /* the same by another variable */

/* Write all of `out` to standard output and empty it; false when standard output is closed. */
bool say_flush(struct buf *out);

#endif
