/*
 * job_opts_bind - options that say how tasks are bound, and what follows from them for other options.
 */
#ifndef SPUR_CLI_JOB_OPTS_BIND_H
#define SPUR_CLI_JOB_OPTS_BIND_H

#include "cli/job_opts.h"

opt_call_fn opt_accel_bind, opt_cpu_bind, opt_distribution, opt_gpu_bind, opt_hint, opt_mem_bind, opt_tres_bind;

/* After all options were read: what --hint means, and which binding other options imply when none was asked for. */
void job_opts_bind_settle(struct job_opts *o);

/* Copy the binding into a step. */
void job_opts_bind_ask(const struct job_opts *o, Pb__StepSpec *step);

/* SLURM_ variables for what runs inside: of sbatch and salloc. */
struct export;
void job_opts_bind_env(struct export *env, const struct job_opts *o, enum job_command command);

#endif
