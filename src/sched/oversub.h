/*
 * oversub - CPUs that several jobs hold, nodes for one user, CPU limits of a partition.
 */
#ifndef SPUR_SCHED_OVERSUB_H
#define SPUR_SCHED_OVERSUB_H

#include "sched/sched_state.h"

struct node_part;

/* Partitions or jobs may have changed. */
void oversub_sync(struct sched *s, const struct cluster *c);

/* A job with --exclusive=user is new: users are part of a class from now on. */
bool oversub_user_appeared(const struct sched *s, const struct cluster *c);

/* QOS id of a job; 0 where QOS do not matter for suspension. */
uint32_t oversub_qos(const struct sched *s, const struct cluster *c, const struct job *j);

/* True: the job with this id is taken to be gone. */
typedef bool span_gone_fn(void *arg, uint32_t id);

/* Lower `out` to what the node has left for this need, without the jobs for which `gone` (may be NULL) is true.
 * False: nothing. */
bool oversub_avail(const struct sched_view *v, const struct need *n, uint32_t node, int64_t from_s, int64_t to_s,
                   span_gone_fn *gone, void *arg, struct avail *out);
static inline bool avail_for(const struct sched_view *v, const struct need *n, uint32_t node, int64_t from_s,
                             int64_t to_s, struct avail *out)
{
    return v->s->oversub ? oversub_avail(v, n, node, from_s, to_s, NULL, NULL, out) : out->cpus > 0;
}

/* --core-spec: may the partition use what the job takes of the node? */
bool oversub_core_spec_fits(const struct sched *s, const struct need *n, const struct node *node);
void oversub_empty(const struct sched *s, const struct need *n, uint32_t node, struct avail *out);

/* What an empty node has for the need; what it has now.  `av` is storage for the answer. */
static inline const struct avail *avail_empty(const struct sched *s, const struct need *n, uint32_t node,
                                              struct avail *av)
{
    if (!s->oversub)
        return &s->profile[node].total;
    oversub_empty(s, n, node, av);
    return av;
}
static inline const struct avail *avail_now(const struct sched_view *v, const struct need *n, uint32_t node,
                                            struct avail *av)
{
    if (!v->s->oversub)
        return &v->s->profile[node].now;
    *av = v->s->profile[node].now;
    avail_for(v, n, node, v->s->now_s, v->s->now_s, av);
    return av;
}

/* Add the cores that the need cannot have from `from_s` on. */
void oversub_cores(const struct sched_view *v, const struct need *n, uint32_t node, int64_t from_s,
                   struct bitmap *busy);

/* The cores that a trial would get; they belong to the cycle. */
const struct bitmap *oversub_trial_cores(struct sched *s, const struct need *n, const struct node_part *np,
                                         uint32_t level, int64_t at_s);

/* May both be on one node, when the need starts at `start_s`? */
bool oversub_compatible(const struct sched *s, const struct need *n, const struct span *sp, int64_t start_s);

/* Free the cores of this cycle. */
void oversub_drop_trials(struct sched *s);

/* The cores of oversub_trial_cores() belong to the caller from now on; free them with oversub_cores_free(). */
void oversub_cores_take(struct sched *s, const struct bitmap *cores);
void oversub_cores_free(const struct bitmap *cores);
void oversub_clear(struct sched *s);

/* Say why nodes that look free are not usable (oversub_why.c). */
void oversub_explain(const struct sched *s, const struct cluster *c, const struct need *n, struct buf *b);

#endif
