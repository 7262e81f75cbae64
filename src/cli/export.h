/*
 * export - the environment that a job takes along: --export, --export-file, and what the command adds.
 *
 * A set of NAME=value; the last value of a name wins.
 */
#ifndef SPUR_CLI_EXPORT_H
#define SPUR_CLI_EXPORT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "text/strs.h"

struct export {
    struct strs vars;         /* NAME=value, in the order of their first setting */
};

#define EXPORT_INIT { STRS_INIT }
#define auto_export __attribute__((cleanup(export_clear)))

void export_clear(struct export *e);
void export_set(struct export *e, const char *name, const char *value);
void export_setf(struct export *e, const char *name, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
const char *export_get(const struct export *e, const char *name);          /* NULL when it is not there */

/* Fill from `env` (as environ) by what --export says: NULL and ALL take everything; NONE and NIL the SLURM_ and SPANK_
 * variables alone; a list adds the named ones.  `*login`: the node shall make the user's login environment. */
void export_fill(struct export *e, const char *spec, char *const *env, bool *login);

/* The same as srun has it: NONE anywhere is NONE, and with ALL what is in `env` wins over what the list says. */
void export_fill_step(struct export *e, const char *spec, char *const *env);

/* Fill from a file of NAME=value, NUL after each; a number is a file descriptor. */
int export_file(struct export *e, const char *name, struct err *err);

/* Append all, NUL after each. */
void export_pack(const struct export *e, struct buf *out);

#endif
