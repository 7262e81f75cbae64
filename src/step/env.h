/*
 * env - the environment of a job's processes: what the user sent, and what Slurm tells them.
 *
 * Names and values are Slurm's, so that scripts written for it find what they look for.
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
/* NAME=value, NUL-terminated each, as they travel; malformed ones are skipped.  Load: into an empty one.  Add: over
 * what is there. */
void env_load(struct env *e, const void *text, size_t len);
void env_add(struct env *e, const void *text, size_t len);
/* For execve: ends with NULL, valid until the next change. */
char **env_vector(struct env *e);

/* What the node knows and the order does not say. */
struct env_node {
    const char *conf;         /* path of slurm.conf; "" when there is none */
    const char *group;        /* name of the job's group */
    const char *tmp;          /* TmpFS */
    const char *home, *shell; /* of the user, by this node's name service; "" */
    bool own_devices;         /* a job sees no devices but its own: it counts them from 0 */
    bool no_training;         /* SpurTrainingEnv=no */
    unsigned gpu_lists;       /* which of the lists in env_gpu.c are set: a bit each */
    struct bitmap *near;      /* for each task here: the GPUs that are close to it; NULL: not known */
    uint32_t nnear;
};

/* Everything that is the same for all tasks of the step on this node; what is in `e` already is the user's login. */
void env_step(struct env *e, const Pb__LaunchOrder *o, const struct env_node *node);
/* What differs: `local` counts from 0 on this node. */
void env_task(struct env *e, const Pb__LaunchOrder *o, const struct env_node *node, uint32_t local, int pid);

/* What a task says about the GPUs that --gpu-bind gives it: lines for its stderr when that is verbose, and what could
 * not be done as asked. */
struct buf;
typedef void env_error_fn(void *arg, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void env_devices_say(const Pb__LaunchOrder *o, const struct env_node *node, uint32_t local, struct buf *out,
                     env_error_fn *error, void *arg);

/* This node's place in the step, and how many tasks it runs (a batch script is one task on the first node). */
uint32_t env_step_index(const Pb__LaunchOrder *o);
uint32_t env_local_tasks(const Pb__LaunchOrder *o);
uint32_t env_rank(const Pb__LaunchOrder *o, uint32_t local); /* the global number of a task here */
bool env_is_batch(const Pb__LaunchOrder *o);
uint32_t env_tasks(const Pb__LaunchOrder *o);             /* of the whole step */
const Pb__NodeAlloc *env_here(const Pb__LaunchOrder *o);  /* the job's share of this node, or NULL */
const Pb__NodeAlloc *env_share(const Pb__LaunchOrder *o); /* the step's; a script has all of the job's */

#endif
