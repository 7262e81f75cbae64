/*
 * need - the request of a job in one partition, as numbers.
 */
#ifndef SPUR_SCHED_NEED_H
#define SPUR_SCHED_NEED_H

#include "sched/sched_state.h"

struct pick;

void need_init(struct need *n, const struct sched *s, const struct cluster *c, const struct req *r, const struct job *j,
               const struct part *p);

/* Compute the node and task counts again, after `constraint` changed. */
void need_counts(struct need *n, const struct part *p);

/* Nodes or partitions changed. */
void need_refresh(struct need *n, const struct cluster *c);
void need_clear(struct need *n);

/* Why no job with this need can start in the partition as it is; WHY_NONE when one could. */
enum why_code need_unschedulable(const struct sched *s, const struct cluster *c, const struct need *n);

/* Each file that selects nodes fills its own fields of a need. */
void need_pick(struct need *n, const struct sched *s, const struct cluster *c);
void need_topo(struct need *n, const struct cluster *c);
void need_oversub(struct need *n, const struct sched *s, const struct cluster *c);
void need_resv_init(struct need *n, const struct cluster *c);
void need_resv_narrow(struct need *n);
static inline int64_t need_run_s(const struct need *n)
{
    return n->limit_min == INFINITE_MIN || !n->limit_min ? FOREVER / 2 : (int64_t)n->limit_min * 60;
}

/* Id of the reservation that the job starts in; 0: none. */
static inline uint32_t need_resv_id(const struct need *n)
{
    return n->resv ? n->resv->pb->id : 0;
}

/* The value of Pb__JobOversub that the start event carries. */
static inline Pb__JobOversub need_job_oversub(const struct need *n)
{
    return n->oversub ? OVERSUB_CPUS : n->exclusive ? OVERSUB_EXCLUSIVE : OVERSUB_NO;
}

/* ---- --time-min (timemin.c) ---- */

/* The shortest time that the job accepts. */
int64_t need_least_run_s(const struct need *n);

/* The longest limit, in minutes, that lets the class start now where its own limit is too long; 0: none. */
uint32_t timemin_fit(struct sched *s, const struct cluster *c, struct job_class *cls, struct pick *out);

/* ---- --core-spec (core_spec.c) ---- */

/* CPUs that a job with --core-spec may use of an empty node. */
uint32_t core_spec_cpus(const struct need *n, const struct node *node);

/* Add the cores that the job must leave to the system. */
void core_spec_add_busy(const struct need *n, const struct node *node, struct bitmap *busy);

#endif
