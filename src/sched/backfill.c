/*
 * backfill - the future, as far as limits tell it: when a blocked job could start, and
 * places kept for those who come first.
 *
 * On a node, what is free grows when a job ends and shrinks only where a planned start
 * begins; so the least that is free over a time is found at its beginning and at the
 * planned starts within it.
 */
#include "sched/sched_priv.h"

#define PROBES_MAX 400  /* full looks at a future moment, per plan */
#define LOOKS_MAX 40000 /* looks at single nodes, per plan */
#define PLENTY 256      /* nodes to choose from */
#define ARRAY_PLACES 20 /* planned starts of one array */

/* ---- one node over time ---- */

void room_subtract(struct room *r, const struct use *u)
{
    r->cpus -= MIN(u->cpus, r->cpus);
    r->mem_mb -= MIN(u->mem_mb, r->mem_mb);
    for (uint32_t g = 0; g < GRES_MAX; g++)
        r->gres[g] -= MIN(u->gres[g], r->gres[g]);
    r->jobs += !u->lent;
    r->exclusive += u->exclusive;
}

void room_at(const struct sched *s, const struct lane *l, int64_t at_s, struct room *out)
{
    if (at_s <= s->now_s) {
        *out = l->now;
        return;
    }
    *out = l->all;
    for (size_t i = 0; i < l->runs.n; i++)
        if (l->runs.at[i].to_s > at_s)
            room_subtract(out, &l->runs.at[i]);
    for (size_t i = 0; i < l->resv.n; i++)
        if (l->resv.at[i].from_s <= at_s && l->resv.at[i].to_s > at_s)
            room_subtract(out, &l->resv.at[i]);
}

void room_lower(struct room *r, const struct room *by)
{
    r->cpus = MIN(r->cpus, by->cpus);
    r->mem_mb = MIN(r->mem_mb, by->mem_mb);
    for (uint32_t g = 0; g < GRES_MAX; g++)
        r->gres[g] = MIN(r->gres[g], by->gres[g]);
    r->jobs = MAX(r->jobs, by->jobs);
    r->exclusive = MAX(r->exclusive, by->exclusive);
}

/* What is free on a node from `from_s` until `to_s`, all the time.  False when the node cannot be used. */
bool avail_over(const struct sched *s, const struct need *n, uint32_t node, int64_t from_s, int64_t to_s,
                struct room *out)
{
    const struct lane *l = &s->lane[node];
    if (!l->usable)
        return false;
    if ((l->blocks.n && !s->unreserved) || n->resv)
        return resv_avail(s, n, node, from_s, to_s, out) && room_for(s, n, node, from_s, to_s, out);
    room_at(s, l, from_s, out);
    for (size_t i = 0; i < l->resv.n && out->cpus; i++) {
        int64_t at = l->resv.at[i].from_s;
        if (at > from_s && at < to_s) {
            struct room then;
            room_at(s, l, at, &then);
            room_lower(out, &then);
        }
    }
    return room_for(s, n, node, from_s, to_s, out);
}

/* ---- all nodes at one moment ---- */

struct holds {
    struct hold *at;
    size_t n, cap;
    uint64_t tasks, gpus;
};

/* Among so many nodes, four times what is needed, a good place is found: a large cluster need not be seen whole. */
static bool plenty(const struct sched *s, const struct need *n, const struct holds *h)
{
    return h->n >= PLENTY && s->one_weight && !n->topo && h->n / 4 >= n->min_nodes && h->tasks / 4 >= n->tasks &&
           h->gpus / 4 >= n->gpus;
}

/* Nodes of `among` that could hold some of it from `at_s` on.  False when not all were looked at. */
static bool gather(const struct sched *s, const struct cluster *c, const struct need *n, const struct bitmap *among,
                   int64_t at_s, bool whole, struct holds *out)
{
    const struct bitmap *a = &n->allowed;
    bool now = at_s <= s->now_s;
    for (size_t w = 0; w < a->words && w < among->words; w++) {
        if (!whole && plenty(s, n, out))
            return false;
        for (uint64_t bits = a->word[w] & among->word[w]; bits; bits &= bits - 1) {
            uint32_t i = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits);
            struct room r;
            struct hold h;
            if (i >= s->nlanes || (now && fit_hopeless(s, n, &s->lane[i].now)))
                continue;
            if (!avail_over(s, n, i, at_s, at_s + need_run_s(n), &r) || !fit_node(s, c, n, i, &r, &h))
                continue;
            out->tasks += h.tasks;
            out->gpus += h.gpus;
            vec_push(out, h);
        }
    }
    return true;
}

static bool fits_level(struct sched *s, const struct cluster *c, const struct need *n, const struct bitmap *among,
                       int64_t at_s, struct pick *out)
{
    struct holds h = { 0 };
    if (license_lacks(s, c, n, at_s))
        return false;
    s->pick_at_s = at_s;
    bool all = gather(s, c, n, among, at_s, false, &h);
    bool found = pick_nodes(s, c, n, h.at, h.n, out);
    if (!found && !all) {
        h.n = 0;
        gather(s, c, n, among, at_s, true, &h);
        found = pick_nodes(s, c, n, h.at, h.n, out);
    }
    vec_clear(&h);
    return found;
}

/* Among the nodes of `among`: could it start at `at_s` and run its time?  Who shares cores takes idle ones first. */
static bool fits_among(struct sched *s, const struct cluster *c, const struct need *n, const struct bitmap *among,
                       int64_t at_s, struct pick *out)
{
    out->level = LEVEL_ALL;
    if (!s->shares || !n->shares)
        return fits_level(s, c, n, among, at_s, out);
    bool found = false;
    for (uint32_t level = 0; level < n->levels && !found; level++) {
        s->level = out->level = level;
        found = fits_level(s, c, n, among, at_s, out);
    }
    s->level = LEVEL_ALL;
    return found;
}

bool fits_free(struct sched *s, const struct cluster *c, const struct need *n, struct pick *out)
{
    out->preferred = false;
    return (n->prefer && feature_preferred(s, c, n, out)) || fits_among(s, c, n, &s->open, s->now_s, out);
}

bool backfill_fits_at(struct sched *s, const struct cluster *c, const struct need *n, int64_t at_s, struct pick *out)
{
    return fits_among(s, c, n, &n->allowed, at_s, out);
}

bool fits_node(struct sched *s, const struct cluster *c, const struct need *n, uint32_t node, struct pick *out)
{
    struct room r;
    struct hold h;
    if (license_lacks(s, c, n, s->now_s))
        return false;
    return avail_over(s, n, node, s->now_s, s->now_s + need_run_s(n), &r) && fit_node(s, c, n, node, &r, &h) &&
           pick_alone(s, c, n, &h, out);
}

/* ---- the next moment at which it could start ---- */

/*
 * Hopes: how much of the job each node could hold at a moment, were no planned start to
 * come after it.  They are looked at again where something ends, so they are never too low:
 * they tell cheaply when a full look is worth it, and at which nodes.
 */
struct hope {
    uint32_t *tasks;     /* by node */
    struct bitmap nodes; /* where there is any */
    uint64_t sum;
    uint32_t count;
};

static void hope_look(struct sched *s, const struct cluster *c, const struct need *n, struct hope *h, uint32_t node,
                      int64_t at_s)
{
    const struct lane *l = &s->lane[node];
    if (!l->usable || !bitmap_has(&n->allowed, node))
        return;
    struct room r;
    struct hold got;
    s->looks++;
    room_at(s, l, at_s, &r);
    room_for(s, n, node, at_s, at_s, &r);
    uint32_t was = h->tasks[node], is = fit_node(s, c, n, node, &r, &got) ? (n->gpus ? got.gpus : got.tasks) : 0;
    h->tasks[node] = is;
    h->sum += (uint64_t)is - was;
    h->count += (uint32_t)(is > 0) - (uint32_t)(was > 0);
    if (is)
        bitmap_set(&h->nodes, node);
    else
        bitmap_unset(&h->nodes, node);
}

static bool hope_enough(const struct need *n, const struct hope *h)
{
    return h->count >= n->min_nodes && h->sum >= (n->gpus ? n->gpus : n->tasks);
}

static bool probe(struct sched *s, const struct cluster *c, const struct need *n, const struct hope *h, int64_t at_s,
                  struct pick *out)
{
    if (!hope_enough(n, h) || s->probes >= PROBES_MAX || license_lacks(s, c, n, at_s))
        return false;
    s->probes++;
    return fits_among(s, c, n, &h->nodes, at_s, out);
}

/* A planned start on a node will end: remember when, in order. */
void backfill_ends(struct sched *s, uint32_t node, int64_t at_s)
{
    if (at_s >= FOREVER / 4)
        return;
    struct moment m = { at_s, node };
    size_t at = s->moments.n;
    vec_push(&s->moments, m);
    for (; at > 0 && s->moments.at[at - 1].at_s > at_s; at--)
        s->moments.at[at] = s->moments.at[at - 1];
    s->moments.at[at] = m;
}

static int64_t search(struct sched *s, const struct cluster *c, const struct need *n, struct hope *h, struct pick *out)
{
    const struct moment *more = s->moments.at;
    size_t nmore = s->moments.n, e = 0, m = 0;
    int64_t last = s->now_s + (int64_t)s->conf.bf_window_min * 60;
    int64_t until = n->switch_until_s > s->now_s ? n->switch_until_s : INT64_MAX; /* then any switches will do */
    while ((e < s->ends.n || m < nmore || until < INT64_MAX) && s->probes < PROBES_MAX) {
        int64_t at = e < s->ends.n ? MAX(s->ends.at[e].at_s, s->now_s + 1) : INT64_MAX;
        at = m < nmore ? MIN(at, more[m].at_s) : at;
        at = MIN(at, until);
        until = at == until ? INT64_MAX : until;
        if (at > last)
            return 0;
        for (; e < s->ends.n && s->ends.at[e].at_s <= at; e++)
            for (uint32_t i = 0; i < s->ends.at[e].run->n; i++)
                hope_look(s, c, n, h, s->ends.at[e].run->node[i], at);
        for (; m < nmore && more[m].at_s <= at; m++)
            hope_look(s, c, n, h, more[m].node, at);
        if (probe(s, c, n, h, at, out))
            return at;
    }
    return 0;
}

/* When it could start beside what runs and what is planned; 0 when that cannot be told. */
int64_t backfill_when(struct sched *s, const struct cluster *c, const struct need *n, struct pick *out)
{
    struct hope h = { .tasks = mem_array(MAX(s->nlanes, 1u), sizeof(*h.tasks)) };
    bitmap_each(&s->open, i)
        if (!fit_hopeless(s, n, &s->lane[i].now))
            hope_look(s, c, n, &h, (uint32_t)i, s->now_s);
    int64_t at = hope_enough(n, &h) && fits_free(s, c, n, out) ? s->now_s : search(s, c, n, &h, out);
    free(h.tasks);
    bitmap_clear(&h.nodes);
    return at;
}

/* ---- places kept ---- */

void backfill_keep(struct sched *s, const struct cluster *c, const struct need *n, const struct pick *p, int64_t at_s,
                   uint32_t id)
{
    if (n->req->lic.n)
        license_keep(s, c, n, at_s, id);
    for (size_t i = 0; i < p->at.n; i++) {
        const struct share *sh = &p->at.at[i];
        struct lane *l = &s->lane[sh->node];
        struct room r;
        avail_over(s, n, sh->node, at_s, at_s + need_run_s(n), &r);
        struct use u = { .from_s = at_s,
                         .to_s = at_s + need_run_s(n),
                         .id = id,
                         .resv = need_resv(n),
                         .cpus = MAX(sh->cpus, n->req->mincpus),
                         .exclusive = n->exclusive,
                         .mem_mb = s->conf.by_memory ? sh->mem_mb : 0 };
        if (s->shares) {
            u.held = u.cpus, u.cpus = 0, u.part = n->part, u.uid = n->uid, u.shares = n->shares, u.owner = n->owner;
            u.cores = share_keep(s, n, sh, p->level, at_s);
        }
        give_slots(s, c, n, sh, &r, u.gres);
        vec_push(&l->resv, u);
        vec_push(&s->touched, sh->node);
        backfill_ends(s, sh->node, u.to_s);
    }
}

/* The place that was kept last is given up: a trial that came to nothing. */
void backfill_unkeep(struct sched *s, const struct need *n, const struct pick *p, int64_t at_s, uint32_t id)
{
    if (n->req->lic.n)
        license_unkeep(s, id);
    for (size_t i = p->at.n; i-- > 0;) {
        struct lane *l = &s->lane[p->at.at[i].node];
        if (l->resv.n && l->resv.at[l->resv.n - 1].id == id && s->touched.n) {
            l->resv.n--;
            s->touched.n--;
        }
        for (size_t m = s->moments.n; m-- > 0;)
            if (s->moments.at[m].at_s == at_s + need_run_s(n) && s->moments.at[m].node == p->at.at[i].node) {
                vec_remove(&s->moments, m);
                break;
            }
    }
}

static bool sooner(const struct shape *a, const struct shape *b)
{
    return shape_before(a, a->planned, b, b->planned);
}

static void blocked_down(struct sched *s, size_t i)
{
    struct shape **h = s->blocked.at;
    for (;;) {
        size_t best = i, l = 2 * i + 1;
        if (l < s->blocked.n && sooner(h[l], h[best]))
            best = l;
        if (l + 1 < s->blocked.n && sooner(h[l + 1], h[best]))
            best = l + 1;
        if (best == i)
            return;
        struct shape *t = h[i];
        h[i] = h[best];
        h[best] = t;
        i = best;
    }
}

void backfill_blocked(struct sched *s, struct shape *sh)
{
    if (!s->blocked_known || sh->planned >= sh->rank.n)
        return;
    size_t i = s->blocked.n;
    vec_push(&s->blocked, sh);
    struct shape **h = s->blocked.at;
    for (; i > 0 && sooner(h[i], h[(i - 1) / 2]); i = (i - 1) / 2) {
        struct shape *t = h[i];
        h[i] = h[(i - 1) / 2];
        h[(i - 1) / 2] = t;
    }
}

static void find_blocked(struct sched *s)
{
    if (s->blocked_known)
        return;
    s->blocked.n = 0;
    for (size_t i = 0; i < s->shapes.n; i++)
        if (s->shapes.at[i]->state == SHAPE_BLOCKED && s->shapes.at[i]->planned < s->shapes.at[i]->rank.n)
            vec_push(&s->blocked, s->shapes.at[i]);
    for (size_t i = s->blocked.n / 2; i-- > 0;)
        blocked_down(s, i);
    s->blocked_known = true;
}

/* The top of the heap has its place: its next one, or the next shape. */
static void blocked_next(struct sched *s, struct shape *sh)
{
    if (sh->planned >= sh->rank.n)
        s->blocked.at[0] = s->blocked.at[--s->blocked.n];
    blocked_down(s, 0);
}

/* Does the job, or one more task of the array, want a place? */
static bool wants_place(const struct sched *s, const struct cluster *c, const struct job *j, struct seat *seat)
{
    seat_turn(s, seat);
    bool limited;
    uint32_t left = array_left(s, c, j, seat, &limited);
    return seat->places < MIN(left, (uint32_t)ARRAY_PLACES) && !limit_no_place(s, c, j);
}

/* Keep a place for the job at the top, if it wants one. */
static void reserve_one(struct sched *s, const struct cluster *c, struct shape *sh, struct pick *p)
{
    uint32_t id = rank_id(sh->rank.at[sh->planned]);
    const struct job *j = cluster_job(c, id);
    struct seat *seat = order_seat(s, id);
    if (!seat || !j || !wants_place(s, c, j, seat)) {
        sh->planned++;
        return;
    }
    s->planned++;
    s->hint = NULL;
    seat->places++;
    int64_t at = sh->het ? het_when(s, c, sh, true) : backfill_when(s, c, &sh->need, p);
    if (at && !sh->het)
        backfill_keep(s, c, &sh->need, p, at, id);
    else if (!at)
        sh->planned = sh->rank.n; /* nobody with this shape has a moment that can be told */
}

void backfill_reserve(struct sched *s, const struct cluster *c, uint32_t tier, uint64_t rank)
{
    struct pick p = { 0 };
    find_blocked(s);
    while (s->planned < s->conf.max_planned && s->looks < LOOKS_MAX && s->blocked.n) {
        struct shape *sh = s->blocked.at[0];
        if (!rank_before(sh->tier, sh->rank.at[sh->planned], tier, rank))
            break;
        reserve_one(s, c, sh, &p);
        blocked_next(s, sh);
    }
    vec_clear(&p.at);
}

/* Forget what the last plan wrote. */
void backfill_reset(struct sched *s, const struct cluster *c)
{
    for (size_t i = 0; i < s->touched.n; i++)
        if (s->touched.at[i] < c->nnodes && s->touched.at[i] < s->nlanes)
            lane_refresh(s, c, s->touched.at[i]);
    s->touched.n = s->moments.n = 0;
    licenses_reset(s);
    s->level = LEVEL_ALL;
    if (s->kept.n)
        share_forget(s);
    s->blocked_known = false;
    s->planned = s->probes = s->looks = 0;
}
