/*
 * step_get - a step inside an allocation that is there: now, or when other steps have made room for it.
 */
#ifndef SPUR_CLI_STEP_GET_H
#define SPUR_CLI_STEP_GET_H

#include "cli/grant.h"

/* Memory that the environment of the job asks for stands back when the command line says something about memory. */
struct step_memory {
    uint64_t per_node_mb, per_cpu_mb, per_gpu_mb;
    bool all, node_set, cpu_set;
};
struct step_memory step_memory_take(struct job_opts *o);
void step_memory_back(struct job_opts *o, const struct step_memory *m);

/* What the options say about the step's share of the job, beyond the counts of nodes, tasks and CPUs. */
void step_get_ask(const Pb__JobSpec *spec, Pb__StepSpec *step);

/* Into `a`: the job, the step, and the signals (which end the waiting).  0, or the exit status with everything said.
 * A step that had to wait is told about, unless `quiet`. */
int step_get(struct grant *a, struct client *c, const Pb__StepRequest *req, unsigned quiet);

#endif
