/*
 * backfill - the future, as far as limits tell it: when a blocked job could start, and
 * places kept for those who come first.
 *
 * On a node, what is free grows when a job ends and shrinks only where a planned start
 * begins; so the least that is free over a time is found at its beginning and at the
 * planned starts within it.
 */
#include "sched/sched_priv.h"

#define FULL_TESTS_MAX 400 /* full looks at future moments, for one planned start: the same whatever else a plan does  \
                            */
#define FULL_TEST_NODES_MAX 4000000 /* nodes that these look at, per plan */
#define FITS_PLENTY 256             /* nodes to choose from */

/* ---- one node over time ---- */

void avail_subtract(struct avail *av, const struct span *sp)
{
    av->cpus -= MIN(sp->cpus, av->cpus);
    av->mem_mb -= MIN(sp->mem_mb, av->mem_mb);
    for (uint32_t g = 0; g < GRES_MAX; g++)
        av->gres[g] -= MIN(sp->gres[g], av->gres[g]);
    av->jobs += !sp->suspended;
    av->exclusive += sp->exclusive;
}

void avail_at(const struct sched *s, const struct node_profile *prof, int64_t at_s, struct avail *out)
{
    if (at_s <= s->now_s) {
        *out = prof->now;
        return;
    }
    *out = prof->total;
    for (size_t i = 0; i < prof->running.n; i++)
        if (prof->running.at[i].to_s > at_s)
            avail_subtract(out, &prof->running.at[i]);
    const struct span *sp;
    for (size_t i = 0; (sp = profile_next_span(s, prof, &i));)
        if (sp->from_s <= at_s && sp->to_s > at_s)
            avail_subtract(out, sp);
}

void avail_lower(struct avail *av, const struct avail *by)
{
    av->cpus = MIN(av->cpus, by->cpus);
    av->mem_mb = MIN(av->mem_mb, by->mem_mb);
    for (uint32_t g = 0; g < GRES_MAX; g++)
        av->gres[g] = MIN(av->gres[g], by->gres[g]);
    av->jobs = MAX(av->jobs, by->jobs);
    av->exclusive = MAX(av->exclusive, by->exclusive);
}

/* Somebody begins on the node within that time: what is free then is less. */
static void avail_lower_at(const struct sched *s, const struct node_profile *prof, const struct span *sp,
                           int64_t from_s, int64_t to_s, struct avail *out)
{
    if (sp->from_s <= from_s || sp->from_s >= to_s)
        return;
    struct avail then;
    avail_at(s, prof, sp->from_s, &then);
    avail_lower(out, &then);
}

/* What is free on a node from `from_s` until `to_s`, all the time.  False when the node cannot be used. */
bool avail_over(const struct sched *s, const struct need *n, uint32_t node, int64_t from_s, int64_t to_s,
                struct avail *out)
{
    const struct node_profile *prof = &s->profile[node];
    if (!prof->usable)
        return false;
    if ((prof->claims.n && !s->unreserved) || n->resv)
        return resv_avail(s, n, node, from_s, to_s, out) && avail_for(s, n, node, from_s, to_s, out);
    avail_at(s, prof, from_s, out);
    const struct span *sp;
    for (size_t i = 0; out->cpus && (sp = profile_next_span(s, prof, &i));)
        avail_lower_at(s, prof, sp, from_s, to_s, out);
    return avail_for(s, n, node, from_s, to_s, out);
}

/* ---- all nodes at one moment ---- */

struct node_fits {
    struct node_fit *at;
    size_t n, cap;
    uint64_t tasks, gpus;
};

/* Among so many nodes, four times what is needed, a good place is found: a large cluster need not be seen whole. */
static bool fits_plenty(const struct sched *s, const struct need *n, const struct node_fits *fits)
{
    return fits->n >= FITS_PLENTY && s->same_weight && !n->all_nodes && fits->n / 4 >= n->min_nodes &&
           fits->tasks / 4 >= n->tasks && fits->gpus / 4 >= n->gpus;
}

/* Nodes of `among` that could hold some of it from `at_s` on.  False when not all were looked at. */
static bool fits_gather(const struct sched *s, const struct cluster *c, const struct need *n,
                        const struct bitmap *among, int64_t at_s, bool whole, struct node_fits *out)
{
    const struct bitmap *a = &n->allowed;
    const struct headroom least = need_headroom(s, n);
    bool now = at_s <= s->now_s;
    for (size_t w = 0; w < a->words && w < among->words; w++) {
        if (!whole && fits_plenty(s, n, out))
            return false;
        for (uint64_t bits = a->word[w] & among->word[w]; bits; bits &= bits - 1) {
            uint32_t i = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits);
            struct avail av;
            struct node_fit nf;
            if (i >= s->nprofiles || (now && !headroom_enough(&s->headroom[i], &least)))
                continue;
            if (!avail_over(s, n, i, at_s, at_s + need_run_s(n), &av) || !fit_node(s, c, n, i, &av, &nf))
                continue;
            if (now && n->req->cores_per_socket && !assign_sockets_idle(s, c, n, i))
                continue;
            if (!gres_bind_fits_at(s, c, n, i, at_s, &av, &nf))
                continue;
            out->tasks += nf.tasks;
            out->gpus += nf.gpus;
            vec_push(out, nf);
        }
    }
    if (n->topo_exclusive)
        out->n = topo_drop_shared(s, c, n, at_s, out->at, out->n);
    return true;
}

/* On these nodes at that moment; and what was seen of them all when it could not. */
static bool fits_test(struct sched *s, const struct cluster *c, const struct need *n, const struct bitmap *among,
                      int64_t at_s, struct node_fits *fits, struct pick *out)
{
    s->pick_at_s = at_s;
    bool all = fits_gather(s, c, n, among, at_s, false, fits);
    bool found = pick_nodes(s, c, n, fits->at, fits->n, out);
    if (!found && !all) {
        fits->n = 0;
        fits_gather(s, c, n, among, at_s, true, fits);
        found = pick_nodes(s, c, n, fits->at, fits->n, out);
    }
    return found;
}

static bool fits_level(struct sched *s, const struct cluster *c, const struct need *n, const struct bitmap *among,
                       int64_t at_s, struct pick *out)
{
    struct node_fits fits = { 0 };
    bool found = !license_lacks(s, c, n, at_s) && fits_test(s, c, n, among, at_s, &fits, out);
    vec_clear(&fits);
    return found;
}

/* Among the nodes of `among`: could it start at `at_s` and run its time?  Who shares cores takes idle ones first. */
static bool fits_among(struct sched *s, const struct cluster *c, const struct need *n, const struct bitmap *among,
                       int64_t at_s, struct pick *out)
{
    out->level = OVERSUB_LEVEL_ALL;
    if (!s->oversub || n->oversub_levels < 2)
        return fits_level(s, c, n, among, at_s, out);
    bool found = false;
    for (uint32_t level = 0; level < n->oversub_levels && !found; level++) {
        s->oversub_level = out->level = level;
        found = fits_level(s, c, n, among, at_s, out);
    }
    s->oversub_level = OVERSUB_LEVEL_ALL;
    return found;
}

bool fits_free(struct sched *s, const struct cluster *c, const struct need *n, struct pick *out)
{
    out->preferred = false;
    return (n->prefer && feature_fits_preferred(s, c, n, out)) || (n->resv && resv_fits_preferred(s, c, n, out)) ||
           fits_among(s, c, n, &s->open, s->now_s, out);
}

bool fits_class(struct sched *s, const struct cluster *c, struct job_class *cls, struct pick *out)
{
    const struct need *n = &cls->need;
    struct node_fits fits = { 0 };
    if (!fit_cache_usable(s, cls))
        return fits_free(s, c, n, out);
    out->level = OVERSUB_LEVEL_ALL;
    bool found = (n->prefer && feature_fits_preferred(s, c, n, out)) ||
                 fits_test(s, c, n, &s->open, s->now_s, &fits, out);
    if (!found)
        fit_cache_store(cls, fits.at, fits.n);
    vec_clear(&fits);
    return found;
}

bool backfill_fits_at(struct sched *s, const struct cluster *c, const struct need *n, int64_t at_s, struct pick *out)
{
    return fits_among(s, c, n, &n->allowed, at_s, out);
}

bool fits_node(struct sched *s, const struct cluster *c, const struct need *n, uint32_t node, struct pick *out)
{
    struct avail av;
    struct node_fit nf;
    out->preferred = false;
    if (license_lacks(s, c, n, s->now_s))
        return false;
    return avail_over(s, n, node, s->now_s, s->now_s + need_run_s(n), &av) && fit_node(s, c, n, node, &av, &nf) &&
           (!n->req->cores_per_socket || assign_sockets_idle(s, c, n, node)) &&
           gres_bind_fits_at(s, c, n, node, s->now_s, &av, &nf) && pick_alone(s, c, n, &nf, out);
}

/* ---- the next moment at which it could start ---- */

/*
 * Outlook: how much of the job each node could hold at a moment, were no planned start to
 * come after it.  They are looked at again where something ends, so they are never too low:
 * they tell cheaply when a full look is worth it, and at which nodes.
 */
struct future_fit {
    uint32_t *tasks;       /* by node */
    struct headroom *most; /* by node: free at the moment, at most; the places that count are not taken off */
    struct headroom least; /* less on a node is no use */
    struct bitmap nodes;   /* where there is any */
    uint64_t sum;
    uint32_t count;
};

/* More room on the node cannot make it hold more of the job. */
static bool future_node_full(const struct need *n, const struct future_fit *fut, uint32_t node)
{
    if (n->gpus || (n->tasks && !n->per_node))
        return fut->tasks[node] >= (n->gpus ? n->gpus : n->tasks);
    return fut->tasks[node] > 0;
}

static void future_test_node(struct sched *s, const struct cluster *c, const struct need *n, struct future_fit *fut,
                             uint32_t node, int64_t at_s)
{
    const struct node_profile *prof = &s->profile[node];
    if (!prof->usable || !bitmap_has(&n->allowed, node))
        return;
    struct avail av;
    struct node_fit got;
    s->node_tests++;
    bool open = true;
    if (prof->claims.n || n->resv) /* what they keep from it they keep until a turn ends */
        open = avail_over(s, n, node, at_s, at_s + need_run_s(n), &av);
    else
        avail_at(s, prof, at_s, &av), avail_for(s, n, node, at_s, at_s, &av);
    uint32_t was = fut->tasks[node],
             is = open && fit_node(s, c, n, node, &av, &got) ? (n->gpus ? got.gpus : got.tasks) : 0;
    fut->tasks[node] = is;
    fut->sum += (uint64_t)is - was;
    fut->count += (uint32_t)(is > 0) - (uint32_t)(was > 0);
    if (is)
        bitmap_set(&fut->nodes, node);
    else
        bitmap_unset(&fut->nodes, node);
}

/* Something ends on the node: look at it when that may matter. */
static inline void future_node_freed(struct sched *s, const struct cluster *c, const struct need *n,
                                     struct future_fit *fut, uint32_t node, const struct headroom *gives, int64_t at_s)
{
    headroom_add(&fut->most[node], gives);
    if (headroom_enough(&fut->most[node], &fut->least) && !future_node_full(n, fut, node))
        future_test_node(s, c, n, fut, node, at_s);
}

static bool future_enough(const struct need *n, const struct future_fit *fut)
{
    return fut->count >= n->min_nodes && fut->sum >= (n->gpus ? n->gpus : n->tasks);
}

/* Much more than is needed: when very many end in one moment not all of them need be looked at. */
static bool future_plenty(const struct sched *s, const struct need *n, const struct future_fit *fut)
{
    return fut->count >= FITS_PLENTY && s->same_weight && !n->all_nodes && fut->count / 4 >= n->min_nodes &&
           fut->sum / 4 >= (n->gpus ? n->gpus : n->tasks);
}

static bool future_test(struct sched *s, const struct cluster *c, const struct need *n, const struct future_fit *fut,
                        int64_t at_s, struct pick *out)
{
    if (!future_enough(n, fut) || s->full_tests >= FULL_TESTS_MAX || license_lacks(s, c, n, at_s))
        return false;
    s->full_tests = s->full_test_nodes < FULL_TEST_NODES_MAX ? s->full_tests + 1 : FULL_TESTS_MAX;
    s->full_test_nodes += fut->count;
    return fits_among(s, c, n, &fut->nodes, at_s, out);
}

static void point_add(struct sched *s, const struct sched_point *m)
{
    vec_push(&s->points, *m);
    s->points_sorted = false;
}

void point_add_end(struct sched *s, uint32_t node, int64_t at_s)
{
    point_add(s, &(struct sched_point){ .at_s = at_s, .node = node });
}

void point_add_release(struct sched *s, uint32_t node, const struct span *sp)
{
    point_add(s, &(struct sched_point){ sp->to_s, node, span_headroom(sp) });
}

static int cmp_point(const void *a, const void *b)
{
    const struct sched_point *x = a, *y = b;
    if (x->at_s != y->at_s)
        return x->at_s < y->at_s ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* When the places that count will end, soonest first. */
struct sched_points {
    struct sched_point *at;
    size_t n, cap;
};

static void planned_points(const struct sched *s, struct sched_points *out)
{
    for (size_t i = 0; i < s->planned_ahead && i < s->planned_starts.n; i++)
        for (size_t k = 0; k < s->planned_starts.at[i]->spans.n; k++) {
            const struct planned_span *pspan = &s->planned_starts.at[i]->spans.at[k];
            vec_push(out, ((struct sched_point){ pspan->span.to_s, pspan->node, { 0 } }));
        }
    if (out->n)
        qsort(out->at, out->n, sizeof(*out->at), cmp_point);
}

static void future_pass_points(struct sched *s, const struct cluster *c, const struct need *n, struct future_fit *fut,
                               const struct sched_points *m, size_t *next, int64_t at_s)
{
    for (; *next < m->n && m->at[*next].at_s <= at_s; ++*next)
        future_node_freed(s, c, n, fut, m->at[*next].node, &m->at[*next].frees, at_s);
}

/* Nodes of a reservation may be open to others from now on, or to its own. */
static void future_pass_boundary(struct sched *s, const struct cluster *c, const struct need *n, struct future_fit *fut,
                                 const struct resv *r, int64_t at_s)
{
    bitmap_each (&r->nodes, i)
        if (i < s->nprofiles)
            future_node_freed(s, c, n, fut, (uint32_t)i, &(struct headroom){ 0 }, at_s);
}

static int64_t future_search(struct sched *s, const struct cluster *c, const struct need *n, struct future_fit *fut,
                             const struct sched_points *kept, struct pick *out)
{
    const struct sched_points more = { .at = s->points.at, .n = s->points.n };
    size_t m = 0, k = 0, turn = 0;
    struct release_pos pos = release_list_from(&s->releases, INT64_MIN);
    const struct release *e = release_list_get(&s->releases, &pos);
    int64_t last = s->now_s + (int64_t)s->conf.bf_window_min * 60;
    int64_t until = n->switch_until_s > s->now_s ? n->switch_until_s : INT64_MAX; /* then any switches will do */
    while ((e || m < more.n || k < kept->n || turn < s->resv_boundaries.n || until < INT64_MAX) &&
           s->full_tests < FULL_TESTS_MAX) {
        int64_t at = e ? e->at_s : INT64_MAX;
        at = m < more.n ? MIN(at, more.at[m].at_s) : at;
        at = k < kept->n ? MIN(at, kept->at[k].at_s) : at;
        at = turn < s->resv_boundaries.n ? MIN(at, s->resv_boundaries.at[turn].at_s) : at;
        at = MAX(MIN(at, until), s->now_s + 1);
        until = at == until ? INT64_MAX : until;
        bool seen = false;
        if (at > last)
            return 0;
        for (; e && e->at_s <= at; pos.i++, e = release_list_get(&s->releases, &pos)) {
            future_node_freed(s, c, n, fut, e->node, &e->frees, at);
            if (!seen && future_plenty(s, n, fut)) {
                seen = true;
                if (future_test(s, c, n, fut, at, out))
                    return at;
            }
        }
        future_pass_points(s, c, n, fut, &more, &m, at);
        future_pass_points(s, c, n, fut, kept, &k, at);
        for (; turn < s->resv_boundaries.n && s->resv_boundaries.at[turn].at_s <= at; turn++)
            future_pass_boundary(s, c, n, fut, s->resv_boundaries.at[turn].resv, at);
        if (future_test(s, c, n, fut, at, out))
            return at;
    }
    return 0;
}

/* When it could start beside what runs and what is planned; 0 when that cannot be told. */
int64_t backfill_start_s(struct sched *s, const struct cluster *c, const struct need *n, struct pick *out)
{
    struct future_fit fut = { .tasks = mem_array(MAX(s->nprofiles, 1u), sizeof(*fut.tasks)),
                              .most = mem_array(MAX(s->nprofiles, 1u), sizeof(*fut.most)),
                              .least = need_headroom(s, n) };
    memcpy(fut.most, s->headroom, s->nprofiles * sizeof(*fut.most));
    struct sched_points kept = { 0 };
    s->full_tests = 0;
    if (!s->points_sorted && s->points.n)
        qsort(s->points.at, s->points.n, sizeof(*s->points.at), cmp_point);
    s->points_sorted = true;
    planned_points(s, &kept);
    bitmap_each (&s->open, i)
        if (headroom_enough(&s->headroom[i], &fut.least))
            future_test_node(s, c, n, &fut, (uint32_t)i, s->now_s);
    int64_t at = future_enough(n, &fut) && fits_free(s, c, n, out) ? s->now_s
                                                                   : future_search(s, c, n, &fut, &kept, out);
    free(fut.tasks);
    free(fut.most);
    bitmap_clear(&fut.nodes);
    vec_clear(&kept);
    return at;
}

/* ---- places kept ---- */

void trial_add(struct sched *s, const struct cluster *c, const struct need *n, const struct pick *p, int64_t at_s,
               uint32_t id)
{
    if (n->req->lic.n)
        license_trial_add(s, c, n, at_s, id);
    if (n->topo_exclusive) {
        auto_bitmap struct bitmap own = BITMAP_INIT;
        for (size_t i = 0; i < p->at.n; i++)
            bitmap_set(&own, p->at.at[i].node);
        topo_exclude_trial(s, c, n, &own, at_s, id);
    }
    for (size_t i = 0; i < p->at.n; i++) {
        const struct node_part *np = &p->at.at[i];
        struct node_profile *prof = &s->profile[np->node];
        struct avail av;
        avail_over(s, n, np->node, at_s, at_s + need_run_s(n), &av);
        struct span sp = { .from_s = at_s,
                           .to_s = at_s + need_run_s(n),
                           .id = id,
                           .resv = need_resv_id(n),
                           .cpus = MAX(s->conf.by_core ? np->cpus
                                                       : fit_cores(s, n, np->node, np->cpus) * prof->cpus_per_core,
                                       n->req->mincpus),
                           .exclusive = n->exclusive || (n->gres_bind && gres_bind_applies(s, n, &c->node[np->node])),
                           .mem_mb = s->conf.by_memory ? np->mem_mb : 0 };
        if (s->oversub) {
            sp.held = sp.cpus, sp.cpus = 0, sp.part = n->part, sp.uid = n->uid, sp.oversub = n->oversub,
            sp.owner = n->owner;
            sp.qos = n->qos;
            sp.cores = oversub_trial_cores(s, n, np, p->level, at_s);
        }
        assign_gres_counts(s, c, n, np, &av, sp.gres);
        vec_push(&prof->trials, sp);
        vec_push(&s->touched, np->node);
        point_add_end(s, np->node, sp.to_s);
    }
}

/* What a trial wrote last to this node is there no more; false when that was somebody else's. */
static bool trial_undo(struct sched *s, uint32_t node, uint32_t id, int64_t to_s)
{
    struct node_profile *prof = &s->profile[node];
    if (!prof->trials.n || prof->trials.at[prof->trials.n - 1].id != id || !s->touched.n)
        return false;
    prof->trials.n--;
    s->touched.n--;
    for (size_t m = s->points.n; m-- > 0;)
        if (s->points.at[m].at_s == to_s && s->points.at[m].node == node) {
            vec_remove(&s->points, m);
            break;
        }
    return true;
}

/* The place that was kept last is given up: a trial that came to nothing. */
void trial_remove(struct sched *s, const struct need *n, const struct pick *p, int64_t at_s, uint32_t id)
{
    int64_t to_s = at_s + need_run_s(n);
    if (n->req->lic.n)
        license_trial_undo(s, id);
    for (size_t i = p->at.n; i-- > 0;)
        trial_undo(s, p->at.at[i].node, id, to_s);
    while (n->topo_exclusive && s->touched.n && trial_undo(s, s->touched.at[s->touched.n - 1], id, to_s))
        ; /* the shades of its blocks came before its own nodes */
}

/* What a start took that did not happen is there again. */
static void profile_reread(struct sched *s, const struct cluster *c, uint32_t node)
{
    struct avail was = s->profile[node].now;
    profile_refresh(s, c, node);
    const struct avail *is = &s->profile[node].now;
    bool more = is->cpus > was.cpus || is->mem_mb > was.mem_mb || is->jobs < was.jobs || is->exclusive < was.exclusive;
    for (uint32_t g = 0; g < GRES_MAX; g++)
        more |= is->gres[g] > was.gres[g];
    s->free_count += more;
    if (more)
        fit_cache_note_freed(s, node);
}

/* Forget what the last plan wrote. */
void trials_reset(struct sched *s, const struct cluster *c)
{
    for (size_t i = 0; i < s->touched.n; i++)
        if (s->touched.at[i] < c->nnodes && s->touched.at[i] < s->nprofiles)
            profile_reread(s, c, s->touched.at[i]);
    s->touched.n = s->points.n = 0;
    licenses_reset(s);
    s->oversub_level = OVERSUB_LEVEL_ALL;
    if (s->trial_cores.n)
        oversub_drop_trials(s);
    s->planned_queue_valid = false;
    s->planned_ahead = s->node_tests = 0;
    s->full_test_nodes = s->planned_kept = 0;
    s->planned_pass++;
}
