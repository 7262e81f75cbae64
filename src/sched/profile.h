/*
 * profile - one node over time: capacity, running jobs, trials, and what they leave free.
 */
#ifndef SPUR_SCHED_PROFILE_H
#define SPUR_SCHED_PROFILE_H

#include "sched/sched_state.h"

struct pick;

/* ---- profiles (node_profile.c) ---- */

void profiles_sync(struct sched *s, const struct cluster *c);
void profiles_clear(struct sched *s);
void profile_refresh(struct sched *s, const struct cluster *c, uint32_t i);

/* CPUs that no other job can use: where single CPUs are allocated, all CPUs of their cores. */
uint32_t profile_cpus_taken(const struct sched *s, const struct node_profile *prof, const struct node_alloc *na);

/* What a start takes of one node; the span borrows the cores of `na`. */
struct span profile_span(const struct sched *s, const struct node_alloc *na, const struct need *n, int64_t from_s,
                         uint32_t id);

/* Take an allocation from the profiles, as a trial of this cycle. */
void profile_start(struct sched *s, const struct alloc *a, const struct need *n, int64_t from_s, uint32_t id);

/* ---- running jobs (running.c) ---- */

/* The job started, ended or changed. */
void running_note(struct sched *s, const struct cluster *c, uint32_t id);

/* Read all running jobs from the cluster. */
void running_sync(struct sched *s, const struct cluster *c);

/* Compute a new end for jobs that have overrun their expected end. */
void running_overdue(struct sched *s, const struct cluster *c);
void running_clear(struct sched *s);

/* ---- releases, ordered by time (release_list.c) ---- */

void release_list_add(struct release_list *e, const struct release *x);
void release_list_drop(struct release_list *e, const struct release *x);
void release_list_clear(struct release_list *e);

/* The first release at or after `at_s`. */
struct release_pos release_list_from(const struct release_list *e, int64_t at_s);

/* NULL: no more. */
const struct release *release_list_get(const struct release_list *e, struct release_pos *p);

/* ---- headroom: recognises most nodes that cannot hold a job, without reading their profiles ---- */

static inline uint32_t headroom_clip(uint64_t v)
{
    return (uint32_t)MIN(v, (uint64_t)UINT32_MAX / 4);
}

static inline struct headroom headroom_of(uint32_t cpus, uint64_t mem_mb, const uint64_t gres[static GRES_MAX])
{
    uint64_t sum = 0;
    for (uint32_t g = 0; g < GRES_MAX; g++)
        sum += MIN(gres[g], (uint64_t)UINT32_MAX);
    return (struct headroom){ headroom_clip(cpus), headroom_clip(sum), headroom_clip(mem_mb) };
}

static inline struct headroom span_headroom(const struct span *sp)
{
    return headroom_of(sp->cpus, sp->mem_mb, sp->gres);
}

static inline void headroom_add(struct headroom *b, const struct headroom *more)
{
    b->cpus = headroom_clip((uint64_t)b->cpus + more->cpus);
    b->gres = headroom_clip((uint64_t)b->gres + more->gres);
    b->mem_mb = headroom_clip((uint64_t)b->mem_mb + more->mem_mb);
}

static inline bool headroom_enough(const struct headroom *has, const struct headroom *least)
{
    return has->cpus >= least->cpus && has->gres >= least->gres && has->mem_mb >= least->mem_mb;
}

/* The least headroom of a node that can hold a part of the job (need.c). */
struct headroom need_headroom(const struct sched *s, const struct need *n);

/* ---- avail (avail.c) ---- */

static inline void avail_subtract(struct avail *av, const struct span *sp)
{
    av->cpus -= MIN(sp->cpus, av->cpus);
    av->mem_mb -= MIN(sp->mem_mb, av->mem_mb);
    for (uint32_t g = 0; g < GRES_MAX; g++)
        av->gres[g] -= MIN(sp->gres[g], av->gres[g]);
    av->jobs += !sp->suspended;
    av->exclusive += sp->exclusive;
}

void avail_at(const struct sched_view *v, const struct node_profile *prof, int64_t at_s, struct avail *out);

/* The minimum of both. */
void avail_lower(struct avail *av, const struct avail *by);

/* What is free for a need from `from_s` until `to_s`, all the time.  False when the node cannot be used. */
bool avail_over(const struct sched_view *v, const struct need *n, uint32_t node, int64_t from_s, int64_t to_s,
                struct avail *out);

/* ---- trials and sched points (trial.c, backfill.c) ---- */

/* Write a pick that starts at `at_s` to the profiles. */
void trial_add(struct sched *s, const struct cluster *c, const struct need *n, const struct pick *p, int64_t at_s,
               uint32_t id);

/* Undo the last trial_add() of this job. */
void trial_remove(struct sched *s, const struct need *n, const struct pick *p, int64_t at_s, uint32_t id);

/* Remove what the last cycle wrote. */
void trials_reset(struct sched *s, const struct cluster *c);

/* Something becomes free on the node at `at_s`; and this much, when a start of this cycle ends. */
void point_add_end(struct sched *s, uint32_t node, int64_t at_s);
void point_add_release(struct sched *s, uint32_t node, const struct span *sp);

/* Spans that this cycle, or a planned start that counts, puts on a node.  Start with `*i` = 0; NULL: no more. */
static inline const struct span *profile_next_span(const struct sched_view *v, const struct node_profile *prof,
                                                   size_t *i)
{
    if (*i < prof->trials.n)
        return &prof->trials.at[(*i)++];
    while (*i < prof->trials.n + prof->planned.n) {
        const struct span *u = &prof->planned.at[(*i)++ - prof->trials.n];
        if (u->planned->at < v->planned_ahead)
            return u;
    }
    return NULL;
}

#endif
