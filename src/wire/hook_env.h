/*
 * hook_env - what the scripts around a job find in their environment, and where those scripts are.
 */
#ifndef SPUR_WIRE_HOOK_ENV_H
#define SPUR_WIRE_HOOK_ENV_H

#include "base/buf.h"
#include "message.pb-c.h"

struct hook_env_words {
    const char *context; /* SLURM_SCRIPT_CONTEXT: "prolog_slurmd" */
    const char *node, *conf;
    uint32_t job_id;
};

/* NAME=value with a NUL each.  As in Slurm there is no PATH: a script names what it runs, or sets one. */
void hook_env_make(struct buf *out, const struct hook_env_words *w, const Pb__HookJob *b);
/* What the user asked for; the texts are the spec's. */
void hook_job_from_spec(Pb__HookJob *b, const Pb__JobSpec *spec);
/* What an order says of its job; the texts are the order's. */
void hook_job_from_order(Pb__HookJob *b, const Pb__LaunchOrder *o);
/* The scripts of a setting (a line each, patterns allowed, relative to the folder of `conf`), with a NUL each, last
 * name first. */
void hook_scripts(struct buf *out, const char *setting, const char *conf);

#endif
