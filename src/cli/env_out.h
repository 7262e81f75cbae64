/*
 * env_out - the SLURM_ variables that a command puts into its job's environment, for what was asked.
 */
#ifndef SPUR_CLI_ENV_OUT_H
#define SPUR_CLI_ENV_OUT_H

#include "cli/export.h"
#include "cli/job_opts.h"

void env_out(struct export *env, const struct job_opts *o, enum job_command command);

#endif
