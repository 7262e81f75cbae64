/*
 * het - heterogeneous jobs: all components start together, or none.
 */
#ifndef SPUR_SCHED_HET_H
#define SPUR_SCHED_HET_H

#include "sched/sched_state.h"

/* Could all components start now? */
bool het_fits(struct sched *s, const struct cluster *c, const struct job_class *cls);
bool het_start(struct sched *s, const struct cluster *c, struct job_class *cls, struct plan *out);

/* When could all of them start?  0: cannot be told.  `keep`: leave the trials in the profiles. */
int64_t het_start_s(struct sched *s, const struct cluster *c, const struct job_class *cls, bool keep);

/* The component that keeps the job from starting now, explained in `b`; NULL when `b` says it all. */
const struct job *het_blocker(struct sched *s, const struct cluster *c, const struct job *j, struct buf *b);

/* Why a component could not start in its partition in any case; `code` when it could. */
enum why_code het_unschedulable(struct sched *s, const struct cluster *c, const struct job *j, enum why_code code);

/* bf_hetjob_prio: the lowest, the mean or the highest of its components. */
uint32_t het_priority(const struct sched *s, const struct cluster *c, const struct job *j);

/* When the last component is eligible. */
int64_t het_eligible_s(const struct cluster *c, const struct job *j);

/* The first reason that keeps a component out of the queue. */
enum why_code het_why(const struct cluster *c, const struct job *j, int64_t now_s,
                      enum why_code (*waits)(const struct job *j, int64_t now_s));

#endif
