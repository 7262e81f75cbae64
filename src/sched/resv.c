/*
 * resv - what reservations leave to whom, now and at any moment to come.
 *
 * A lane has a block for each reservation that keeps some of its node.  For somebody outside, a block of whole nodes
 * closes the node while it lasts; one of cores or devices takes them away, less what the reservation's own jobs hold
 * already.  For somebody inside, a block of cores is all there is.  A cluster without reservations has no blocks, and
 * pays for one look at an empty list.
 */
#include "base/str.h"
#include "core/pbutil.h"
#include "sched/sched_priv.h"

#define BLOCKS_FEW 8   /* on one node */
#define TURNS_SHOWN 16 /* turns of one that repeats at which something may begin */

/* ---- blocks ---- */

static void block_free(struct block *b)
{
    bitmap_clear(&b->cores);
}

void resv_blocks_clear(struct lane *l)
{
    for (size_t i = 0; i < l->blocks.n; i++)
        block_free(&l->blocks.at[i]);
    vec_clear(&l->blocks);
}

static void read_gres(const struct node *node, const Pb__ResvNode *rn, struct block *b)
{
    for (size_t g = 0; g < rn->n_gres; g++)
        for (uint32_t i = 0; i < node->ngres && i < GRES_MAX; i++)
            if (str_eq(node->gres[i].name, rn->gres[g]->name) &&
                (str_empty(rn->gres[g]->type) || str_eq(node->gres[i].type, rn->gres[g]->type))) {
                b->gres[i] += rn->gres[g]->count;
                break;
            }
}

static void add_blocks(struct sched *s, const struct cluster *c, const struct resv *r)
{
    for (size_t i = 0; i < r->pb->n_node; i++) {
        const Pb__ResvNode *rn = r->pb->node[i];
        if (rn->node >= s->nlanes)
            continue;
        struct block b = { .resv = r, .whole = !rn->cpus && !rn->n_gres, .cpus = rn->cpus };
        pb_to_bitmap(&b.cores, &rn->cores);
        read_gres(&c->node[rn->node], rn, &b);
        vec_push(&s->lane[rn->node].blocks, b);
    }
}

void resv_sync(struct sched *s, const struct cluster *c)
{
    for (size_t i = 0; s->nresv && i < s->nlanes; i++)
        resv_blocks_clear(&s->lane[i]);
    bool magnetic = false;
    for (size_t i = 0; i < c->resv.n; i++) {
        add_blocks(s, c, c->resv.at[i]);
        magnetic |= resv_has(c->resv.at[i], RESV_MAGNETIC);
    }
    s->drawing = magnetic || s->magnetic;
    s->magnetic = magnetic;
    s->nresv = c->resv.n;
}


/* ---- when ---- */

/* Something may begin where a turn begins, for those inside, and where it ends, for all others. */
static void turn_moments(struct sched *s, const struct resv *r, int64_t last_s)
{
    int64_t from, to;
    resv_span(r->pb, s->now_s, &from, &to);
    for (int i = 0; from && from <= last_s && i < TURNS_SHOWN; i++) {
        int64_t length = to - from;
        if (from > s->now_s)
            vec_push(&s->turns, ((struct turn){ from, r }));
        if (to > s->now_s && to <= last_s)
            vec_push(&s->turns, ((struct turn){ to, r }));
        from = resv_next(r->pb->flags, from);
        to = from + length;
    }
}

static void keep_licenses(struct sched *s, const struct cluster *c, const struct resv *r)
{
    int64_t from, to;
    auto_license struct license_list w = LICENSE_INIT;
    if (str_empty(r->pb->licenses) || license_parse(r->pb->licenses, &w, NULL))
        return;
    resv_span(r->pb, s->now_s, &from, &to);
    for (int turn = 0; from && turn < TURNS_SHOWN; turn++) {
        int64_t length = to - from;
        for (size_t i = 0; i < w.n; i++)
            license_reserve(s, c, w.at[i].name, w.at[i].count, from, to, r->pb->id);
        from = resv_next(r->pb->flags, from);
        to = from + length;
    }
}

static int by_turn(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;
    return x->at_s < y->at_s ? -1 : x->at_s > y->at_s;
}

void resv_plan(struct sched *s, const struct cluster *c)
{
    s->turns.n = 0;
    license_unreserve(s);
    for (size_t i = 0; i < c->resv.n; i++) {
        turn_moments(s, c->resv.at[i], s->now_s + (int64_t)s->conf.bf_window_min * 60);
        keep_licenses(s, c, c->resv.at[i]);
    }
    if (s->turns.n)
        qsort(s->turns.at, s->turns.n, sizeof(*s->turns.at), by_turn);
}

/* ---- who stands in which ---- */

const struct resv *resv_of(const struct cluster *c, const char *names)
{
    const struct resv *r = NULL;
    const char *pos = names;
    for (char *name; !r && (name = str_next(&pos, ",")); free(name))
        r = cluster_resv_named(c, name);
    return r;
}

bool resv_mine(const struct sched *s, const struct resv *r, const struct job *j, const struct part *p)
{
    const struct resv_who who = { j->uid, j->spec->account, j->spec->qos, p->pb->name };
    return resv_admits(r, &who) || (j->spec->req.reservation && j->uid == s->conf.admin_uid);
}

/* Those it names in the order they were made, as Slurm tries them. */
size_t resv_choices(const struct sched *s, const struct cluster *c, const struct job *j, const struct part *p,
                    struct resv_choice out[static RESV_CHOICES])
{
    size_t n = 0;
    const char *names = j->spec->req.reservation;
    for (size_t i = 0; (names || s->magnetic) && i < c->resv.n && n < RESV_CHOICES - 1; i++) {
        const struct resv *r = c->resv.at[i];
        if ((names ? str_in_list(names, r->pb->name) : resv_has(r, RESV_MAGNETIC)) && resv_mine(s, r, j, p))
            out[n++] = (struct resv_choice){ r, !names };
    }
    if (!names)
        out[n++] = (struct resv_choice){ NULL, false };
    return n;
}

void resv_narrow(struct need *n)
{
    if (!resv_has(n->resv, RESV_FLEX) && !bitmap_none(&n->resv->nodes))
        bitmap_and(&n->allowed, &n->resv->nodes);
}

void resv_need(struct need *n, const struct cluster *c)
{
    n->resv = n->req->reservation ? resv_of(c, n->req->reservation) : NULL;
    if (n->resv)
        resv_narrow(n);
}

enum why_code resv_barred(const struct need *n)
{
    if (!n->req->reservation)
        return WHY_NONE;
    return n->resv && (n->resv->pb->active || resv_has(n->resv, RESV_FLEX)) ? WHY_NONE : WHY_RESERVATION;
}

/* ---- what is left ---- */

bool resv_lets_by(const struct resv *r, const struct req *q)
{
    return q->gives_way && r->pb->max_start_delay_s && q->gives_way - 1 <= r->pb->max_start_delay_s;
}

/* Its time has come, and somebody waits in it. */
static bool wanted(const struct sched *s, const struct resv *r)
{
    for (size_t i = 0; r->pb->active && i < s->shapes.n; i++)
        if (s->shapes.at[i]->need.resv == r && shape_count(s->shapes.at[i]))
            return true;
    return false;
}

/* May somebody with this need use what `r` keeps of this node? */
static bool passes(const struct sched *s, const struct resv *r, const struct need *n, uint32_t node)
{
    const struct resv *own = n->resv;
    if (!own && resv_lets_by(r, n->req) && !wanted(s, r))
        return true;
    if (!own || r == own || resv_has(own, RESV_MAINT))
        return own != NULL;
    if (!resv_has(own, RESV_OVERLAP) || resv_has(r, RESV_MAINT))
        return false;
    return bitmap_has(&own->nodes, node) || bitmap_none(&own->nodes);
}

/* The time of its own reservation: begun there, and over with it where nobody asked for it by name. */
static bool in_time(const struct sched *s, const struct need *n, int64_t from_s, int64_t to_s)
{
    int64_t turn[2];
    if (!n->resv || resv_has(n->resv, RESV_FLEX))
        return true;
    return resv_hits(n->resv->pb, s->now_s, from_s, from_s + 1, turn) && (!n->drawn || to_s <= turn[1]);
}

static void hold_more(struct use *sum, const struct use *u)
{
    sum->cpus += u->cpus + u->held;
    for (uint32_t g = 0; g < GRES_MAX; g++)
        sum->gres[g] += u->gres[g];
}

/* What its own jobs hold of a node at a moment. */
static struct use held_by(const struct sched *s, const struct lane *l, const struct resv *r, int64_t at_s)
{
    struct use sum = { 0 };
    const struct use *u;
    for (size_t k = 0; k < l->runs.n; k++)
        if (l->runs.at[k].resv == r->pb->id && (at_s <= s->now_s || l->runs.at[k].to_s > at_s))
            hold_more(&sum, &l->runs.at[k]);
    for (size_t k = 0; (u = plan_use(s, l, &k));)
        if (u->resv == r->pb->id && u->from_s <= MAX(at_s, s->now_s) && u->to_s > at_s)
            hold_more(&sum, u);
    return sum;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a - MIN(a, b);
}

/* How a need sees the blocks of a node throughout a time. */
struct view {
    const struct sched *s;
    const struct need *n;
    uint32_t node;
    const struct block *own; /* part of the node that is all there is for it; NULL: no such */
    int64_t (*hits)[2];      /* for each block: from when to when it counts */
    struct bitmap off;       /* cores that are others' at some moment of it */
};

/* Devices of others, less what their jobs hold. */
static void keep_gres(const struct view *v, const struct block *b, int64_t at_s, struct room *r)
{
    struct use held = held_by(v->s, &v->s->lane[v->node], b->resv, at_s);
    for (uint32_t g = 0; g < GRES_MAX; g++)
        r->gres[g] = less(r->gres[g], less(b->gres[g], resv_has(b->resv, RESV_FLEX) ? 0 : held.gres[g]));
}

/*
 * Where cores have no names: a start must find enough that are nobody else's from its beginning to its end, and blocks
 * of different times count together.
 */
static void keep_cores(const struct view *v, int64_t at_s, struct room *r)
{
    const struct lane *l = &v->s->lane[v->node];
    uint64_t kept = (uint64_t)bitmap_count(&v->off) * l->cpc, held = 0;
    for (size_t i = 0; kept && i < l->blocks.n; i++) /* jobs of a FLEX one may be on other cores than its own */
        if (v->hits[i][0] < v->hits[i][1] && !resv_has(l->blocks.at[i].resv, RESV_FLEX))
            held += held_by(v->s, l, l->blocks.at[i].resv, at_s).cpus;
    r->cpus = (uint32_t)less(r->cpus, less(kept, held));
}

/* There is no more than the block. */
static void keep_own(const struct view *v, int64_t at_s, struct room *r)
{
    const struct block *b = v->own;
    struct use held = held_by(v->s, &v->s->lane[v->node], b->resv, at_s);
    if (b->cpus)
        r->cpus = (uint32_t)MIN(r->cpus, less(b->cpus, held.cpus));
    for (uint32_t g = 0; g < GRES_MAX; g++)
        if (b->gres[g])
            r->gres[g] = MIN(r->gres[g], less(b->gres[g], held.gres[g]));
}

/* Are its jobs on cores that are out of reach anyway?  Those of a FLEX one may be elsewhere. */
static bool stays_inside(const struct view *v, uint32_t resv)
{
    const struct lane *l = &v->s->lane[v->node];
    for (size_t i = 0; resv && i < l->blocks.n; i++) {
        const struct resv *r = l->blocks.at[i].resv;
        if (r->pb->id == resv && v->hits[i][0] < v->hits[i][1] && l->blocks.at[i].cpus && !resv_has(r, RESV_FLEX))
            return true;
    }
    return false;
}

/* Cores that are given at a moment, and CPUs of planned starts, whose cores have no names yet. */
static uint32_t cores_taken(const struct view *v, int64_t at_s, struct bitmap *busy)
{
    const struct lane *l = &v->s->lane[v->node];
    const struct use *u;
    uint32_t unnamed = 0;
    for (size_t k = 0; k < l->runs.n; k++)
        if (l->runs.at[k].to_s > at_s && l->runs.at[k].cores)
            bitmap_or(busy, l->runs.at[k].cores);
    for (size_t k = 0; (u = plan_use(v->s, l, &k));) {
        if (u->from_s > at_s || u->to_s <= at_s)
            continue;
        if (u->cores)
            bitmap_or(busy, u->cores);
        else if (v->own ? u->resv == v->own->resv->pb->id : !stays_inside(v, u->resv))
            unnamed += u->cpus;
    }
    return unnamed;
}

/* Cores that it could have, one by one. */
static uint32_t cores_free(const struct view *v, int64_t at_s)
{
    const struct lane *l = &v->s->lane[v->node];
    const struct node *node = &v->s->seen->node[v->node];
    bool all = !l->spec || v->n->req->core_spec; /* who says how many are left to the system says so for itself */
    auto_bitmap struct bitmap busy = BITMAP_INIT;
    uint32_t n = 0, unnamed = 0;
    if (at_s > v->s->now_s)
        unnamed = cores_taken(v, at_s, &busy);
    for (uint32_t i = 0; i < l->ncores; i++) {
        bool given = at_s > v->s->now_s ? bitmap_has(&busy, i)
                                        : bitmap_has(&node->cores_used, i) || bitmap_has(&l->cores, i);
        n += !given && !bitmap_has(&v->off, i) && (all || !bitmap_has(&l->off, i)) &&
             (!v->own || !v->own->cpus || bitmap_has(&v->own->cores, i));
    }
    return (uint32_t)less(n * l->cpc, unnamed);
}

static void room_then(const struct view *v, int64_t at_s, struct room *out)
{
    const struct lane *l = &v->s->lane[v->node];
    room_at(v->s, l, at_s, out);
    for (size_t i = 0; i < l->blocks.n; i++)
        if (v->hits[i][0] <= at_s && at_s < v->hits[i][1])
            keep_gres(v, &l->blocks.at[i], at_s, out);
    bool named = l->named && !v->s->shares;
    if (!named)
        keep_cores(v, at_s, out);
    if (v->own)
        keep_own(v, at_s, out);
    if (named && (v->own || !bitmap_none(&v->off)))
        out->cpus = MIN(out->cpus, cores_free(v, at_s));
}

/* Who says how many cores are left to the system may want more than the block has: it is of those that jobs get. */
static bool spec_exceeds(const struct need *n, const struct node *node, const struct block *b)
{
    return n->req->core_spec && b->cpus && spec_cpus(n, node) > b->cpus;
}

/* What each block means in [from_s, to_s); false when one closes the node to this need. */
static bool look(struct view *v, int64_t from_s, int64_t to_s)
{
    const struct lane *l = &v->s->lane[v->node];
    for (size_t i = 0; i < l->blocks.n; i++) {
        const struct block *b = &l->blocks.at[i];
        v->hits[i][0] = v->hits[i][1] = INT64_MAX;
        if (b->resv == v->n->resv && !b->whole && !resv_has(b->resv, RESV_FLEX))
            v->own = b;
        if (passes(v->s, b->resv, v->n, v->node) || !resv_hits(b->resv->pb, v->s->now_s, from_s, to_s, v->hits[i]))
            continue;
        if (b->whole || v->n->exclusive)
            return false;
        bitmap_or(&v->off, &b->cores);
        if (b->resv->pb->flags & RESV_REPEATS)
            v->hits[i][1] = INT64_MAX; /* the pauses in between are not looked at */
    }
    return !v->own || !spec_exceeds(v->n, &v->s->seen->node[v->node], v->own);
}

static void lower_then(const struct view *v, int64_t at_s, struct room *out)
{
    struct room then;
    room_then(v, at_s, &then);
    room_lower(out, &then);
}

/* The least of all moments at which somebody begins. */
static void lowest(const struct view *v, int64_t from_s, int64_t to_s, struct room *out)
{
    const struct lane *l = &v->s->lane[v->node];
    const struct use *u;
    room_then(v, from_s, out);
    for (size_t k = 0; out->cpus && (u = plan_use(v->s, l, &k));)
        if (u->from_s > from_s && u->from_s < to_s)
            lower_then(v, u->from_s, out);
    for (size_t k = 0; out->cpus && k < l->blocks.n; k++)
        if (v->hits[k][0] > from_s && v->hits[k][0] < to_s)
            lower_then(v, v->hits[k][0], out);
}

bool resv_avail(const struct sched *s, const struct need *n, uint32_t node, int64_t from_s, int64_t to_s,
                struct room *out)
{
    if (!in_time(s, n, from_s, to_s))
        return false;
    int64_t few[BLOCKS_FEW][2];
    size_t blocks = s->lane[node].blocks.n;
    struct view v = { .s = s, .n = n, .node = node, .hits = few };
    if (blocks > BLOCKS_FEW)
        v.hits = mem_array(blocks, sizeof(*v.hits));
    bool open = look(&v, from_s, to_s);
    if (open)
        lowest(&v, from_s, to_s, out);
    bitmap_clear(&v.off);
    if (v.hits != few)
        free(v.hits);
    return open && out->cpus > 0;
}

bool resv_preferred(struct sched *s, const struct cluster *c, const struct need *n, struct pick *out)
{
    if (n->narrowed || !resv_has(n->resv, RESV_FLEX) || bitmap_none(&n->resv->nodes))
        return false;
    struct need m = *n;
    auto_bitmap struct bitmap inside = BITMAP_INIT, all = BITMAP_INIT;
    bitmap_copy(&inside, &n->allowed);
    bitmap_and(&inside, &n->resv->nodes);
    m.narrowed = true;
    m.allowed = inside;
    if (bitmap_none(&inside) || fits_free(s, c, &m, out))
        return !bitmap_none(&inside);
    bitmap_copy(&all, &n->required);
    bitmap_or(&all, &inside);
    m.allowed = n->allowed;
    m.required = all;
    return bitmap_count(&all) <= n->min_nodes && fits_free(s, c, &m, out);
}

bool resv_closed(const struct sched *s, const struct need *n, uint32_t node)
{
    const struct lane *l = &s->lane[node];
    int64_t to_s = s->now_s + need_run_s(n), turn[2];
    if (n->resv && !in_time(s, n, s->now_s, to_s))
        return true;
    for (size_t i = 0; i < l->blocks.n; i++) {
        const struct block *b = &l->blocks.at[i];
        bool mine = b->whole && passes(s, b->resv, n, node);
        if (!mine && resv_hits(b->resv->pb, s->now_s, s->now_s, to_s, turn))
            return true;
    }
    return false;
}

void resv_cap(const struct need *n, const struct node *node, const struct lane *l, struct room *r)
{
    for (size_t i = 0; i < l->blocks.n; i++) {
        const struct block *b = &l->blocks.at[i];
        if (b->resv != n->resv || b->whole || resv_has(b->resv, RESV_FLEX))
            continue;
        if (b->cpus)
            r->cpus = spec_exceeds(n, node, b) ? 0 : MIN(r->cpus, b->cpus);
        for (uint32_t g = 0; g < GRES_MAX; g++)
            if (b->gres[g])
                r->gres[g] = MIN(r->gres[g], b->gres[g]);
    }
}

/* ---- which cores ---- */

void resv_cores_off(const struct sched *s, const struct need *n, uint32_t node, int64_t from_s, int64_t to_s,
                    struct bitmap *off)
{
    const struct lane *l = &s->lane[node];
    int64_t turn[2];
    for (size_t i = 0; i < l->blocks.n; i++) {
        const struct block *b = &l->blocks.at[i];
        if (b->whole || bitmap_none(&b->cores) || (b->resv == n->resv && resv_has(b->resv, RESV_FLEX)))
            continue;
        if (b->resv == n->resv) {
            auto_bitmap struct bitmap others = BITMAP_INIT;
            bitmap_set_range(&others, 0, l->ncores);
            bitmap_minus(&others, &b->cores);
            bitmap_or(off, &others);
        } else if (!passes(s, b->resv, n, node) &&
                   resv_hits(b->resv->pb, s->now_s, from_s, to_s, turn)) {
            bitmap_or(off, &b->cores);
        }
    }
}
