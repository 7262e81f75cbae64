/*
 * step_get - a step inside an allocation that is there: now, or when other steps have made room for it.
 */
#ifndef SPUR_CLI_STEP_GET_H
#define SPUR_CLI_STEP_GET_H

#include "cli/allocation.h"

/* What the environment of the job asks for, put aside while the command line is read: its memory stands back when that
 * says something about memory, its tasks when that says how many are on each node; and whether the count of nodes is
 * the environment's is known afterwards. */
struct step_env {
    uint64_t per_node_mb, per_cpu_mb, per_gpu_mb;
    uint32_t ntasks, ntasks_per_node;
    bool all, node_set, cpu_set, nodes_set;
};
struct step_env step_env_take(struct job_opts *o);
bool step_env_back(struct job_opts *o, const struct step_env *m); /* true: the nodes are the environment's */

/* What the options say about the step's share of the job, beyond the counts of nodes, tasks and CPUs. */
void step_get_ask(const Pb__JobSpec *spec, Pb__StepSpec *step);

/* Into `a`: the job, the step, and the signals (which end the waiting).  0, or the exit status with everything said.
 * A step that has to wait is reported, unless `quiet`. */
int step_get(struct allocation *a, struct client *c, const Pb__StepRequest *req, unsigned quiet, bool nodes_by_env);

#endif
