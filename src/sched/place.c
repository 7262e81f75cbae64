/*
 * place - planned starts, kept from plan to plan.
 *
 * Places stand in the order of their jobs.  Only those before a job count when it is looked at (sched.planned says
 * how many), so nobody is held up by a place of somebody behind.  Who starts now starts beside the places that count
 * for it; what it takes from those behind makes them wrong, and they are found anew before they count again.
 */
#include "sched/sched_priv.h"

size_t places_before(const struct sched *s, uint32_t tier, uint64_t rank)
{
    size_t n = s->places.n;
    while (n && !rank_before(s->places.at[n - 1]->tier, s->places.at[n - 1]->rank, tier, rank))
        n--;
    return n;
}

size_t places_found(const struct sched *s, size_t most)
{
    size_t n = 0;
    while (n < most && n < s->places.n && !s->places.at[n]->old)
        n++;
    return n;
}

const struct place *place_of(const struct sched *s, uint32_t id)
{
    for (size_t i = 0; i < s->places.n; i++)
        if (s->places.at[i]->id == id && s->places.at[i]->at_s && !s->places.at[i]->old)
            return s->places.at[i];
    return NULL;
}

/* ---- on the lanes ---- */

/* What this plan keeps of licences for it is free again. */
void place_unlicense(struct sched *s, const struct place *p)
{
    if (p->sh->need.req->lic.n && p->plan == s->plan && p->at_s)
        license_lift(s, p->id, p->at_s);
}

static void lift(struct sched *s, struct place *p)
{
    if (p->laid.n && (!s->lifted || rank_before(p->tier, p->rank, s->lifted_tier, s->lifted_rank)))
        s->lifted = true, s->lifted_tier = p->tier, s->lifted_rank = p->rank;
    for (size_t i = 0; i < p->laid.n; i++) {
        uint32_t node = p->laid.at[i].node;
        struct lane *l = &s->lane[node];
        for (size_t k = l->kept.n; k-- > 0;)
            if (l->kept.at[k].by == p)
                l->kept.at[k] = l->kept.at[--l->kept.n];
        if (p->laid.at[i].use.cores)
            share_disown(p->laid.at[i].use.cores);
        lane_gained(s, node);
    }
    p->laid.n = 0;
}

static void lay(struct sched *s, struct place *p)
{
    for (size_t i = 0; i < p->laid.n; i++) {
        struct lane *l = &s->lane[p->laid.at[i].node];
        p->laid.at[i].use.by = p;
        vec_push(&l->kept, p->laid.at[i].use);
    }
    for (size_t i = 0; i < p->laid.n; i++)
        places_check(s, p->laid.at[i].node, p->at + 1);
}

static void add_up(struct use *sum, uint32_t *jobs, uint32_t *alone, const struct use *u)
{
    sum->cpus += u->cpus;
    sum->mem_mb += u->mem_mb;
    for (uint32_t g = 0; g < GRES_MAX; g++)
        sum->gres[g] += u->gres[g];
    *jobs += !u->lent;
    *alone += u->exclusive;
}

static bool is_there(const struct use *u, int64_t at_s)
{
    return u->from_s <= at_s && u->to_s > at_s;
}

/* Is more of the node taken at that moment than it has? */
static bool overfull(const struct lane *l, int64_t at_s)
{
    struct use sum = { 0 };
    uint32_t jobs = 0, alone = 0;
    for (size_t i = 0; i < l->runs.n; i++)
        if (l->runs.at[i].to_s > at_s)
            add_up(&sum, &jobs, &alone, &l->runs.at[i]);
    for (size_t i = 0; i < l->resv.n; i++)
        if (is_there(&l->resv.at[i], at_s))
            add_up(&sum, &jobs, &alone, &l->resv.at[i]);
    for (size_t i = 0; i < l->kept.n; i++)
        if (is_there(&l->kept.at[i], at_s))
            add_up(&sum, &jobs, &alone, &l->kept.at[i]);
    for (uint32_t g = 0; g < GRES_MAX; g++)
        if (sum.gres[g] > l->all.gres[g])
            return true;
    return sum.cpus > l->all.cpus || sum.mem_mb > l->all.mem_mb || (alone && jobs > 1);
}

/* Where room is more than a count each is asked for itself. */
static void check_each(struct sched *s, const struct lane *l, size_t from)
{
    for (size_t i = 0; i < l->kept.n; i++) {
        struct place *p = s->places.at[l->kept.at[i].by->at];
        p->wrong = p->wrong || (p->at >= from && !p->old && !place_stands(s, p));
    }
}

void places_check(struct sched *s, uint32_t node, size_t from)
{
    const struct lane *l = &s->lane[node];
    if (!s->steady || l->blocks.n) {
        check_each(s, l, from);
        return;
    }
    for (size_t i = 0; i < l->kept.n; i++) {
        int64_t at = l->kept.at[i].from_s;
        if (!overfull(l, at))
            continue;
        for (size_t k = 0; k < l->kept.n; k++)
            if (l->kept.at[k].by->at >= from && is_there(&l->kept.at[k], at))
                s->places.at[l->kept.at[k].by->at]->wrong = true;
    }
}

/* ---- the list ---- */

static void renumber(struct sched *s, size_t from)
{
    for (size_t i = from; i < s->places.n; i++)
        s->places.at[i]->at = i;
}

void place_drop(struct sched *s, size_t at)
{
    struct place *p = s->places.at[at];
    place_unlicense(s, p);
    lift(s, p);
    vec_remove(&s->places, at);
    renumber(s, at);
    for (size_t i = at; i < s->places.n; i++)
        s->places.at[i]->shaken = true;
    s->planned -= s->planned > at;
    vec_clear(&p->laid);
    vec_clear(&p->share);
    free(p);
}

void places_cut(struct sched *s, size_t n)
{
    while (s->places.n > n)
        place_drop(s, s->places.n - 1);
}

void places_age(struct sched *s)
{
    for (size_t i = 0; i < s->places.n; i++)
        s->places.at[i]->old = true;
}

void places_mode(struct sched *s, bool steady)
{
    if (!steady || !s->steady)
        places_age(s);
    s->steady = steady;
}

static int by_turn(const void *a, const void *b)
{
    const struct place *x = *(struct place *const *)a, *y = *(struct place *const *)b;
    if (x->tier != y->tier || x->rank != y->rank)
        return rank_before(x->tier, x->rank, y->tier, y->rank) ? -1 : 1;
    return x->at < y->at ? -1 : 1;
}

void places_sort(struct sched *s)
{
    for (size_t i = s->places.n; i-- > 0;) {
        struct place *p = s->places.at[i];
        const struct seat *seat = order_seat(s, p->id);
        if (!seat) {
            place_drop(s, i);
            continue;
        }
        p->tier = p->sh->tier;
        p->rank = seat->rank;
    }
    if (s->places.n)
        qsort(s->places.at, s->places.n, sizeof(*s->places.at), by_turn);
    renumber(s, 0);
}

void places_forget(struct sched *s, uint32_t id)
{
    for (size_t i = s->places.n; i-- > 0;)
        if (s->places.at[i]->id == id)
            place_drop(s, i);
}

static bool seat_has(const struct seat *seat, const struct shape *sh)
{
    for (uint32_t i = 0; i < seat->nshapes; i++)
        if (seat->shape[i] == sh)
            return true;
    return false;
}

bool places_prune(struct sched *s, const struct seat *seat)
{
    bool any = false;
    for (size_t i = s->places.n; i-- > 0;)
        if (s->places.at[i]->id == seat->id && !seat_has(seat, s->places.at[i]->sh)) {
            place_drop(s, i);
            any = true;
        }
    return any;
}

void place_started(struct sched *s, uint32_t id)
{
    for (size_t i = 0; i < s->places.n; i++)
        if (s->places.at[i]->id == id) {
            place_drop(s, i);
            return;
        }
}

struct place *place_next(struct sched *s, const struct shape *sh, uint32_t id)
{
    for (size_t i = s->planned; i < s->places.n; i++) {
        if (s->places.at[i]->id != id || s->places.at[i]->sh != sh)
            continue;
        while (i-- > s->planned)
            place_drop(s, i);
        return s->places.at[s->planned];
    }
    return NULL;
}

struct place *place_new(struct sched *s, struct shape *sh, uint32_t id, uint64_t rank)
{
    struct place *p = NEW(struct place);
    *p = (struct place){ .sh = sh, .id = id, .tier = sh->tier, .rank = rank };
    vec_push(&s->places, p);
    memmove(s->places.at + s->planned + 1, s->places.at + s->planned,
            (s->places.n - 1 - s->planned) * sizeof(struct place *));
    s->places.at[s->planned] = p;
    renumber(s, s->planned);
    return p;
}

/* ---- found ---- */

static bool same_use(const struct laid *a, const struct laid *b)
{
    return a->node == b->node && a->use.id == b->use.id && a->use.from_s == b->use.from_s &&
           a->use.to_s == b->use.to_s && a->use.cpus == b->use.cpus && a->use.mem_mb == b->use.mem_mb &&
           a->use.exclusive == b->use.exclusive && !memcmp(a->use.gres, b->use.gres, sizeof(a->use.gres));
}

static bool stays(const struct sched *s, const struct place *p, size_t touched, int64_t at_s)
{
    if (p->at_s != at_s || p->laid.n != s->touched.n - touched)
        return false;
    for (size_t i = 0; i < p->laid.n; i++) {
        const struct lane *l = &s->lane[s->touched.at[touched + i]];
        struct laid now = { .node = s->touched.at[touched + i], .use = l->resv.at[l->resv.n - 1] };
        if (now.use.cores || !same_use(&p->laid.at[i], &now))
            return false;
    }
    return true;
}

/* The trial on one node is no trial any more. */
static struct laid untry(struct sched *s, uint32_t node)
{
    struct lane *l = &s->lane[node];
    return (struct laid){ .node = node, .use = l->resv.at[--l->resv.n] };
}

static void move(struct sched *s, struct place *p, size_t touched)
{
    lift(s, p);
    for (size_t i = touched; i < s->touched.n; i++) {
        vec_push(&p->laid, untry(s, s->touched.at[i]));
        if (p->laid.at[p->laid.n - 1].use.cores)
            share_own(s, p->laid.at[p->laid.n - 1].use.cores);
    }
    lay(s, p);
    for (size_t i = p->at + 1; i < s->places.n; i++)
        s->places.at[i]->shaken = true;
    s->hint = NULL;
}

static void settle(struct sched *s, struct place *p, size_t touched, int64_t at_s)
{
    if (stays(s, p, touched, at_s)) {
        for (size_t i = touched; i < s->touched.n; i++)
            untry(s, s->touched.at[i]);
    } else {
        move(s, p, touched);
    }
    s->moments.n -= s->touched.n - touched; /* those of the trial came last */
    s->touched.n = touched;
}

void place_remember(struct place *p, const struct pick *pick)
{
    p->level = pick->level;
    p->share.n = 0;
    for (size_t i = 0; i < pick->at.n; i++)
        vec_push(&p->share, pick->at.at[i]);
}

void place_recall(const struct place *p, struct pick *out)
{
    out->preferred = false;
    out->level = p->level;
    out->at.n = 0;
    for (size_t i = 0; i < p->share.n; i++)
        vec_push(&out->at, p->share.at[i]);
}

void place_take(struct sched *s, struct place *p, size_t touched, int64_t at_s)
{
    settle(s, p, touched, at_s);
    p->at_s = at_s;
    p->made_s = s->now_s;
    p->gives = s->gives;
    p->wrong = p->shaken = p->old = false;
}
