/*
 * env - the environment of a job's processes: what the user sent, and the variables that Slurm sets.
 *
 * Names and values are Slurm's, so that scripts written for Slurm work unchanged.
 */
#ifndef SPUR_STEP_ENV_H
#define SPUR_STEP_ENV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bitmap.h"
#include "base/vec.h"
#include "message.pb-c.h"

struct env {
    VEC(char *) var; /* NAME=value each, owned */
};

#define auto_env __attribute__((cleanup(env_clear)))

void env_clear(struct env *e);
void env_set(struct env *e, const char *name, const char *value);
void env_unset(struct env *e, const char *name);
void env_setf(struct env *e, const char *name, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
const char *env_get(const struct env *e, const char *name); /* NULL: not set */
/* NAME=value, NUL-terminated each, as in messages; malformed ones are skipped.  Load: into an empty environment.  Add:
 * replaces existing variables. */
void env_load(struct env *e, const void *text, size_t len);
void env_add(struct env *e, const void *text, size_t len);
/* For execve: ends with NULL, valid until the next change. */
char **env_vector(struct env *e);

/* Facts of the node that are not in the order. */
struct env_node {
    const char *conf;         /* path of slurm.conf; "" when there is none */
    const char *group;        /* name of the job's group */
    const char *tmp;          /* TmpFS */
    const char *home, *shell; /* of the user, by this node's name service; "" */
    bool own_devices;         /* a job sees only its own devices, numbered from 0 */
    bool no_training;         /* SpurTrainingEnv=no */
    unsigned gpu_lists;       /* which of the lists in env_gpu.c are set: a bit each */
    struct bitmap *near;      /* for each task here: the GPUs close to it; NULL: unknown */
    uint32_t nnear;
};

/* Set the variables that all tasks of the step on this node share; `e` may already hold the user's login
 * environment. */
void env_step(struct env *e, const Pb__LaunchOrder *o, const struct env_node *node);
/* Set the variables of one task; `local` counts from 0 on this node. */
void env_task(struct env *e, const Pb__LaunchOrder *o, const struct env_node *node, uint32_t local, int pid);

/* Messages about the GPUs that --gpu-bind gives a task: lines for its stderr when it is verbose, and errors. */
struct buf;
typedef void env_error_fn(void *arg, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void env_devices_say(const Pb__LaunchOrder *o, const struct env_node *node, uint32_t local, struct buf *out,
                     env_error_fn *error, void *arg);

/* This node's place in the step, and how many tasks it runs (a batch script is one task on the first node). */
uint32_t env_step_index(const Pb__LaunchOrder *o);
uint32_t env_local_tasks(const Pb__LaunchOrder *o);
uint32_t env_rank(const Pb__LaunchOrder *o, uint32_t local); /* the global rank of a local task */
bool env_is_batch(const Pb__LaunchOrder *o);
uint32_t env_tasks(const Pb__LaunchOrder *o);             /* tasks of the whole step */
const Pb__NodeAlloc *env_here(const Pb__LaunchOrder *o);  /* the job's share of this node, or NULL */
const Pb__NodeAlloc *env_share(const Pb__LaunchOrder *o); /* the step's share; a script has the job's */

#endif
