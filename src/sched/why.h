/*
 * why - the reasons that pending jobs are given, and the steps of a cycle that other files need.
 */
#ifndef SPUR_SCHED_WHY_H
#define SPUR_SCHED_WHY_H

#include "sched/fit.h"
#include "text/time.h"

/* Begin a cycle: apply all changes; nothing is planned yet. */
void plan_begin(struct sched *s, const struct cluster *c, int64_t now_s);

/* The time of day, or date and time if it is not soon; for sentences (explain.c). */
const char *explain_clock(char out[static TIME_TEXT], int64_t at_s, int64_t now_s);

/* Compute the reasons that may have changed. */
void why_update(struct sched *s, const struct cluster *c, struct plan *out);

/* ---- jobs that wait for nodes (why_nodes.c) ---- */

/* Did the class name its nodes? */
static inline bool why_named(const struct job_class *cls)
{
    return !cls->het && !bitmap_none(&cls->need.required);
}

/* `first` holds the first blocked class of each partition, among jobs that named no nodes. */
enum why_code why_of_named(const struct sched *s, const struct job_class *cls, uint64_t key,
                           const struct job_class *first);
enum why_code why_of_first(const struct sched *s, const struct cluster *c, const struct job_class *cls,
                           const struct job_class **first);

/* ---- estimates (estimate.c) ---- */

/* When a job would start, with planned starts for the jobs before it; call plan_begin() first. */
int64_t estimate_start(struct sched *s, const struct cluster *c, const struct job *j, struct need *n, struct pick *out);

/* ---- preemption (preempt.c, yield.c) ---- */

/* How a job is preempted, as its partition or QOS says. */
const char *preempt_mode(const struct sched *s, const struct cluster *c, const struct job *v);

/* Find the jobs that must be preempted so that this one can start; true when there are some. */
bool preempt_for(struct sched *s, const struct cluster *c, const struct job_class *cls, const struct job *j,
                 struct plan *out);

/* SpurYieldAfter: find the jobs that yield their nodes for a while. */
void yield_find(struct sched *s, const struct cluster *c, struct plan *out);

#endif
