/*
 * env_spur - variables that Slurm does not have: SPUR_ twins of Slurm's ids and counts, and variables for distributed
 * training (torch.distributed and similar): MASTER_ADDR, MASTER_PORT, WORLD_SIZE, RANK, LOCAL_RANK, LOCAL_WORLD_SIZE,
 * GROUP_RANK.
 *
 * A training variable that the user has set stays.  SpurTrainingEnv=no, and SPUR_TRAINING_ENV=0 in a job's environment,
 * turn them off.
 */
#include "step/env_parts.h"

#include <string.h>

#include "base/str.h"

#define PORT_FIRST 20000 /* MASTER_PORT: below the ephemeral ports */
#define PORT_COUNT 10000
#define OURS "SPUR_TRAINING" /* set: the training variables in this environment are ours, not the user's */

/* SLURM_X becomes SPUR_X; SPUR_NODENAME is set from SLURMD_NODENAME. */
static const char *const twins[] = {
    "ARRAY_JOB_ID",  "ARRAY_TASK_ID",     "CLUSTER_NAME",   "CPUS_ON_NODE",  "CPUS_PER_TASK",  "GPUS_ON_NODE",
    "JOB_ACCOUNT",   "JOB_CPUS_PER_NODE", "JOB_GPUS",       "JOB_ID",        "JOB_NAME",       "JOB_NODELIST",
    "JOB_NUM_NODES", "JOB_PARTITION",     "NNODES",         "NODEID",        "NODELIST",       "NTASKS",
    "RESTART_COUNT", "STEP_GPUS",         "STEP_ID",        "STEP_NODELIST", "STEP_NUM_NODES", "STEP_NUM_TASKS",
    "SUBMIT_DIR",    "SUBMIT_HOST",       "TASKS_PER_NODE",
};

void env_twins(struct env *e)
{
    char slurm[48], spur[48];
    for (size_t i = 0; i < ARRAY_LEN(twins); i++) {
        snprintf(slurm, sizeof(slurm), "SLURM_%s", twins[i]);
        snprintf(spur, sizeof(spur), "SPUR_%s", twins[i]);
        const char *value = env_get(e, slurm);
        if (value)
            env_set(e, spur, value);
        else
            env_unset(e, spur); /* inherited from an outer step */
    }
    env_set(e, "SPUR_NODENAME", env_get(e, "SLURMD_NODENAME"));
}

/* ---- training ---- */

static bool wanted(const struct env *e, const Pb__LaunchOrder *o, const struct env_node *node)
{
    const char *said = env_get(e, "SPUR_TRAINING_ENV");
    return !env_is_batch(o) && !node->no_training && !str_eq(said, "0") && !str_ieq(said, "no");
}

/* A value that an outer step has set is replaced, a value of the user is kept. */
static void set(struct env *e, bool ours, const char *name, uint64_t value)
{
    if (ours || !env_get(e, name))
        env_setf(e, name, "%llu", (unsigned long long)value);
}

static const char *first_node(const Pb__LaunchOrder *o)
{
    uint32_t at = o->n_step_node ? o->step_node[0] : 0;
    const char *name = at < o->n_alloc ? o->alloc[at]->name : NULL;
    return str_or(o->first_addr, str_or(name, o->node));
}

void env_training(struct env *e, const Pb__LaunchOrder *o, const struct env_node *node)
{
    bool ours = env_get(e, OURS);
    env_unset(e, OURS);
    if (!wanted(e, o, node))
        return;
    if (ours || !env_get(e, "MASTER_ADDR"))
        env_set(e, "MASTER_ADDR", first_node(o));
    set(e, ours, "MASTER_PORT", PORT_FIRST + ((uint64_t)o->job_id * 31 + o->step_id) % PORT_COUNT);
    set(e, ours, "WORLD_SIZE", env_tasks(o));
    set(e, ours, "LOCAL_WORLD_SIZE", env_local_tasks(o));
    set(e, ours, "GROUP_RANK", env_step_index(o));
    if (ours || !env_get(e, "RANK")) /* then the variables of each task are ours, too */
        env_setf(e, OURS, "%u.%u", o->job_id, o->step_id);
}

void env_training_task(struct env *e, const Pb__LaunchOrder *o, uint32_t local)
{
    if (!env_get(e, OURS))
        return;
    env_setf(e, "RANK", "%u", env_rank(o, local));
    env_setf(e, "LOCAL_RANK", "%u", local);
}
