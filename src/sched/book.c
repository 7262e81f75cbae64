/*
 * book - who gets a planned start: everybody blocked, in order, until there are enough.
 *
 * Places stay from plan to plan (place.c).  One that nothing contradicts is as good as when it was found, but after
 * something was given back there may be a better one: it is looked for once a second at most, and the less often
 * the more looks that takes.
 */
#include "sched/sched_priv.h"

#define LOOKS_MAX 40000     /* looks at single nodes, per plan */
#define LOOKS_AGAIN 1500    /* after so many, places that are not wrong stay as they are; max_looks */
#define LOOKS_A_SECOND 1000 /* a place is found anew no sooner than this many a second allow */
#define ARRAY_PLACES 20     /* planned starts of one array, unless the configuration says so */

/* ---- shapes with somebody who has no place yet ---- */

static bool sooner(const struct shape *a, const struct shape *b)
{
    return shape_before(a, a->planned, b, b->planned);
}

/* Somebody without a place stands before some that have one: those will have to move. */
static void shake_behind(struct sched *s, const struct shape *sh)
{
    uint64_t rank = sh->rank.at[sh->next];
    size_t at = places_before(s, sh->tier, rank);
    if (at < s->places.n && s->places.at[at]->rank == rank)
        return;
    for (; at < s->places.n; at++)
        s->places.at[at]->shaken = true;
}

void book_blocked(struct sched *s, struct shape *sh)
{
    shake_behind(s, sh);
    if (!s->blocked_known || sh->planned >= sh->rank.n)
        return;
    heap_add(&s->blocked, sooner, sh);
}

static void find_blocked(struct sched *s)
{
    if (s->blocked_known)
        return;
    s->blocked.n = 0;
    for (size_t i = 0; i < s->shapes.n; i++)
        if (s->shapes.at[i]->state == SHAPE_BLOCKED && s->shapes.at[i]->planned < s->shapes.at[i]->rank.n)
            vec_push(&s->blocked, s->shapes.at[i]);
    heap_make(&s->blocked, sooner);
    s->blocked_known = true;
}

/* The top of the heap has its place: its next one, or the next shape. */
static void blocked_next(struct sched *s, struct shape *sh)
{
    if (sh->planned >= sh->rank.n)
        heap_drop(&s->blocked, sooner);
    else
        heap_moved(&s->blocked, sooner);
}

/* ---- the walk over the places ---- */

/* The site keeps no places for those who came a moment ago, or stand too low. */
static bool may_have_place(struct sched *s, const struct job *j)
{
    int64_t from_s = j->eligible_s + s->conf.min_age_place_s;
    if (s->conf.min_prio_place && job_priority(j) < s->conf.min_prio_place)
        return false;
    if (from_s <= s->now_s)
        return true;
    s->young_s = s->young_s ? MIN(s->young_s, from_s) : from_s;
    return false;
}

/* Does the job, or one more task of the array, want a place? */
static bool wants_place(struct sched *s, const struct cluster *c, const struct job *j, struct seat *seat)
{
    seat_turn(s, seat);
    if ((s->conf.min_age_place_s || s->conf.min_prio_place) && !may_have_place(s, j))
        return false;
    uint32_t of_array = s->conf.array_places ? s->conf.array_places : ARRAY_PLACES;
    if (seat->walk != s->walk)
        seat->places = 0;
    seat->walk = s->walk;
    bool limited;
    uint32_t left = array_left(s, c, j, seat, &limited);
    return seat->places < MIN(left, of_array) && !limit_no_place(s, c, j);
}

/* When there may be a better one, and it is time to look for it; 0: there is none. */
static int64_t stale_s(const struct sched *s, const struct place *p)
{
    uint32_t a_second = MAX(s->conf.max_looks, (uint32_t)LOOKS_A_SECOND);
    return p->gives != s->gives || p->shaken ? p->made_s + p->looks / a_second + 1 : 0;
}

static bool may_look(const struct sched *s)
{
    return s->looks < (s->conf.max_looks ? s->conf.max_looks : LOOKS_AGAIN);
}

static bool is_stale(const struct sched *s, const struct place *p)
{
    int64_t at_s = stale_s(s, p);
    return at_s && at_s <= s->now_s;
}

/* It takes more than nodes: it is found anew in each plan. */
static bool is_fleeting(const struct place *p)
{
    return p->sh->het || p->sh->need.req->lic.n;
}

static bool is_wrong(const struct sched *s, const struct place *p)
{
    return p->wrong || (p->at_s && p->at_s <= s->now_s && p->made_s < s->now_s);
}

/* Where nothing is remembered they are found when somebody could start, and not before. */
static bool is_due(const struct sched *s, const struct place *p)
{
    return p->old ? s->steady : is_wrong(s, p) || is_stale(s, p);
}

const struct place *book_due(const struct sched *s)
{
    for (size_t i = 0; i < s->places.n && may_look(s); i++)
        if (is_due(s, s->places.at[i]))
            return s->places.at[i];
    return NULL;
}

int64_t book_next_s(const struct sched *s)
{
    int64_t next = 0;
    for (size_t i = 0; i < s->places.n; i++) {
        const struct place *p = s->places.at[i];
        int64_t at_s = !p->old ? stale_s(s, p) : s->steady ? s->now_s + 1 : 0;
        if (at_s && (!next || at_s < next))
            next = at_s;
    }
    if (s->young_s && (!next || s->young_s < next))
        next = s->young_s;
    return next ? MAX(next, s->now_s + 1) : 0;
}

/* The soonest there is; what was promised, where a search would find something later. */
static int64_t find_moment(struct sched *s, const struct cluster *c, const struct place *p, struct pick *pick)
{
    int64_t at = backfill_when(s, c, &p->sh->need, pick);
    if ((at && at <= p->at_s) || !place_keeps(s, c, p))
        return at;
    s->promises++;
    place_recall(p, pick);
    return p->at_s;
}

static void find_place(struct sched *s, const struct cluster *c, struct place *p, struct pick *pick)
{
    uint32_t looks = s->looks;
    size_t touched = s->touched.n;
    struct shape *sh = p->sh;
    place_unlicense(s, p);
    int64_t at = sh->het ? het_when(s, c, sh, true) : find_moment(s, c, p, pick);
    if (at && !sh->het) {
        backfill_keep(s, c, &sh->need, pick, at, p->id);
        place_remember(p, pick);
    }
    place_take(s, p, touched, at);
    p->looks = s->looks - looks;
    p->plan = s->plan;
}

/* The next place is that of the job at the top, if it wants one.  False when that would take too long. */
static bool reserve_one(struct sched *s, const struct cluster *c, struct shape *sh, struct pick *pick)
{
    uint64_t rank = sh->rank.at[sh->planned];
    uint32_t id = rank_id(rank);
    const struct job *j = cluster_job(c, id);
    struct seat *seat = order_seat(s, id);
    if (!seat || !j || sh->need.drawn || !wants_place(s, c, j, seat)) { /* who is drawn in waits outside */
        sh->planned++;
        return true;
    }
    struct place *p = place_next(s, sh, id);
    bool bad = !p || p->old || is_wrong(s, p) || (is_fleeting(p) && p->plan != s->plan);
    if (bad && s->looks >= MAX(s->conf.max_looks, (uint32_t)LOOKS_MAX)) {
        places_cut(s, s->planned);
        return false;
    }
    if (!p)
        p = place_new(s, sh, id, rank);
    if (bad || (is_stale(s, p) && may_look(s)))
        find_place(s, c, p, pick);
    s->planned++;
    seat->places++;
    if (!p->at_s)
        sh->planned = sh->rank.n; /* nobody with this shape has a moment that can be told */
    return true;
}

/* Those who were passed by want no place any more. */
static void drop_unwanted(struct sched *s, uint32_t tier, uint64_t rank)
{
    while (s->planned < places_before(s, tier, rank))
        place_drop(s, s->planned);
}

void book_reserve(struct sched *s, const struct cluster *c, uint32_t tier, uint64_t rank)
{
    struct pick p = { 0 };
    bool all = true;
    find_blocked(s);
    while (all && s->planned < s->conf.max_planned && s->blocked.n) {
        struct shape *sh = s->blocked.at[0];
        if (!rank_before(sh->tier, sh->rank.at[sh->planned], tier, rank))
            break;
        all = reserve_one(s, c, sh, &p);
        blocked_next(s, sh);
    }
    if (all)
        drop_unwanted(s, tier, rank);
    places_cut(s, s->conf.max_planned);
    vec_clear(&p.at);
}

void book_rewind(struct sched *s)
{
    s->planned = 0;
    s->walk++;
    s->blocked_known = false;
    for (size_t i = 0; i < s->shapes.n; i++)
        s->shapes.at[i]->planned = s->shapes.at[i]->head;
}
