/*
 * steady - what the scheduler remembers from plan to plan: ends to come, hopes of those who wait, planned starts.
 *
 * A part of sched_priv.h, which has the structures; nobody else includes it.
 */
#ifndef SPUR_SCHED_STEADY_H
#define SPUR_SCHED_STEADY_H

/* ends.c: when what runs will end */
void ends_add(struct ends *e, const struct end *x);
void ends_drop(struct ends *e, const struct end *x);
void ends_clear(struct ends *e);
struct ends_pos ends_from(const struct ends *e, int64_t at_s);        /* the first at or after that time */
const struct end *ends_get(const struct ends *e, struct ends_pos *p); /* NULL: there are no more */

/* The least that is of any use to a need on one node. */
struct brief need_least(const struct sched *s, const struct need *n);
struct brief use_brief(const struct use *u);
void brief_add(struct brief *b, const struct brief *more);
static inline bool brief_enough(const struct brief *has, const struct brief *least)
{
    return has->cpus >= least->cpus && has->gres >= least->gres && has->mem_mb >= least->mem_mb;
}

/* hope.c: what nodes that gained room mean for those who wait */
/* Whoever makes more room on a node than there was, now or later, has to say so. */
void lane_gained(struct sched *s, uint32_t node);
void hope_learn(struct shape *sh, const struct hold *h, size_t n); /* it was tested, and all it found was this */
void hope_forget(struct shape *sh);                                /* nothing is known */
/* Look at those who gained room, from `from` on.  True when the shape has to be tested. */
bool hope_stir(struct sched *s, const struct cluster *c, struct shape *sh, size_t from);
bool hope_may(const struct sched *s, const struct shape *sh);                /* are nodes all it waits for? */
bool hope_left(const struct shape *sh);                                      /* could it fit? */
bool hope_still(struct sched *s, const struct cluster *c, struct shape *sh); /* and after what this plan took? */

/* place.c: planned starts */
size_t places_before(const struct sched *s, uint32_t tier, uint64_t rank); /* how many stand before */
size_t places_found(const struct sched *s, size_t most); /* of these, up to the first that would have to be found anew */
/* The next place, when it is that of this job; those that stand between are given up.  NULL: it has none. */
struct place *place_next(struct sched *s, const struct shape *sh, uint32_t id);
struct place *place_new(struct sched *s, struct shape *sh, uint32_t id, uint64_t rank); /* becomes the next */
/* What the plan tried last, from `touched` on, becomes the place. */
void place_take(struct sched *s, struct place *p, size_t touched, int64_t at_s);
void places_cut(struct sched *s, size_t n);       /* no more than these */
void places_mode(struct sched *s, bool steady);   /* are they good for more than a plan? */
void places_age(struct sched *s);                 /* anything may have changed */
void places_sort(struct sched *s);                /* the order has */
void place_remember(struct place *p, const struct pick *pick);
void place_recall(const struct place *p, struct pick *out);
void place_drop(struct sched *s, size_t at);
void places_forget(struct sched *s, uint32_t id); /* those of a job that has moved */
/* Those of a job for shapes that it does not stand in any more; true when there were some. */
bool places_prune(struct sched *s, const struct seat *seat);
void place_started(struct sched *s, uint32_t id); /* one of its places is used */
const struct place *place_of(const struct sched *s, uint32_t id);
void place_unlicense(struct sched *s, const struct place *p);
/* Somebody takes of the node: places from `from` on that do not fit any more are wrong. */
void places_check(struct sched *s, uint32_t node, size_t from);

/* book.c: who gets a planned start */
/* One more shape has somebody who waits for a place. */
void book_blocked(struct sched *s, struct shape *sh);
/* Keep a place in the future for everybody blocked who comes before (tier, rank); then `planned` is what counts for
 * that one. */
void book_reserve(struct sched *s, const struct cluster *c, uint32_t tier, uint64_t rank);
void book_rewind(struct sched *s); /* somebody further ahead is looked at next */
/* The first place that should be found anew; NULL: none. */
const struct place *book_due(const struct sched *s);
int64_t book_next_s(const struct sched *s); /* when one should be, without anything else happening; 0: never */

/* guard.c: places that count are not touched by who starts */
struct guard_try {
    const struct need *need;
    const struct alloc *alloc;
    uint32_t id;
};
bool place_stands(struct sched *s, const struct place *p); /* as it was found; sets are believed */
/* It could be kept, whatever a search would find: nodes are chosen by rules of thumb, and one that was promised something
 * need not pay for that. */
bool place_keeps(struct sched *s, const struct cluster *c, const struct place *p);
bool guard_allows(struct sched *s, const struct guard_try *t, size_t n);

/* What this plan laid on a node: starts and trials, then the places that count.  From `*i` = 0 on; NULL: no more. */
static inline const struct use *plan_use(const struct sched *s, const struct lane *l, size_t *i)
{
    if (*i < l->resv.n)
        return &l->resv.at[(*i)++];
    while (*i < l->resv.n + l->kept.n) {
        const struct use *u = &l->kept.at[(*i)++ - l->resv.n];
        if (u->by->at < s->planned)
            return u;
    }
    return NULL;
}

#endif
