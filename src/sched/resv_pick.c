/*
 * resv_pick - which nodes and cores a reservation gets.
 *
 * Named nodes are taken or refused.  Otherwise nodes come from one partition: idle nodes first, then by weight, then by
 * index.  Nothing is taken from another reservation of the same time, nor from a job that still runs then, unless the
 * flags say so.
 */
#include "base/errnum.h"
#include "base/str.h"
#include "core/core_spec.h"
#include "core/pbutil.h"
#include "sched/feature.h"
#include "sched/resv.h"
#include "text/tres.h"

struct resv_chooser {
    const struct cluster *c;
    Pb__Resv *r;
    const struct bitmap *keep;
    int64_t now_s;
    bool partial; /* cores or devices, not whole nodes */
    struct gres_list per_node, all;
};

struct resv_candidate {
    uint32_t node;
    bool kept, busy;
    uint32_t weight;
};

static int resv_error(struct err *err, int code)
{
    return err_set(err, code, "%s", err_text(code));
}

/* ---- conflicts ---- */

static bool takes_from_others(const Pb__Resv *r)
{
    return (r->flags & (RESV_MAINT | RESV_OVERLAP | RESV_TIME_FLOAT)) != 0;
}

/* Does another reservation of the same time have the whole node, or, if whole nodes are reserved, any part of it? */
static bool node_reserved(const struct resv_chooser *k, uint32_t node)
{
    for (size_t i = 0; !takes_from_others(k->r) && i < k->c->resv.n; i++) {
        const struct resv *o = k->c->resv.at[i];
        if (o->pb->id == k->r->id || resv_has(o, RESV_MAINT | RESV_OVERLAP | RESV_TIME_FLOAT))
            continue;
        if (bitmap_has(&o->nodes, node) && (o->whole || !k->partial) && resv_meet(o->pb, k->r, k->now_s))
            return true;
    }
    return false;
}

/* Does the job still run when the reservation begins? */
static bool job_overlaps_resv(const struct resv_chooser *k, const struct job *j)
{
    int64_t from, to, end = job_limit_s(j);
    if (j->resv == k->r->id && k->r->id)
        return false;
    resv_span(k->r, k->now_s, &from, &to);
    return !(j->state & JOB_COMPLETING) && (!end || end > from);
}

/* Nodes of jobs that still run then; for partial reservations also their cores. */
static void find_busy_nodes(const struct resv_chooser *k, struct bitmap *nodes, struct bitmap *cores)
{
    if (k->r->flags & (RESV_IGNORE_JOBS | RESV_TIME_FLOAT))
        return;
    for (const struct job *j = k->c->active.head; j; j = j->next)
        for (uint32_t i = 0; job_overlaps_resv(k, j) && i < j->alloc.n; i++) {
            const struct node_alloc *na = &j->alloc.at[i];
            if (na->done)
                continue;
            bitmap_set(nodes, na->node);
            if (cores)
                bitmap_or(&cores[na->node], &na->cores);
        }
}

/* ---- candidates ---- */

static int cmp_merit(const void *a, const void *b)
{
    const struct resv_candidate *x = a, *y = b;
    if (x->kept != y->kept)
        return x->kept ? -1 : 1;
    if (x->busy != y->busy)
        return x->busy ? 1 : -1;
    if (x->weight != y->weight)
        return x->weight < y->weight ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static int cmp_number(const void *a, const void *b)
{
    const struct resv_candidate *x = a, *y = b;
    return x->node < y->node ? -1 : x->node > y->node;
}

typedef VEC(struct resv_candidate) candidates;

static int add_named(const struct resv_chooser *k, const struct bitmap *named, const struct bitmap *busy,
                     candidates *out, struct err *err)
{
    bitmap_each (named, i) {
        if (node_reserved(k, (uint32_t)i))
            return resv_error(err, ESLURM_RESERVATION_OVERLAP);
        if (!k->partial && bitmap_has(busy, i))
            return resv_error(err, ESLURM_NODES_BUSY);
        vec_push(out, (struct resv_candidate){ .node = (uint32_t)i });
    }
    return 0;
}

static struct part *partition_of(const struct resv_chooser *k)
{
    return str_empty(k->r->partition) ? cluster_default_part(k->c) : cluster_part(k->c, k->r->partition);
}

static int add_any(const struct resv_chooser *k, const struct bitmap *busy, candidates *out, struct err *err)
{
    const struct part *p = partition_of(k);
    auto_bitmap struct bitmap among = BITMAP_INIT;
    if (!p)
        return resv_error(err, ESLURM_INVALID_PARTITION_NAME);
    bitmap_copy(&among, &p->nodes);
    if (!str_empty(k->r->features)) {
        if (feature_check(k->c, k->r->features, err))
            return resv_error(err, ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE);
        struct constraint_nodes *cn = feature_nodes(k->c, k->r->features, &among);
        bitmap_and(&among, &cn->allowed);
        feature_nodes_free(cn);
    }
    if (bitmap_none(&among))
        return resv_error(err, ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE);
    bitmap_each (&among, i) {
        const struct node *n = &k->c->node[i];
        if (!node_usable(n) || node_reserved(k, (uint32_t)i) || (!k->partial && bitmap_has(busy, i)))
            continue;
        vec_push(out,
                 (struct resv_candidate){ (uint32_t)i, k->keep && bitmap_has(k->keep, i), n->jobs > 0, n->weight });
    }
    if (out->n)
        qsort(out->at, out->n, sizeof(*out->at), cmp_merit);
    return 0;
}

/* [a*2&b*1]: that many nodes of each set, best candidates first. */
static int candidates_by_sets(const struct resv_chooser *k, candidates *v, struct err *err)
{
    auto_bitmap struct bitmap among = BITMAP_INIT;
    for (size_t i = 0; i < v->n; i++)
        bitmap_set(&among, v->at[i].node);
    struct constraint_nodes *cn = feature_nodes(k->c, k->r->features, &among);
    candidates out = { 0 };
    bool enough = true;
    for (size_t s = 0; s < cn->n && enough; s++) {
        uint32_t left = cn->count ? cn->count[s] : 0;
        for (size_t i = 0; i < v->n && left; i++)
            if (bitmap_has(&cn->set[s], v->at[i].node) && bitmap_has(&among, v->at[i].node)) {
                vec_push(&out, v->at[i]);
                bitmap_unset(&among, v->at[i].node);
                left--;
            }
        enough = !left;
    }
    bool counted = cn->n && cn->nodes;
    feature_nodes_free(cn);
    if (counted && enough) {
        free(v->at);
        *v = out;
        k->r->node_cnt = (uint32_t)v->n;
        return 0;
    }
    vec_clear(&out);
    return counted ? resv_error(err, ESLURM_NODES_BUSY) : 0;
}

/* ---- parts of nodes ---- */

/* Cores of a node without the cores of other reservations of the time, and of jobs. */
static void free_cores(const struct resv_chooser *k, uint32_t node, const struct bitmap *busy, struct bitmap *out)
{
    const struct node *n = &k->c->node[node];
    auto_bitmap struct bitmap spec = BITMAP_INIT;
    core_spec_of_node(n, &spec);
    bitmap_set_range(out, 0, n->boards * n->sockets * n->cores);
    bitmap_minus(out, &spec);
    bitmap_minus(out, &busy[node]);
    for (size_t i = 0; !takes_from_others(k->r) && i < k->c->resv.n; i++) {
        const struct resv *o = k->c->resv.at[i];
        if (o->pb->id == k->r->id || !resv_meet(o->pb, k->r, k->now_s))
            continue;
        for (size_t x = 0; x < o->pb->n_node; x++)
            if (o->pb->node[x]->node == node) {
                auto_bitmap struct bitmap theirs = BITMAP_INIT;
                pb_to_bitmap(&theirs, &o->pb->node[x]->cores);
                bitmap_minus(out, &theirs);
            }
    }
}

/* Round robin over the sockets, lowest numbers first. */
static void deal_cores(const struct node *n, const struct bitmap *have, uint32_t want, struct bitmap *out)
{
    uint32_t per = MAX(n->cores, 1u), sockets = MAX(n->boards * n->sockets, 1u);
    for (uint32_t round = 0; round < per && want; round++)
        for (uint32_t s = 0; s < sockets && want; s++) {
            size_t from = (size_t)s * per, at = bitmap_next(have, from);
            while (at < from + per && bitmap_has(out, at))
                at = bitmap_next(have, at + 1);
            if (at >= from + per)
                continue;
            bitmap_set(out, at);
            want--;
        }
}

static uint32_t cpus_of(const struct node *n, uint32_t cores)
{
    uint32_t total = MAX(n->boards * n->sockets * n->cores, 1u);
    return cores * MAX(n->cpus / total, 1u);
}

static Pb__ResvNode *add_node(Pb__Resv *r, uint32_t node)
{
    Pb__ResvNode *rn = NEW(Pb__ResvNode);
    pb__resv_node__init(rn);
    rn->node = node;
    r->node = mem_grow(r->node, r->n_node + 1, sizeof(*r->node));
    r->node[r->n_node++] = rn;
    return rn;
}

/* A node takes as many cores as it can and leaves one for each further node. */
static int take_cores(const struct resv_chooser *k, const candidates *v, const struct bitmap *busy, struct err *err)
{
    uint32_t left = k->r->core_cnt, nodes = k->r->node_cnt ? k->r->node_cnt : (uint32_t)v->n;
    for (size_t i = 0; i < v->n && left && nodes; i++) {
        auto_bitmap struct bitmap have = BITMAP_INIT, mine = BITMAP_INIT;
        free_cores(k, v->at[i].node, busy, &have);
        uint32_t most = left - MIN(nodes - 1, left - 1);
        uint32_t want = (uint32_t)MIN(bitmap_count(&have), most);
        if (!want)
            continue;
        const struct node *n = &k->c->node[v->at[i].node];
        deal_cores(n, &have, want, &mine);
        Pb__ResvNode *rn = add_node(k->r, n->index);
        rn->cpus = cpus_of(n, want);
        pb_from_bitmap(&rn->cores, &mine);
        left -= want;
        nodes--;
    }
    return left ? resv_error(err, ESLURM_NODES_BUSY) : 0;
}

/* ---- devices ---- */

static uint64_t gres_reserved(const struct resv_chooser *k, uint32_t node, const struct gres *g)
{
    uint64_t sum = 0;
    for (size_t i = 0; !takes_from_others(k->r) && i < k->c->resv.n; i++) {
        const struct resv *o = k->c->resv.at[i];
        for (size_t x = 0; x < o->pb->n_node && o->pb->id != k->r->id; x++) {
            const Pb__ResvNode *rn = o->pb->node[x];
            for (size_t y = 0; rn->node == node && y < rn->n_gres; y++)
                if (str_eq(rn->gres[y]->name, g->name) && resv_meet(o->pb, k->r, k->now_s))
                    sum += rn->gres[y]->count;
        }
    }
    return sum;
}

static uint64_t gres_there(const struct resv_chooser *k, uint32_t node, const struct gres *g)
{
    const struct node *n = &k->c->node[node];
    uint64_t have = 0, used = 0;
    bool jobs = !(k->r->flags & RESV_IGNORE_JOBS);
    for (uint32_t i = 0; i < n->ngres; i++)
        if (str_eq(n->gres[i].name, g->name) && (!g->type || str_eq(n->gres[i].type, g->type)))
            have += n->gres[i].count, used += jobs ? n->gres[i].used : 0;
    used += gres_reserved(k, node, g);
    return have - MIN(have, used);
}

static void add_gres(Pb__ResvNode *rn, const struct gres *g, uint64_t count)
{
    Pb__Gres *pb = NEW(Pb__Gres);
    pb__gres__init(pb);
    pb->name = mem_str(g->name);
    pb->type = mem_str(g->type ? g->type : "");
    pb->count = count;
    rn->gres = mem_grow(rn->gres, rn->n_gres + 1, sizeof(*rn->gres));
    rn->gres[rn->n_gres++] = pb;
}

/* The same devices on each of node_cnt nodes. */
static int take_gres_each(const struct resv_chooser *k, const candidates *v, struct err *err)
{
    uint32_t left = MAX(k->r->node_cnt, 1u);
    for (size_t i = 0; i < v->n && left; i++) {
        bool fits = true;
        for (size_t g = 0; g < k->per_node.n; g++)
            fits &= gres_there(k, v->at[i].node, &k->per_node.at[g]) >= k->per_node.at[g].count;
        if (!fits)
            continue;
        Pb__ResvNode *rn = add_node(k->r, v->at[i].node);
        for (size_t g = 0; g < k->per_node.n; g++)
            add_gres(rn, &k->per_node.at[g], k->per_node.at[g].count);
        left--;
    }
    return left ? resv_error(err, ESLURM_NODES_BUSY) : 0;
}

/* A number of devices in total, on any nodes. */
static int take_gres_all(const struct resv_chooser *k, const candidates *v, struct err *err)
{
    auto_free uint64_t *left = mem_array(k->all.n, sizeof(*left));
    uint64_t open = 0;
    for (size_t g = 0; g < k->all.n; g++)
        open += left[g] = k->all.at[g].count;
    for (size_t i = 0; i < v->n && open; i++) {
        Pb__ResvNode *rn = NULL;
        for (size_t g = 0; g < k->all.n; g++) {
            uint64_t got = MIN(left[g], gres_there(k, v->at[i].node, &k->all.at[g]));
            if (!got)
                continue;
            rn = rn ? rn : add_node(k->r, v->at[i].node);
            add_gres(rn, &k->all.at[g], got);
            left[g] -= got, open -= got;
        }
    }
    return open ? resv_error(err, ESLURM_NODES_BUSY) : 0;
}

/* ---- the reservation ---- */

static int take_whole(const struct resv_chooser *k, const candidates *v, size_t n, struct err *err)
{
    if (v->n < n)
        return resv_error(err, ESLURM_NODES_BUSY);
    for (size_t i = 0; i < n; i++)
        add_node(k->r, v->at[i].node);
    return 0;
}

static int resv_take(const struct resv_chooser *k, candidates *v, bool named, const struct bitmap *busy,
                     struct err *err)
{
    int rc = !named && !str_empty(k->r->features) ? candidates_by_sets(k, v, err) : 0;
    size_t want = named ? v->n : k->r->node_cnt ? k->r->node_cnt : v->n;
    if (!rc && !named && k->r->node_cnt && v->n > want) /* the best candidates, ordered by index */
        qsort(v->at, want, sizeof(*v->at), cmp_number);
    if (rc)
        return rc;
    return k->r->core_cnt  ? take_cores(k, v, busy, err)
           : k->per_node.n ? take_gres_each(k, v, err)
           : k->all.n      ? take_gres_all(k, v, err)
                           : take_whole(k, v, want, err);
}

static int cmp_node(const void *a, const void *b)
{
    const Pb__ResvNode *x = *(Pb__ResvNode *const *)a, *y = *(Pb__ResvNode *const *)b;
    return x->node < y->node ? -1 : x->node > y->node;
}

static int resv_choose(struct resv_chooser *k, const struct bitmap *named, struct err *err)
{
    struct bitmap *cores = mem_array(k->c->nnodes + 1, sizeof(*cores));
    auto_bitmap struct bitmap busy = BITMAP_INIT;
    candidates v = { 0 };
    find_busy_nodes(k, &busy, k->partial ? cores : NULL);
    int rc = named ? add_named(k, named, &busy, &v, err) : add_any(k, &busy, &v, err);
    if (!rc)
        rc = resv_take(k, &v, named != NULL, cores, err);
    if (k->r->n_node)
        qsort(k->r->node, k->r->n_node, sizeof(*k->r->node), cmp_node);
    for (size_t i = 0; i < k->c->nnodes; i++)
        bitmap_clear(&cores[i]);
    free(cores);
    vec_clear(&v);
    return rc;
}

int resv_pick(const struct cluster *c, Pb__Resv *r, const struct bitmap *named, const struct bitmap *keep,
              int64_t now_s, struct err *err)
{
    struct resv_chooser k = { .c = c, .r = r, .keep = keep, .now_s = now_s };
    r->node = NULL;
    r->n_node = 0;
    int rc = str_empty(r->tres_per_node) ? 0 : gres_parse(r->tres_per_node, &k.per_node, err);
    if (!rc && !str_empty(r->gres))
        rc = gres_parse(r->gres, &k.all, err);
    k.partial = r->core_cnt || k.per_node.n || k.all.n;
    if (!rc)
        rc = resv_choose(&k, named, err);
    gres_clear(&k.per_node);
    gres_clear(&k.all);
    if (rc)
        resv_nodes_free(r);
    return rc;
}

void resv_nodes_free(Pb__Resv *r)
{
    for (size_t i = 0; i < r->n_node; i++)
        pb__resv_node__free_unpacked(r->node[i], NULL);
    free(r->node);
    r->node = NULL;
    r->n_node = 0;
}

bool resv_stale(const struct cluster *c, const struct resv *r, struct bitmap *good)
{
    bool any = false;
    bitmap_each (&r->nodes, i) {
        bool lost = !node_usable(&c->node[i]) || (resv_has(r, RESV_REPLACE) && c->node[i].jobs);
        any |= lost;
        if (!lost)
            bitmap_set(good, i);
    }
    return any;
}
