/*
 * backfill - the future, as far as limits tell it: when a blocked job could start, and
 * places kept for those who come first.
 *
 * On a node, what is free grows when a job ends and shrinks only where a planned start
 * begins; so the least that is free over a time is found at its beginning and at the
 * planned starts within it.
 */
#include "sched/sched_priv.h"

#define PROBES_MAX 400           /* full looks at a future moment, per plan */
#define ARRAY_PLACES 20          /* planned starts of one array */

/* ---- one node over time ---- */

static void subtract(struct room *r, const struct use *u)
{
    r->cpus -= MIN(u->cpus, r->cpus);
    r->mem_mb -= MIN(u->mem_mb, r->mem_mb);
    for (uint32_t g = 0; g < GRES_MAX; g++)
        r->gres[g] -= MIN(u->gres[g], r->gres[g]);
    r->jobs++;
    r->exclusive += u->exclusive;
}

static void room_at(const struct sched *s, const struct lane *l, int64_t at_s, struct room *out)
{
    if (at_s <= s->now_s) {
        *out = l->now;
        return;
    }
    *out = l->all;
    for (size_t i = 0; i < l->runs.n; i++)
        if (l->runs.at[i].to_s > at_s)
            subtract(out, &l->runs.at[i]);
    for (size_t i = 0; i < l->resv.n; i++)
        if (l->resv.at[i].from_s <= at_s && l->resv.at[i].to_s > at_s)
            subtract(out, &l->resv.at[i]);
}

static void lower(struct room *r, const struct room *by)
{
    r->cpus = MIN(r->cpus, by->cpus);
    r->mem_mb = MIN(r->mem_mb, by->mem_mb);
    for (uint32_t g = 0; g < GRES_MAX; g++)
        r->gres[g] = MIN(r->gres[g], by->gres[g]);
    r->jobs = MAX(r->jobs, by->jobs);
    r->exclusive = MAX(r->exclusive, by->exclusive);
}

/* What is free on a node from `from_s` until `to_s`, all the time.  False when the node cannot be used. */
bool avail_over(const struct sched *s, uint32_t node, int64_t from_s, int64_t to_s, struct room *out)
{
    const struct lane *l = &s->lane[node];
    if (!l->usable)
        return false;
    room_at(s, l, from_s, out);
    for (size_t i = 0; i < l->resv.n && out->cpus; i++) {
        int64_t at = l->resv.at[i].from_s;
        if (at > from_s && at < to_s) {
            struct room then;
            room_at(s, l, at, &then);
            lower(out, &then);
        }
    }
    return out->cpus > 0;
}

/* ---- all nodes at one moment ---- */

bool fits_at(struct sched *s, const struct cluster *c, const struct need *n, int64_t at_s, struct pick *out)
{
    VEC(struct hold) holds = { 0 };
    bool now = at_s <= s->now_s;
    for bitmap_each(&n->allowed, i) {
        if (i >= s->nlanes)
            break;
        if (now && !bitmap_has(&s->open, i))
            continue;
        struct room r;
        struct hold h;
        if (avail_over(s, (uint32_t)i, at_s, at_s + need_run_s(n), &r) && fit_node(s, c, n, (uint32_t)i, &r, &h))
            vec_push(&holds, h);
    }
    bool found = pick_nodes(s, c, n, holds.at, holds.n, out);
    vec_clear(&holds);
    return found;
}

/* ---- the next moment at which it could start ---- */

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void find_ends(struct sched *s)
{
    if (s->ends_known)
        return;
    s->ends.n = 0;
    size_t pos = 0;
    for (struct run *r; (r = map_next(&s->runs, &pos, NULL));)
        if (r->end_s < FOREVER) {
            vec_reserve(&s->ends, s->ends.n + 1);
            s->ends.at[s->ends.n].at_s = MAX(r->end_s, s->now_s + 1);
            s->ends.at[s->ends.n++].run = r;
        }
    if (s->ends.n)
        qsort(s->ends.at, s->ends.n, sizeof(*s->ends.at), by_time);
    s->ends_known = true;
}

/*
 * Hopes: how much of the job each node could hold if nothing but the running jobs were
 * there.  They only grow with time, so they tell cheaply when a full look is worth it.
 */
struct hope {
    uint32_t *tasks;             /* by node */
    uint64_t sum;
    uint32_t nodes;
};

static uint32_t hope_at(const struct sched *s, const struct cluster *c, const struct need *n, uint32_t node, int64_t at_s)
{
    const struct lane *l = &s->lane[node];
    if (!l->usable || !bitmap_has(&n->allowed, node))
        return 0;
    struct room r = l->all;
    for (size_t i = 0; i < l->runs.n; i++)
        if (l->runs.at[i].to_s > at_s)
            subtract(&r, &l->runs.at[i]);
    struct hold h;
    if (!fit_node(s, c, n, node, &r, &h))
        return 0;
    return n->gpus ? h.gpus : h.tasks;
}

static void hope_raise(const struct sched *s, const struct cluster *c, const struct need *n, struct hope *h, uint32_t node, int64_t at_s)
{
    uint32_t was = h->tasks[node], is = hope_at(s, c, n, node, at_s);
    h->tasks[node] = is;
    h->sum += (uint64_t)is - was;
    h->nodes += (is > 0) - (was > 0);
}

static bool hope_enough(const struct need *n, const struct hope *h)
{
    return h->nodes >= n->min_nodes && h->sum >= (n->gpus ? n->gpus : n->tasks);
}

static bool probe(struct sched *s, const struct cluster *c, const struct need *n, const struct hope *h, int64_t at_s, struct pick *out)
{
    if (!hope_enough(n, h) || s->probes >= PROBES_MAX)
        return false;
    s->probes++;
    return fits_at(s, c, n, at_s, out);
}

/* Planned starts end too: those moments, sorted, after now. */
static size_t resv_ends(const struct sched *s, const struct need *n, int64_t **out)
{
    VEC(int64_t) at = { 0 };
    for (size_t i = 0; i < s->touched.n; i++) {
        const struct lane *l = &s->lane[s->touched.at[i]];
        if (!bitmap_has(&n->allowed, s->touched.at[i]))
            continue;
        for (size_t k = 0; k < l->resv.n; k++)
            if (l->resv.at[k].to_s > s->now_s && l->resv.at[k].to_s < FOREVER / 4)
                vec_push(&at, l->resv.at[k].to_s);
    }
    if (at.n)
        qsort(at.at, at.n, sizeof(*at.at), by_time);
    *out = at.at;
    return at.n;
}

static int64_t search(struct sched *s, const struct cluster *c, const struct need *n, struct hope *h, struct pick *out)
{
    auto_free int64_t *more = NULL;
    size_t nmore = resv_ends(s, n, &more), e = 0, m = 0;
    int64_t last = s->now_s + (int64_t)s->conf.bf_window_min * 60;
    while ((e < s->ends.n || m < nmore) && s->probes < PROBES_MAX) {
        int64_t at = e < s->ends.n ? s->ends.at[e].at_s : INT64_MAX;
        at = m < nmore ? MIN(at, more[m]) : at;
        if (at > last)
            return 0;
        for (; e < s->ends.n && s->ends.at[e].at_s <= at; e++)
            for (uint32_t i = 0; i < s->ends.at[e].run->n; i++)
                hope_raise(s, c, n, h, s->ends.at[e].run->node[i], at);
        for (; m < nmore && more[m] <= at; m++)
            ;
        if (probe(s, c, n, h, at, out))
            return at;
    }
    return 0;
}

/* When it could start beside what runs and what is planned; 0 when that cannot be told. */
int64_t backfill_when(struct sched *s, const struct cluster *c, const struct need *n, struct pick *out)
{
    find_ends(s);
    struct hope h = { .tasks = mem_array(MAX(s->nlanes, 1u), sizeof(*h.tasks)) };
    for bitmap_each(&n->allowed, i)
        if (i < s->nlanes)
            hope_raise(s, c, n, &h, (uint32_t)i, s->now_s);
    int64_t at = fits_at(s, c, n, s->now_s, out) ? s->now_s : search(s, c, n, &h, out);
    free(h.tasks);
    return at;
}

/* ---- places kept ---- */

static void keep(struct sched *s, const struct cluster *c, const struct need *n, const struct pick *p, int64_t at_s, uint32_t id)
{
    for (size_t i = 0; i < p->at.n; i++) {
        const struct share *sh = &p->at.at[i];
        struct lane *l = &s->lane[sh->node];
        struct room r;
        avail_over(s, sh->node, at_s, at_s + need_run_s(n), &r);
        struct use u = { .from_s = at_s, .to_s = at_s + need_run_s(n), .id = id, .cpus = MAX(sh->cpus, n->req->mincpus), .exclusive = n->exclusive,
                         .mem_mb = s->conf.by_memory ? sh->mem_mb : 0 };
        give_slots(s, c, n, sh, &r, u.gres);
        vec_push(&l->resv, u);
        vec_push(&s->touched, sh->node);
    }
}

/* The first blocked job that has no place yet and comes before (tier, rank). */
static struct shape *next_blocked(struct sched *s, uint32_t tier, uint64_t rank)
{
    struct shape *first = NULL;
    for (size_t i = 0; i < s->shapes.n; i++) {
        struct shape *sh = s->shapes.at[i];
        if (sh->state != SHAPE_BLOCKED || sh->planned >= sh->rank.n)
            continue;
        uint64_t r = sh->rank.at[sh->planned];
        if (!rank_before(sh->tier, r, tier, rank))
            continue;
        if (!first || shape_before(sh, sh->planned, first, first->planned))
            first = sh;
    }
    return first;
}

/* Does the job, or one more task of the array, want a place? */
static bool wants_place(const struct sched *s, const struct cluster *c, const struct job *j, struct seat *seat)
{
    seat_turn(s, seat);
    bool limited;
    uint32_t left = array_left(s, c, j, seat, &limited);
    return seat->places < MIN(left, (uint32_t)ARRAY_PLACES);
}

void backfill_reserve(struct sched *s, const struct cluster *c, uint32_t tier, uint64_t rank)
{
    struct pick p = { 0 };
    struct shape *sh;
    while (s->planned < s->conf.max_planned && (sh = next_blocked(s, tier, rank))) {
        uint32_t id = rank_id(sh->rank.at[sh->planned]);
        const struct job *j = cluster_job(c, id);
        struct seat *seat = order_seat(s, id);
        if (!seat || !j || !wants_place(s, c, j, seat)) {
            sh->planned++;
            continue;
        }
        s->planned++;
        seat->places++;
        int64_t at = backfill_when(s, c, &sh->need, &p);
        if (at)
            keep(s, c, &sh->need, &p, at, id);
        else
            sh->planned = sh->rank.n; /* nobody with this shape has a moment that can be told */
    }
    vec_clear(&p.at);
}

/* Forget what the last plan wrote. */
void backfill_reset(struct sched *s, const struct cluster *c)
{
    for (size_t i = 0; i < s->touched.n; i++)
        if (s->touched.at[i] < c->nnodes && s->touched.at[i] < s->nlanes)
            lane_refresh(s, c, s->touched.at[i]);
    s->touched.n = 0;
    s->ends_known = false;
    s->planned = s->probes = 0;
}
