/*
 * step_fit - may a step start beside those that run, and what would it get?
 *
 * A step asks for tasks, CPUs, memory and devices out of what its job has.  Without --exact
 * it gets all CPUs of the nodes it uses, which must be free of other steps; steps with
 * --overlap neither see what others hold nor hold anything.  Nothing here changes the job.
 */
#ifndef SPUR_CORE_STEP_FIT_H
#define SPUR_CORE_STEP_FIT_H

#include "core/cluster.h"
#include "core/layout.h"
#include "core/step.h"
#include "text/strs.h"

/* A StepSpec in numbers; 0 is "not said". */
struct step_ask {
    uint32_t min_nodes, max_nodes, tasks, per_node, per_core, per_gpu, threads_per_core;
    uint32_t cpus_per_task, cpus_per_gpu; /* cpus_per_task is at least 1 */
    uint32_t first;                       /* -r: position where it begins */
    uint32_t most_per_node;               /* tasks, by configuration; 0: 65535 */
    uint64_t mem_per_node_mb, mem_per_cpu_mb, mem_per_gpu_mb;
    bool exact, overlap, overcommit;
    bool by_topo; /* tasks follow the network, where -m does not say otherwise */
    bool any_gres; /* it says which devices it wants, "none" included */
    struct req req; /* its gres, in rows */
    struct strs in, out, hosts;
    struct layout_dist_of dist;
};

int step_ask_init(struct step_ask *a, const Pb__StepSpec *s, struct err *err);
void step_ask_clear(struct step_ask *a);
/* A job with whole nodes has more devices than it asked for: a step that names none gets what the job named. */
void step_ask_whole(struct step_ask *a, const struct job *j);

/* What it would get: the records' parts of a Pb__Step. */
struct step_share {
    uint32_t n;
    uint32_t *node; /* positions in the allocation */
    struct layout layout;
    Pb__NodeAlloc **alloc;
};

/* 0; ESLURM_NODES_BUSY when other steps hold what it needs; another of Slurm's numbers when it can never fit.
 * On success the share is the caller's: step_share_clear(). */
int step_fit(const struct cluster *c, const struct job *j, const struct step_ask *a, struct step_share *out,
             struct err *err);
void step_share_clear(struct step_share *s);

#endif
