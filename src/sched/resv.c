/*
 * resv - what reservations leave free for which jobs, now and at any later time.
 *
 * A node profile has a claim for each reservation that keeps a part of the node.  For a job outside, a claim on the
 * whole node closes the node while it lasts; a claim on cores or devices takes them away, less what the reservation's
 * own jobs already hold.  For a job inside, a claim on cores is all there is.  A cluster without reservations has no
 * claims, and pays for one test of an empty list.
 */
#include "base/str.h"
#include "core/pbutil.h"
#include "sched/fit.h"
#include "sched/license.h"
#include "sched/need.h"
#include "sched/profile.h"
#include "sched/queue.h"
#include "sched/resv_claim.h"

#define CLAIMS_FEW 8   /* claims on one node without an allocation */
#define PERIODS_MAX 16 /* periods of a repeating reservation that are looked at */

/* ---- claims ---- */

static void claim_free(struct resv_claim *b)
{
    bitmap_clear(&b->cores);
}

void resv_claims_clear(struct node_profile *prof)
{
    for (size_t i = 0; i < prof->claims.n; i++)
        claim_free(&prof->claims.at[i]);
    vec_clear(&prof->claims);
}

static void claim_read_gres(const struct node *node, const Pb__ResvNode *rn, struct resv_claim *b)
{
    for (size_t g = 0; g < rn->n_gres; g++)
        for (uint32_t i = 0; i < node->ngres && i < GRES_MAX; i++)
            if (str_eq(node->gres[i].name, rn->gres[g]->name) &&
                (str_empty(rn->gres[g]->type) || str_eq(node->gres[i].type, rn->gres[g]->type))) {
                b->gres[i] += rn->gres[g]->count;
                break;
            }
}

static void resv_add_claims(struct sched *s, const struct cluster *c, const struct resv *r)
{
    for (size_t i = 0; i < r->pb->n_node; i++) {
        const Pb__ResvNode *rn = r->pb->node[i];
        if (rn->node >= s->nprofiles)
            continue;
        struct resv_claim b = { .resv = r, .whole = !rn->cpus && !rn->n_gres, .cpus = rn->cpus };
        pb_to_bitmap(&b.cores, &rn->cores);
        claim_read_gres(&c->node[rn->node], rn, &b);
        vec_push(&s->profile[rn->node].claims, b);
    }
}

void resv_sync(struct sched *s, const struct cluster *c)
{
    for (size_t i = 0; s->nresv && i < s->nprofiles; i++)
        resv_claims_clear(&s->profile[i]);
    bool magnetic = false;
    for (size_t i = 0; i < c->resv.n; i++) {
        resv_add_claims(s, c, c->resv.at[i]);
        magnetic |= resv_has(c->resv.at[i], RESV_MAGNETIC);
    }
    s->had_magnetic = magnetic || s->magnetic;
    s->magnetic = magnetic;
    s->nresv = c->resv.n;
}

/* ---- periods ---- */

/* A job may become able to start where a period begins, inside, and where it ends, outside. */
static void resv_add_boundaries(struct sched *s, const struct resv *r, int64_t last_s)
{
    int64_t from, to;
    resv_span(r->pb, s->now_s, &from, &to);
    for (int i = 0; from && from <= last_s && i < PERIODS_MAX; i++) {
        int64_t length = to - from;
        if (from > s->now_s)
            vec_push(&s->resv_boundaries, ((struct resv_boundary){ from, r }));
        if (to > s->now_s && to <= last_s)
            vec_push(&s->resv_boundaries, ((struct resv_boundary){ to, r }));
        from = resv_next(r->pb->flags, from);
        to = from + length;
    }
}

static void resv_add_licenses(struct sched *s, const struct cluster *c, const struct resv *r)
{
    int64_t from, to;
    auto_license struct license_list w = LICENSE_INIT;
    if (str_empty(r->pb->licenses) || license_parse(r->pb->licenses, &w, NULL))
        return;
    resv_span(r->pb, s->now_s, &from, &to);
    for (int period = 0; from && period < PERIODS_MAX; period++) {
        int64_t length = to - from;
        for (size_t i = 0; i < w.n; i++)
            license_reserve(s, c, w.at[i].name, w.at[i].count, from, to, r->pb->id);
        from = resv_next(r->pb->flags, from);
        to = from + length;
    }
}

static int cmp_boundary(const void *a, const void *b)
{
    const struct resv_boundary *x = a, *y = b;
    return x->at_s < y->at_s ? -1 : x->at_s > y->at_s;
}

void resv_begin_cycle(struct sched *s, const struct cluster *c)
{
    s->resv_boundaries.n = 0;
    license_unreserve(s);
    for (size_t i = 0; i < c->resv.n; i++) {
        resv_add_boundaries(s, c->resv.at[i], s->now_s + (int64_t)s->conf.bf_window_min * 60);
        resv_add_licenses(s, c, c->resv.at[i]);
    }
    if (s->resv_boundaries.n)
        qsort(s->resv_boundaries.at, s->resv_boundaries.n, sizeof(*s->resv_boundaries.at), cmp_boundary);
}

/* ---- reservations of a job ---- */

const struct resv *resv_of(const struct cluster *c, const char *names)
{
    const struct resv *r = NULL;
    const char *pos = names;
    for (char *name; !r && (name = str_next(&pos, ",")); free(name))
        r = cluster_resv_named(c, name);
    return r;
}

bool resv_usable_by(const struct sched *s, const struct resv *r, const struct job *j, const struct part *p)
{
    const struct resv_user user = { j->uid, j->spec->account, j->spec->qos, p->pb->name };
    return resv_admits(r, &user) || (j->spec->req.reservation && j->uid == s->conf.admin_uid);
}

/* Named reservations are tried in the order in which they were made, as in Slurm. */
size_t resv_choices(const struct sched *s, const struct cluster *c, const struct job *j, const struct part *p,
                    struct resv_choice out[static RESV_CHOICES])
{
    size_t n = 0;
    const char *names = j->spec->req.reservation;
    for (size_t i = 0; (names || s->magnetic) && i < c->resv.n && n < RESV_CHOICES - 1; i++) {
        const struct resv *r = c->resv.at[i];
        if ((names ? str_in_list(names, r->pb->name) : resv_has(r, RESV_MAGNETIC)) && resv_usable_by(s, r, j, p))
            out[n++] = (struct resv_choice){ r, !names };
    }
    if (!names)
        out[n++] = (struct resv_choice){ NULL, false };
    return n;
}

void need_resv_narrow(struct need *n)
{
    if (!resv_has(n->resv, RESV_FLEX) && !bitmap_none(&n->resv->nodes))
        bitmap_and(&n->allowed, &n->resv->nodes);
}

void need_resv_init(struct need *n, const struct cluster *c)
{
    n->resv = n->req->reservation ? resv_of(c, n->req->reservation) : NULL;
    if (n->resv)
        need_resv_narrow(n);
}

enum why_code resv_unschedulable(const struct need *n)
{
    if (!n->req->reservation)
        return WHY_NONE;
    return n->resv && (n->resv->pb->active || resv_has(n->resv, RESV_FLEX)) ? WHY_NONE : WHY_RESERVATION;
}

/* ---- what is free ---- */

bool resv_admits_preemptible(const struct resv *r, const struct req *q)
{
    return q->gives_way && r->pb->max_start_delay_s && q->gives_way - 1 <= r->pb->max_start_delay_s;
}

/* Its period has begun, and a job in it is pending. */
static bool resv_has_waiting(const struct sched *s, const struct resv *r)
{
    for (size_t i = 0; r->pb->active && i < s->classes.n; i++)
        if (s->classes.at[i]->need.resv == r && class_count(s->classes.at[i]))
            return true;
    return false;
}

/* May a job with this need use what `r` keeps of this node? */
static bool resv_admits_need(const struct sched *s, const struct resv *r, const struct need *n, uint32_t node)
{
    const struct resv *own = n->resv;
    if (!own && resv_admits_preemptible(r, n->req) && !resv_has_waiting(s, r))
        return true;
    if (!own || r == own || resv_has(own, RESV_MAINT))
        return own != NULL;
    if (!resv_has(own, RESV_OVERLAP) || resv_has(r, RESV_MAINT))
        return false;
    return bitmap_has(&own->nodes, node) || bitmap_none(&own->nodes);
}

/* A job starts within a period of its reservation; if the reservation is magnetic, it must also end within it. */
static bool resv_in_time(const struct sched *s, const struct need *n, int64_t from_s, int64_t to_s)
{
    int64_t period[2];
    if (!n->resv || resv_has(n->resv, RESV_FLEX))
        return true;
    return resv_hits(n->resv->pb, s->now_s, from_s, from_s + 1, period) && (!n->magnetic || to_s <= period[1]);
}

static void held_add(struct span *sum, const struct span *sp)
{
    sum->cpus += sp->cpus + sp->held;
    for (uint32_t g = 0; g < GRES_MAX; g++)
        sum->gres[g] += sp->gres[g];
}

/* What the reservation's jobs hold of a node at a time. */
static struct span resv_held(const struct sched_view *v, const struct node_profile *prof, const struct resv *r,
                             int64_t at_s)
{
    struct span sum = { 0 };
    const struct span *sp;
    for (size_t k = 0; k < prof->running.n; k++)
        if (prof->running.at[k].resv == r->pb->id && (at_s <= v->s->now_s || prof->running.at[k].to_s > at_s))
            held_add(&sum, &prof->running.at[k]);
    for (size_t k = 0; (sp = profile_next_span(v, prof, &k));)
        if (sp->resv == r->pb->id && sp->from_s <= MAX(at_s, v->s->now_s) && sp->to_s > at_s)
            held_add(&sum, sp);
    return sum;
}

static uint64_t minus_or_zero(uint64_t a, uint64_t b)
{
    return a - MIN(a, b);
}

/* How a need sees the claims of a node throughout an interval. */
struct resv_view {
    const struct sched_view *v;
    const struct need *n;
    uint32_t node;
    const struct resv_claim
        *own;           /* claim of its own reservation on a part of the node, which is all it can have; NULL: none */
    int64_t (*hits)[2]; /* for each claim: the interval in which it counts */
    struct bitmap busy; /* cores of other claims at some time of the interval */
};

/* Subtract the devices of a claim, less what the reservation's jobs hold. */
static void view_subtract_gres(const struct resv_view *rv, const struct resv_claim *b, int64_t at_s, struct avail *av)
{
    struct span held = resv_held(rv->v, &rv->v->s->profile[rv->node], b->resv, at_s);
    for (uint32_t g = 0; g < GRES_MAX; g++)
        av->gres[g] = minus_or_zero(av->gres[g],
                                    minus_or_zero(b->gres[g], resv_has(b->resv, RESV_FLEX) ? 0 : held.gres[g]));
}

/* Without core numbers a start needs enough CPUs outside of all claims from its beginning to its end: claims of
 * different times add up. */
static void view_subtract_cores(const struct resv_view *rv, int64_t at_s, struct avail *av)
{
    const struct node_profile *prof = &rv->v->s->profile[rv->node];
    uint64_t kept = (uint64_t)bitmap_count(&rv->busy) * prof->cpus_per_core, held = 0;
    for (size_t i = 0; kept && i < prof->claims.n;
         i++) /* jobs of a FLEX reservation may be on other cores than its own */
        if (rv->hits[i][0] < rv->hits[i][1] && !resv_has(prof->claims.at[i].resv, RESV_FLEX))
            held += resv_held(rv->v, prof, prof->claims.at[i].resv, at_s).cpus;
    av->cpus = (uint32_t)minus_or_zero(av->cpus, minus_or_zero(kept, held));
}

/* Only the own claim can be used. */
static void view_limit_to_claim(const struct resv_view *rv, int64_t at_s, struct avail *av)
{
    const struct resv_claim *b = rv->own;
    struct span held = resv_held(rv->v, &rv->v->s->profile[rv->node], b->resv, at_s);
    if (b->cpus)
        av->cpus = (uint32_t)MIN(av->cpus, minus_or_zero(b->cpus, held.cpus));
    for (uint32_t g = 0; g < GRES_MAX; g++)
        if (b->gres[g])
            av->gres[g] = MIN(av->gres[g], minus_or_zero(b->gres[g], held.gres[g]));
}

/* Are the reservation's jobs on cores that this need cannot have anyway?  Not with FLEX. */
static bool view_resv_on_own_cores(const struct resv_view *rv, uint32_t resv)
{
    const struct node_profile *prof = &rv->v->s->profile[rv->node];
    for (size_t i = 0; resv && i < prof->claims.n; i++) {
        const struct resv *r = prof->claims.at[i].resv;
        if (r->pb->id == resv && rv->hits[i][0] < rv->hits[i][1] && prof->claims.at[i].cpus && !resv_has(r, RESV_FLEX))
            return true;
    }
    return false;
}

/* Cores taken at a time; returns the CPUs of planned starts, whose cores are not known yet. */
static uint32_t view_cores_taken(const struct resv_view *rv, int64_t at_s, struct bitmap *busy)
{
    const struct node_profile *prof = &rv->v->s->profile[rv->node];
    const struct span *sp;
    uint32_t unnamed = 0;
    for (size_t k = 0; k < prof->running.n; k++)
        if (prof->running.at[k].to_s > at_s && prof->running.at[k].cores)
            bitmap_or(busy, prof->running.at[k].cores);
    for (size_t k = 0; (sp = profile_next_span(rv->v, prof, &k));) {
        if (sp->from_s > at_s || sp->to_s <= at_s)
            continue;
        if (sp->cores)
            bitmap_or(busy, sp->cores);
        else if (rv->own ? sp->resv == rv->own->resv->pb->id : !view_resv_on_own_cores(rv, sp->resv))
            unnamed += sp->cpus;
    }
    return unnamed;
}

/* CPUs of the cores that this need could have. */
static uint32_t view_cores_free(const struct resv_view *rv, int64_t at_s)
{
    const struct node_profile *prof = &rv->v->s->profile[rv->node];
    const struct node *node = &rv->v->s->cluster->node[rv->node];
    bool all = !prof->has_core_spec || rv->n->req->core_spec; /* --core-spec replaces what the configuration reserves */
    auto_bitmap struct bitmap busy = BITMAP_INIT;
    uint32_t n = 0, unnamed = 0;
    if (at_s > rv->v->s->now_s)
        unnamed = view_cores_taken(rv, at_s, &busy);
    for (uint32_t i = 0; i < prof->ncores; i++) {
        bool taken = at_s > rv->v->s->now_s ? bitmap_has(&busy, i)
                                            : bitmap_has(&node->cores_used, i) || bitmap_has(&prof->taken_cores, i);
        n += !taken && !bitmap_has(&rv->busy, i) && (all || !bitmap_has(&prof->core_spec_cores, i)) &&
             (!rv->own || !rv->own->cpus || bitmap_has(&rv->own->cores, i));
    }
    return (uint32_t)minus_or_zero(n * prof->cpus_per_core, unnamed);
}

static void view_avail_at(const struct resv_view *rv, int64_t at_s, struct avail *out)
{
    const struct node_profile *prof = &rv->v->s->profile[rv->node];
    avail_at(rv->v, prof, at_s, out);
    for (size_t i = 0; i < prof->claims.n; i++)
        if (rv->hits[i][0] <= at_s && at_s < rv->hits[i][1])
            view_subtract_gres(rv, &prof->claims.at[i], at_s, out);
    bool named = prof->has_cores && !rv->v->s->oversub;
    if (!named)
        view_subtract_cores(rv, at_s, out);
    if (rv->own)
        view_limit_to_claim(rv, at_s, out);
    if (named && (rv->own || !bitmap_none(&rv->busy)))
        out->cpus = MIN(out->cpus, view_cores_free(rv, at_s));
}

/* --core-spec may leave more cores than the claim has, which excludes the cores reserved for the system. */
static bool core_spec_exceeds_claim(const struct need *n, const struct node *node, const struct resv_claim *b)
{
    return n->req->core_spec && b->cpus && core_spec_cpus(n, node) > b->cpus;
}

/* What each claim means in [from_s, to_s); false when one closes the node to this need. */
static bool view_init(struct resv_view *rv, int64_t from_s, int64_t to_s)
{
    const struct node_profile *prof = &rv->v->s->profile[rv->node];
    for (size_t i = 0; i < prof->claims.n; i++) {
        const struct resv_claim *b = &prof->claims.at[i];
        rv->hits[i][0] = rv->hits[i][1] = INT64_MAX;
        if (b->resv == rv->n->resv && !b->whole && !resv_has(b->resv, RESV_FLEX))
            rv->own = b;
        if (resv_admits_need(rv->v->s, b->resv, rv->n, rv->node) ||
            !resv_hits(b->resv->pb, rv->v->s->now_s, from_s, to_s, rv->hits[i]))
            continue;
        if (b->whole || rv->n->exclusive)
            return false;
        bitmap_or(&rv->busy, &b->cores);
        if (b->resv->pb->flags & RESV_REPEATS)
            rv->hits[i][1] = INT64_MAX; /* pauses between the periods are ignored */
    }
    return !rv->own || !core_spec_exceeds_claim(rv->n, &rv->v->s->cluster->node[rv->node], rv->own);
}

static void view_lower_at(const struct resv_view *rv, int64_t at_s, struct avail *out)
{
    struct avail then;
    view_avail_at(rv, at_s, &then);
    avail_lower(out, &then);
}

/* The minimum over the beginning and all times at which a span or a claim begins. */
static void view_avail_over(const struct resv_view *rv, int64_t from_s, int64_t to_s, struct avail *out)
{
    const struct node_profile *prof = &rv->v->s->profile[rv->node];
    const struct span *sp;
    view_avail_at(rv, from_s, out);
    for (size_t k = 0; out->cpus && (sp = profile_next_span(rv->v, prof, &k));)
        if (sp->from_s > from_s && sp->from_s < to_s)
            view_lower_at(rv, sp->from_s, out);
    for (size_t k = 0; out->cpus && k < prof->claims.n; k++)
        if (rv->hits[k][0] > from_s && rv->hits[k][0] < to_s)
            view_lower_at(rv, rv->hits[k][0], out);
}

bool resv_avail(const struct sched_view *v, const struct need *n, uint32_t node, int64_t from_s, int64_t to_s,
                struct avail *out)
{
    if (!resv_in_time(v->s, n, from_s, to_s))
        return false;
    int64_t few[CLAIMS_FEW][2];
    size_t blocks = v->s->profile[node].claims.n;
    struct resv_view rv = { .v = v, .n = n, .node = node, .hits = few };
    if (blocks > CLAIMS_FEW)
        rv.hits = mem_array(blocks, sizeof(*rv.hits));
    bool open = view_init(&rv, from_s, to_s);
    if (open)
        view_avail_over(&rv, from_s, to_s, out);
    bitmap_clear(&rv.busy);
    if (rv.hits != few)
        free(rv.hits);
    return open && out->cpus > 0;
}

bool resv_fits_preferred(const struct sched_view *v, const struct cluster *c, const struct need *n, struct pick *out)
{
    if (n->narrowed || !resv_has(n->resv, RESV_FLEX) || bitmap_none(&n->resv->nodes))
        return false;
    struct need m = *n;
    auto_bitmap struct bitmap inside = BITMAP_INIT, all = BITMAP_INIT;
    bitmap_copy(&inside, &n->allowed);
    bitmap_and(&inside, &n->resv->nodes);
    m.narrowed = true;
    m.allowed = inside;
    if (bitmap_none(&inside) || fits_free(v, c, &m, out))
        return !bitmap_none(&inside);
    bitmap_copy(&all, &n->required);
    bitmap_or(&all, &inside);
    m.allowed = n->allowed;
    m.required = all;
    return bitmap_count(&all) <= n->min_nodes && fits_free(v, c, &m, out);
}

bool resv_closed(const struct sched *s, const struct need *n, uint32_t node)
{
    const struct node_profile *prof = &s->profile[node];
    int64_t to_s = s->now_s + need_run_s(n), period[2];
    if (n->resv && !resv_in_time(s, n, s->now_s, to_s))
        return true;
    for (size_t i = 0; i < prof->claims.n; i++) {
        const struct resv_claim *b = &prof->claims.at[i];
        bool mine = b->whole && resv_admits_need(s, b->resv, n, node);
        if (!mine && resv_hits(b->resv->pb, s->now_s, s->now_s, to_s, period))
            return true;
    }
    return false;
}

void resv_cap(const struct need *n, const struct node *node, const struct node_profile *prof, struct avail *av)
{
    for (size_t i = 0; i < prof->claims.n; i++) {
        const struct resv_claim *b = &prof->claims.at[i];
        if (b->resv != n->resv || b->whole || resv_has(b->resv, RESV_FLEX))
            continue;
        if (b->cpus)
            av->cpus = core_spec_exceeds_claim(n, node, b) ? 0 : MIN(av->cpus, b->cpus);
        for (uint32_t g = 0; g < GRES_MAX; g++)
            if (b->gres[g])
                av->gres[g] = MIN(av->gres[g], b->gres[g]);
    }
}

/* ---- cores ---- */

void resv_add_busy_cores(const struct sched *s, const struct need *n, uint32_t node, int64_t from_s, int64_t to_s,
                         struct bitmap *off)
{
    const struct node_profile *prof = &s->profile[node];
    int64_t period[2];
    for (size_t i = 0; i < prof->claims.n; i++) {
        const struct resv_claim *b = &prof->claims.at[i];
        if (b->whole || bitmap_none(&b->cores) || (b->resv == n->resv && resv_has(b->resv, RESV_FLEX)))
            continue;
        if (b->resv == n->resv) {
            auto_bitmap struct bitmap others = BITMAP_INIT;
            bitmap_set_range(&others, 0, prof->ncores);
            bitmap_minus(&others, &b->cores);
            bitmap_or(off, &others);
        } else if (!resv_admits_need(s, b->resv, n, node) && resv_hits(b->resv->pb, s->now_s, from_s, to_s, period)) {
            bitmap_or(off, &b->cores);
        }
    }
}
