/*
 * fit - how much of a job one node can hold, and which nodes a job gets.
 */
#ifndef SPUR_SCHED_FIT_H
#define SPUR_SCHED_FIT_H

#include "sched/sched_state.h"

struct node_fit {
    uint32_t node;
    uint32_t tasks; /* at most; 0: the node cannot be used */
    uint32_t min_tasks;
    uint32_t gpus; /* of a per-job count, at most */
    uint32_t cpus; /* free for the job */
};

/* One node of a pick; `cap` is the most tasks it may get. */
struct node_part {
    uint32_t node, cap, tasks, cpus, gpus;
    uint64_t mem_mb;
};

struct pick {
    VEC(struct node_part) at;
    bool preferred; /* on the nodes of --prefer */
    uint32_t level; /* the oversubscription level it was found with */
};

/* ---- one node (fit.c) ---- */

/* False: the node cannot hold any of the job with this much free. */
bool fit_node(const struct sched *s, const struct cluster *c, const struct need *n, uint32_t node,
              const struct avail *av, struct node_fit *out);
uint32_t fit_cpus(const struct sched *s, const struct cluster *c, const struct need *n, uint32_t node, uint32_t tasks,
                  uint32_t gpus);

/* Cores for `cpus` CPUs of the job. */
uint32_t fit_cores(const struct sched *s, const struct need *n, uint32_t node, uint32_t cpus);

/* Are the cores distributed cyclically over the sockets? */
bool fit_spreads(const struct sched *s, const struct need *n);
uint64_t fit_mem(const struct cluster *c, const struct need *n, uint32_t node, uint32_t cpus, uint32_t gpus);

/* Devices that the job takes on a node with this many tasks and this many of its per-job GPUs. */
uint64_t fit_gres_ask(const struct need *n, const struct req_gres *g, uint32_t tasks, uint32_t job_gpus);
bool fit_slot_matches(const struct gres_slot *slot, const struct req_gres *g);
bool fit_is_gpu(const struct req_gres *g);

/* GPUs on such a node. */
uint32_t fit_gpus(const struct need *n, uint32_t tasks, uint32_t job_gpus);

/* A quick test that excludes most nodes. */
static inline bool fit_excluded(const struct sched *s, const struct need *n, const struct avail *av)
{
    return av->cpus < n->least_cpus || (s->conf.by_memory && av->mem_mb < n->least_mem_mb);
}

/* ---- a choice of nodes (pick.c) ---- */

/* Choose among `fits` (ascending by node) for a start at `at_s`.  False when they are not sufficient. */
bool pick_nodes(const struct sched *s, const struct cluster *c, const struct need *n, int64_t at_s,
                struct node_fit *fits, size_t nh, struct pick *out);

/* The whole job on this one node, if it can hold it. */
bool pick_alone(const struct sched *s, const struct cluster *c, const struct need *n, const struct node_fit *fits,
                struct pick *out);

/* ---- all nodes at one time (fits.c) ---- */

/* On nodes of `among`: could the job start at `at_s` and run for its time limit? */
bool fits_among(const struct sched_view *v, const struct cluster *c, const struct need *n, const struct bitmap *among,
                int64_t at_s, struct pick *out);

/* Could it start now, beside the planned starts of the view? */
bool fits_free(const struct sched_view *v, const struct cluster *c, const struct need *n, struct pick *out);
static inline bool fits_now(const struct sched *s, const struct cluster *c, const struct need *n, struct pick *out)
{
    const struct sched_view v = view_now(s);
    return fits_free(&v, c, n, out);
}

/* The same on one node. */
bool fits_node(struct sched *s, const struct cluster *c, const struct need *n, uint32_t node, struct pick *out);

/* The same at a later time. */
bool fits_at(struct sched *s, const struct cluster *c, const struct need *n, int64_t at_s, struct pick *out);

/* fits_now() for a class; a failed test fills its fit cache. */
bool fits_class(struct sched *s, const struct cluster *c, struct job_class *cls, struct pick *out);

/* ---- the future (backfill.c) ---- */

/* The earliest start beside running jobs and planned starts; 0 when none can be told. */
int64_t backfill_start_s(struct sched *s, const struct cluster *c, const struct need *n, struct pick *out);

/* ---- cores and devices (assign.c) ---- */

/* How much of each gres slot a part takes of `av`. */
void assign_gres_counts(const struct sched *s, const struct cluster *c, const struct need *n,
                        const struct node_part *np, const struct avail *av, uint64_t out[static GRES_MAX]);

/* --cores-per-socket: are enough sockets with enough idle cores there now? */
bool assign_sockets_idle(const struct sched *s, const struct cluster *c, const struct need *n, uint32_t node);

/* Turn a pick into an allocation with core and device numbers. */
void assign_alloc(struct sched *s, const struct cluster *c, const struct need *n, const struct pick *p,
                  struct alloc *out);

#endif
