/*
 * rlimits - the resource limits that a job inherits from where it was submitted.
 */
#ifndef SPUR_CLI_RLIMITS_H
#define SPUR_CLI_RLIMITS_H

#include "base/err.h"
#include "base/vec.h"
#include "record.pb-c.h"
#include "text/site.h"

typedef VEC(Pb__Rlimit *) rlimits_vec;

/* Append this process's soft and hard limits: those that --propagate names ("ALL", "NONE", "STACK,RLIMIT_CORE"; "" is
 * all), or when it was not given (NULL) those of the configuration.  0, or the exit status. */
int rlimits_fill(rlimits_vec *out, const char *propagate, const struct site *site, struct err *err);
void rlimits_clear(rlimits_vec *v);

#endif
