/*
 * steady - what the scheduler remembers from plan to plan: ends to come, hopes of those who wait, planned starts.
 *
 * A part of sched_priv.h, which has the structures; nobody else includes it.
 */
#ifndef SPUR_SCHED_STEADY_H
#define SPUR_SCHED_STEADY_H

/* ends.c: when what runs will end */
void release_list_add(struct release_list *e, const struct release *x);
void release_list_drop(struct release_list *e, const struct release *x);
void release_list_clear(struct release_list *e);
struct release_pos release_list_from(const struct release_list *e, int64_t at_s); /* the first at or after that time */
const struct release *release_list_get(const struct release_list *e,
                                       struct release_pos *p); /* NULL: there are no more */

/* The least that is of any use to a need on one node. */
struct headroom need_headroom(const struct sched *s, const struct need *n);
struct headroom span_headroom(const struct span *u);
void headroom_add(struct headroom *b, const struct headroom *more);
static inline bool headroom_enough(const struct headroom *has, const struct headroom *least)
{
    return has->cpus >= least->cpus && has->gres >= least->gres && has->mem_mb >= least->mem_mb;
}

/* hope.c: what nodes that gained room mean for those who wait */
/* Whoever makes more room on a node than there was, now or later, has to say so. */
void fit_cache_note_freed(struct sched *s, uint32_t node);
void fit_cache_store(struct job_class *cls, const struct node_fit *h,
                     size_t n);                   /* it was tested, and all it found was this */
void fit_cache_invalidate(struct job_class *cls); /* nothing is known */
/* Look at those who gained room, from `from` on.  True when the shape has to be tested. */
bool fit_cache_refresh(struct sched *s, const struct cluster *c, struct job_class *cls, size_t from);
bool fit_cache_usable(const struct sched *s, const struct job_class *cls); /* are nodes all it waits for? */
bool fit_cache_sufficient(const struct job_class *cls);                    /* could it fit? */
bool fit_cache_recheck(struct sched *s, const struct cluster *c,
                       struct job_class *cls); /* and after what this plan took? */

/* place.c: planned starts */
size_t planned_before(const struct sched *s, uint32_t tier, uint64_t key); /* how many stand before */
size_t planned_current(const struct sched *s,
                       size_t most); /* of these, up to the first that would have to be found anew */
/* The next place, when it is that of this job; those that stand between are given up.  NULL: it has none. */
struct planned_start *planned_next(struct sched *s, const struct job_class *cls, uint32_t id);
struct planned_start *planned_new(struct sched *s, struct job_class *cls, uint32_t id,
                                  uint64_t key); /* becomes the next */
/* What the plan tried last, from `touched` on, becomes the place. */
void planned_set(struct sched *s, struct planned_start *p, size_t touched, int64_t at_s);
void planned_truncate(struct sched *s, size_t n);           /* no more than these */
void planned_set_incremental(struct sched *s, bool steady); /* are they good for more than a plan? */
void planned_expire(struct sched *s);                       /* anything may have changed */
void planned_sort(struct sched *s);                         /* the order has */
void planned_store_pick(struct planned_start *p, const struct pick *pick);
void planned_load_pick(const struct planned_start *p, struct pick *out);
void planned_drop(struct sched *s, size_t at);
void planned_drop_job(struct sched *s, uint32_t id); /* those of a job that has moved */
/* Those of a job for shapes that it does not stand in any more; true when there were some. */
bool planned_drop_stale_classes(struct sched *s, const struct queue_entry *entry);
void planned_consume(struct sched *s, uint32_t id); /* one of its places is used */
const struct planned_start *planned_find(const struct sched *s, uint32_t id);
void planned_release_licenses(struct sched *s, const struct planned_start *p);
/* Somebody takes of the node: places from `from` on that do not fit any more are wrong. */
void planned_check_node(struct sched *s, uint32_t node, size_t from);

/* book.c: who gets a planned start */
/* One more shape has somebody who waits for a place. */
void planned_queue_add(struct sched *s, struct job_class *cls);
/* Keep a place in the future for everybody blocked who comes before (tier, rank); then `planned` is what counts for
 * that one. */
void planned_queue_extend(struct sched *s, const struct cluster *c, uint32_t tier, uint64_t key);
void planned_queue_rewind(struct sched *s); /* somebody further ahead is looked at next */
/* The first place that should be found anew; NULL: none. */
const struct planned_start *planned_queue_due(const struct sched *s);
int64_t planned_queue_next_s(const struct sched *s); /* when one should be, without anything else happening; 0: never */

/* guard.c: places that count are not touched by who starts */
struct trial_start {
    const struct need *need;
    const struct alloc *alloc;
    uint32_t id;
};
bool planned_holds(struct sched *s, const struct planned_start *p); /* as it was found; sets are believed */
/* It could be kept, whatever a search would find: nodes are chosen by rules of thumb, and one that was promised
 * something need not pay for that. */
bool planned_can_keep(struct sched *s, const struct cluster *c, const struct planned_start *p);
bool planned_check_start(struct sched *s, const struct trial_start *t, size_t n);

/* What this plan laid on a node: starts and trials, then the places that count.  From `*i` = 0 on; NULL: no more. */
static inline const struct span *profile_next_span(const struct sched_view *v, const struct node_profile *l, size_t *i)
{
    if (*i < l->trials.n)
        return &l->trials.at[(*i)++];
    while (*i < l->trials.n + l->planned.n) {
        const struct span *u = &l->planned.at[(*i)++ - l->trials.n];
        if (u->planned->at < v->planned_ahead)
            return u;
    }
    return NULL;
}

#endif
