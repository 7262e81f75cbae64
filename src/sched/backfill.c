/*
 * backfill - the future, as far as limits tell it: when a blocked job could start, and
 * places kept for those who come first.
 *
 * On a node, what is free grows when a job ends and shrinks only where a planned start
 * begins; so the least that is free over a time is found at its beginning and at the
 * planned starts within it.
 */
#include "sched/sched_priv.h"

#define PROBES_MAX 400     /* full looks at future moments, for one planned start: the same whatever else a plan does */
#define PROBED_MAX 4000000 /* nodes that these look at, per plan */
#define PLENTY 256     /* nodes to choose from */

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
    const struct use *u;
    for (size_t i = 0; (u = plan_use(s, l, &i));)
        if (u->from_s <= at_s && u->to_s > at_s)
            room_subtract(out, u);
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

/* Somebody begins on the node within that time: what is free then is less. */
static void lower_at(const struct sched *s, const struct lane *l, const struct use *u, int64_t from_s, int64_t to_s,
                     struct room *out)
{
    if (u->from_s <= from_s || u->from_s >= to_s)
        return;
    struct room then;
    room_at(s, l, u->from_s, &then);
    room_lower(out, &then);
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
    const struct use *u;
    for (size_t i = 0; out->cpus && (u = plan_use(s, l, &i));)
        lower_at(s, l, u, from_s, to_s, out);
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
    return h->n >= PLENTY && s->one_weight && !n->picky && h->n / 4 >= n->min_nodes && h->tasks / 4 >= n->tasks &&
           h->gpus / 4 >= n->gpus;
}

/* Nodes of `among` that could hold some of it from `at_s` on.  False when not all were looked at. */
static bool gather(const struct sched *s, const struct cluster *c, const struct need *n, const struct bitmap *among,
                   int64_t at_s, bool whole, struct holds *out)
{
    const struct bitmap *a = &n->allowed;
    const struct brief least = need_least(s, n);
    bool now = at_s <= s->now_s;
    for (size_t w = 0; w < a->words && w < among->words; w++) {
        if (!whole && plenty(s, n, out))
            return false;
        for (uint64_t bits = a->word[w] & among->word[w]; bits; bits &= bits - 1) {
            uint32_t i = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits);
            struct room r;
            struct hold h;
            if (i >= s->nlanes || (now && !brief_enough(&s->brief[i], &least)))
                continue;
            if (!avail_over(s, n, i, at_s, at_s + need_run_s(n), &r) || !fit_node(s, c, n, i, &r, &h))
                continue;
            if (now && n->req->cores_per_socket && !give_sockets(s, c, n, i))
                continue;
            if (!near_fits(s, c, n, i, at_s, &r, &h))
                continue;
            out->tasks += h.tasks;
            out->gpus += h.gpus;
            vec_push(out, h);
        }
    }
    if (n->topo_alone)
        out->n = topo_leave_shared(s, c, n, at_s, out->at, out->n);
    return true;
}

/* On these nodes at that moment; and what was seen of them all when it could not. */
static bool fits_seeing(struct sched *s, const struct cluster *c, const struct need *n, const struct bitmap *among,
                        int64_t at_s, struct holds *h, struct pick *out)
{
    s->pick_at_s = at_s;
    bool all = gather(s, c, n, among, at_s, false, h);
    bool found = pick_nodes(s, c, n, h->at, h->n, out);
    if (!found && !all) {
        h->n = 0;
        gather(s, c, n, among, at_s, true, h);
        found = pick_nodes(s, c, n, h->at, h->n, out);
    }
    return found;
}

static bool fits_level(struct sched *s, const struct cluster *c, const struct need *n, const struct bitmap *among,
                       int64_t at_s, struct pick *out)
{
    struct holds h = { 0 };
    bool found = !license_lacks(s, c, n, at_s) && fits_seeing(s, c, n, among, at_s, &h, out);
    vec_clear(&h);
    return found;
}

/* Among the nodes of `among`: could it start at `at_s` and run its time?  Who shares cores takes idle ones first. */
static bool fits_among(struct sched *s, const struct cluster *c, const struct need *n, const struct bitmap *among,
                       int64_t at_s, struct pick *out)
{
    out->level = LEVEL_ALL;
    if (!s->shares || n->levels < 2)
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
    return (n->prefer && feature_preferred(s, c, n, out)) || (n->resv && resv_preferred(s, c, n, out)) ||
           fits_among(s, c, n, &s->open, s->now_s, out);
}

bool fits_shape(struct sched *s, const struct cluster *c, struct shape *sh, struct pick *out)
{
    const struct need *n = &sh->need;
    struct holds h = { 0 };
    if (!hope_may(s, sh))
        return fits_free(s, c, n, out);
    out->level = LEVEL_ALL;
    bool found = (n->prefer && feature_preferred(s, c, n, out)) || fits_seeing(s, c, n, &s->open, s->now_s, &h, out);
    if (!found)
        hope_learn(sh, h.at, h.n);
    vec_clear(&h);
    return found;
}

bool backfill_fits_at(struct sched *s, const struct cluster *c, const struct need *n, int64_t at_s, struct pick *out)
{
    return fits_among(s, c, n, &n->allowed, at_s, out);
}

bool fits_node(struct sched *s, const struct cluster *c, const struct need *n, uint32_t node, struct pick *out)
{
    struct room r;
    struct hold h;
    out->preferred = false;
    if (license_lacks(s, c, n, s->now_s))
        return false;
    return avail_over(s, n, node, s->now_s, s->now_s + need_run_s(n), &r) && fit_node(s, c, n, node, &r, &h) &&
           (!n->req->cores_per_socket || give_sockets(s, c, n, node)) && near_fits(s, c, n, node, s->now_s, &r, &h) &&
           pick_alone(s, c, n, &h, out);
}

/* ---- the next moment at which it could start ---- */

/*
 * Outlook: how much of the job each node could hold at a moment, were no planned start to
 * come after it.  They are looked at again where something ends, so they are never too low:
 * they tell cheaply when a full look is worth it, and at which nodes.
 */
struct outlook {
    uint32_t *tasks;     /* by node */
    struct brief *most;  /* by node: free at the moment, at most; the places that count are not taken off */
    struct brief least;  /* less on a node is no use */
    struct bitmap nodes; /* where there is any */
    uint64_t sum;
    uint32_t count;
};

/* More room on the node cannot make it hold more of the job. */
static bool outlook_full(const struct need *n, const struct outlook *o, uint32_t node)
{
    if (n->gpus || (n->tasks && !n->per_node))
        return o->tasks[node] >= (n->gpus ? n->gpus : n->tasks);
    return o->tasks[node] > 0;
}

static void outlook_look(struct sched *s, const struct cluster *c, const struct need *n, struct outlook *o,
                         uint32_t node, int64_t at_s)
{
    const struct lane *l = &s->lane[node];
    if (!l->usable || !bitmap_has(&n->allowed, node))
        return;
    struct room r;
    struct hold got;
    s->looks++;
    bool open = true;
    if (l->blocks.n || n->resv) /* what they keep from it they keep until a turn ends */
        open = avail_over(s, n, node, at_s, at_s + need_run_s(n), &r);
    else
        room_at(s, l, at_s, &r), room_for(s, n, node, at_s, at_s, &r);
    uint32_t was = o->tasks[node], is = open && fit_node(s, c, n, node, &r, &got) ? (n->gpus ? got.gpus : got.tasks) : 0;
    o->tasks[node] = is;
    o->sum += (uint64_t)is - was;
    o->count += (uint32_t)(is > 0) - (uint32_t)(was > 0);
    if (is)
        bitmap_set(&o->nodes, node);
    else
        bitmap_unset(&o->nodes, node);
}

/* Something ends on the node: look at it when that may matter. */
static inline void outlook_gain(struct sched *s, const struct cluster *c, const struct need *n, struct outlook *o,
                                uint32_t node, const struct brief *gives, int64_t at_s)
{
    brief_add(&o->most[node], gives);
    if (brief_enough(&o->most[node], &o->least) && !outlook_full(n, o, node))
        outlook_look(s, c, n, o, node, at_s);
}

static bool outlook_enough(const struct need *n, const struct outlook *h)
{
    return h->count >= n->min_nodes && h->sum >= (n->gpus ? n->gpus : n->tasks);
}

/* Much more than is needed: when very many end in one moment not all of them need be looked at. */
static bool outlook_plenty(const struct sched *s, const struct need *n, const struct outlook *o)
{
    return o->count >= PLENTY && s->one_weight && !n->picky && o->count / 4 >= n->min_nodes &&
           o->sum / 4 >= (n->gpus ? n->gpus : n->tasks);
}

static bool probe(struct sched *s, const struct cluster *c, const struct need *n, const struct outlook *h, int64_t at_s,
                  struct pick *out)
{
    if (!outlook_enough(n, h) || s->probes >= PROBES_MAX || license_lacks(s, c, n, at_s))
        return false;
    s->probes = s->probed < PROBED_MAX ? s->probes + 1 : PROBES_MAX;
    s->probed += h->count;
    return fits_among(s, c, n, &h->nodes, at_s, out);
}

static void add_moment(struct sched *s, const struct moment *m)
{
    vec_push(&s->moments, *m);
    s->moments_sorted = false;
}

void backfill_ends(struct sched *s, uint32_t node, int64_t at_s)
{
    add_moment(s, &(struct moment){ .at_s = at_s, .node = node });
}

void backfill_gives(struct sched *s, uint32_t node, const struct use *u)
{
    add_moment(s, &(struct moment){ u->to_s, node, use_brief(u) });
}

static int by_moment(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;
    if (x->at_s != y->at_s)
        return x->at_s < y->at_s ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* When the places that count will end, soonest first. */
struct moments {
    struct moment *at;
    size_t n, cap;
};

static void place_moments(const struct sched *s, struct moments *out)
{
    for (size_t i = 0; i < s->planned && i < s->places.n; i++)
        for (size_t k = 0; k < s->places.at[i]->laid.n; k++) {
            const struct laid *l = &s->places.at[i]->laid.at[k];
            vec_push(out, ((struct moment){ l->use.to_s, l->node, { 0 } }));
        }
    if (out->n)
        qsort(out->at, out->n, sizeof(*out->at), by_moment);
}

static void look_at_moments(struct sched *s, const struct cluster *c, const struct need *n, struct outlook *o,
                            const struct moments *m, size_t *next, int64_t at_s)
{
    for (; *next < m->n && m->at[*next].at_s <= at_s; ++*next)
        outlook_gain(s, c, n, o, m->at[*next].node, &m->at[*next].gives, at_s);
}

/* Nodes of a reservation may be open to others from now on, or to its own. */
static void look_at_turn(struct sched *s, const struct cluster *c, const struct need *n, struct outlook *o,
                         const struct resv *r, int64_t at_s)
{
    bitmap_each (&r->nodes, i)
        if (i < s->nlanes)
            outlook_gain(s, c, n, o, (uint32_t)i, &(struct brief){ 0 }, at_s);
}

static int64_t search(struct sched *s, const struct cluster *c, const struct need *n, struct outlook *o,
                      const struct moments *kept, struct pick *out)
{
    const struct moments more = { .at = s->moments.at, .n = s->moments.n };
    size_t m = 0, k = 0, turn = 0;
    struct ends_pos pos = ends_from(&s->ends, INT64_MIN);
    const struct end *e = ends_get(&s->ends, &pos);
    int64_t last = s->now_s + (int64_t)s->conf.bf_window_min * 60;
    int64_t until = n->switch_until_s > s->now_s ? n->switch_until_s : INT64_MAX; /* then any switches will do */
    while ((e || m < more.n || k < kept->n || turn < s->turns.n || until < INT64_MAX) && s->probes < PROBES_MAX) {
        int64_t at = e ? e->at_s : INT64_MAX;
        at = m < more.n ? MIN(at, more.at[m].at_s) : at;
        at = k < kept->n ? MIN(at, kept->at[k].at_s) : at;
        at = turn < s->turns.n ? MIN(at, s->turns.at[turn].at_s) : at;
        at = MAX(MIN(at, until), s->now_s + 1);
        until = at == until ? INT64_MAX : until;
        bool seen = false;
        if (at > last)
            return 0;
        for (; e && e->at_s <= at; pos.i++, e = ends_get(&s->ends, &pos)) {
            outlook_gain(s, c, n, o, e->node, &e->gives, at);
            if (!seen && outlook_plenty(s, n, o)) {
                seen = true;
                if (probe(s, c, n, o, at, out))
                    return at;
            }
        }
        look_at_moments(s, c, n, o, &more, &m, at);
        look_at_moments(s, c, n, o, kept, &k, at);
        for (; turn < s->turns.n && s->turns.at[turn].at_s <= at; turn++)
            look_at_turn(s, c, n, o, s->turns.at[turn].resv, at);
        if (probe(s, c, n, o, at, out))
            return at;
    }
    return 0;
}

/* When it could start beside what runs and what is planned; 0 when that cannot be told. */
int64_t backfill_when(struct sched *s, const struct cluster *c, const struct need *n, struct pick *out)
{
    struct outlook o = { .tasks = mem_array(MAX(s->nlanes, 1u), sizeof(*o.tasks)),
                         .most = mem_array(MAX(s->nlanes, 1u), sizeof(*o.most)),
                         .least = need_least(s, n) };
    memcpy(o.most, s->brief, s->nlanes * sizeof(*o.most));
    struct moments kept = { 0 };
    s->probes = 0;
    if (!s->moments_sorted && s->moments.n)
        qsort(s->moments.at, s->moments.n, sizeof(*s->moments.at), by_moment);
    s->moments_sorted = true;
    place_moments(s, &kept);
    bitmap_each (&s->open, i)
        if (brief_enough(&s->brief[i], &o.least))
            outlook_look(s, c, n, &o, (uint32_t)i, s->now_s);
    int64_t at = outlook_enough(n, &o) && fits_free(s, c, n, out) ? s->now_s : search(s, c, n, &o, &kept, out);
    free(o.tasks);
    free(o.most);
    bitmap_clear(&o.nodes);
    vec_clear(&kept);
    return at;
}

/* ---- places kept ---- */

void backfill_keep(struct sched *s, const struct cluster *c, const struct need *n, const struct pick *p, int64_t at_s,
                   uint32_t id)
{
    if (n->req->lic.n)
        license_keep(s, c, n, at_s, id);
    if (n->topo_alone) {
        auto_bitmap struct bitmap own = BITMAP_INIT;
        for (size_t i = 0; i < p->at.n; i++)
            bitmap_set(&own, p->at.at[i].node);
        topo_shade_plan(s, c, n, &own, at_s, id);
    }
    for (size_t i = 0; i < p->at.n; i++) {
        const struct share *sh = &p->at.at[i];
        struct lane *l = &s->lane[sh->node];
        struct room r;
        avail_over(s, n, sh->node, at_s, at_s + need_run_s(n), &r);
        struct use u = { .from_s = at_s,
                         .to_s = at_s + need_run_s(n),
                         .id = id,
                         .resv = need_resv(n),
                         .cpus = MAX(s->conf.by_core ? sh->cpus : fit_cores(s, n, sh->node, sh->cpus) * l->cpc,
                                     n->req->mincpus),
                         .exclusive = n->exclusive || (n->near && near_matters(s, n, &c->node[sh->node])),
                         .mem_mb = s->conf.by_memory ? sh->mem_mb : 0 };
        if (s->shares) {
            u.held = u.cpus, u.cpus = 0, u.part = n->part, u.uid = n->uid, u.shares = n->shares, u.owner = n->owner;
            u.qos = n->qos;
            u.cores = share_keep(s, n, sh, p->level, at_s);
        }
        give_slots(s, c, n, sh, &r, u.gres);
        vec_push(&l->resv, u);
        vec_push(&s->touched, sh->node);
        backfill_ends(s, sh->node, u.to_s);
    }
}

/* What a trial wrote last to this node is there no more; false when that was somebody else's. */
static bool untry(struct sched *s, uint32_t node, uint32_t id, int64_t to_s)
{
    struct lane *l = &s->lane[node];
    if (!l->resv.n || l->resv.at[l->resv.n - 1].id != id || !s->touched.n)
        return false;
    l->resv.n--;
    s->touched.n--;
    for (size_t m = s->moments.n; m-- > 0;)
        if (s->moments.at[m].at_s == to_s && s->moments.at[m].node == node) {
            vec_remove(&s->moments, m);
            break;
        }
    return true;
}

/* The place that was kept last is given up: a trial that came to nothing. */
void backfill_unkeep(struct sched *s, const struct need *n, const struct pick *p, int64_t at_s, uint32_t id)
{
    int64_t to_s = at_s + need_run_s(n);
    if (n->req->lic.n)
        license_unkeep(s, id);
    for (size_t i = p->at.n; i-- > 0;)
        untry(s, p->at.at[i].node, id, to_s);
    while (n->topo_alone && s->touched.n && untry(s, s->touched.at[s->touched.n - 1], id, to_s))
        ; /* the shades of its blocks came before its own nodes */
}

/* What a start took that did not happen is there again. */
static void reread(struct sched *s, const struct cluster *c, uint32_t node)
{
    struct room was = s->lane[node].now;
    lane_refresh(s, c, node);
    const struct room *is = &s->lane[node].now;
    bool more = is->cpus > was.cpus || is->mem_mb > was.mem_mb || is->jobs < was.jobs || is->exclusive < was.exclusive;
    for (uint32_t g = 0; g < GRES_MAX; g++)
        more |= is->gres[g] > was.gres[g];
    s->gives += more;
    if (more)
        lane_gained(s, node);
}

/* Forget what the last plan wrote. */
void backfill_reset(struct sched *s, const struct cluster *c)
{
    for (size_t i = 0; i < s->touched.n; i++)
        if (s->touched.at[i] < c->nnodes && s->touched.at[i] < s->nlanes)
            reread(s, c, s->touched.at[i]);
    s->touched.n = s->moments.n = 0;
    licenses_reset(s);
    s->level = LEVEL_ALL;
    if (s->kept.n)
        share_forget(s);
    s->blocked_known = false;
    s->planned = s->looks = 0;
    s->probed = s->promises = 0;
    s->walk++;
}
