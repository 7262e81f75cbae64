/*
 * limit - limits of QOS and associations, checked before a start.
 */
#ifndef SPUR_SCHED_LIMIT_H
#define SPUR_SCHED_LIMIT_H

#include "sched/sched_state.h"

void limit_begin_cycle(struct sched *s, const struct cluster *c);

/* Add the holders of the limits of a job to the signature of its class. */
void limit_signature(const struct sched *s, const struct cluster *c, const struct job *j, const struct part *p,
                     struct buf *key);

/* Does a limit stop the job, by its request alone; by the allocation it would get? */
bool limit_check_request(struct sched *s, const struct cluster *c, struct job_class *cls, const struct job *j);
bool limit_check_alloc(struct sched *s, const struct cluster *c, struct job_class *cls, const struct need *n,
                       const struct job *j, const struct alloc *a);

/* Count a start of this cycle; take it back. */
void limit_add_start(struct sched *s, const struct cluster *c, struct job_class *cls, const struct need *n,
                     const struct job *j, const struct alloc *a);
void limit_remove_start(struct sched *s, const struct cluster *c, struct job_class *cls, const struct need *n,
                        const struct job *j, const struct alloc *a);

/* The class waits for this limit, or for none; report it to its jobs. */
void limit_set_class(struct sched *s, struct job_class *cls, enum why_code limited);

/* Partition limits that the QOS of the job lifts: enum qos_flag. */
uint32_t limit_lifted(const struct cluster *c, const struct job *j);

/* The limit that the job waits for, in words; the caller frees it.  NULL: none. */
char *limit_explain(const struct cluster *c, const struct job *j, const struct part *p, int64_t now_s);
bool limit_denies_planned_start(const struct sched *s, const struct cluster *c, const struct job *j);

#endif
