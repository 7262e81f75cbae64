/*
 * env_alloc - the environment of a command inside an allocation that salloc made: how srun there finds its job.
 */
#ifndef SPUR_CLI_ENV_ALLOC_H
#define SPUR_CLI_ENV_ALLOC_H

#include "cli/export.h"
#include "cli/allocation.h"
#include "record.pb-c.h"

/* Put them into this process's environment: what was asked (the SLURM_ variables of `asked`) and what was given. */
void env_alloc_set(const struct export *asked, const Pb__Job *job, const char *cluster);

/* The same for a heterogeneous job: what was given, for each component under its own names. */
void env_alloc_het(const struct export *asked, const struct allocation *a, const char *cluster);

/* "2(x3),1": a number for each node, alike neighbours once.  Yours. */
char *env_alloc_counts(const uint32_t *counts, size_t n);

#endif
