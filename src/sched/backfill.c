/*
 * backfill - the earliest time at which a blocked job can start, as far as time limits tell it.
 *
 * The search walks the times at which something becomes free (sched points).  At each of them it tests only the nodes
 * that gained something, and runs a full test only when the sums are sufficient.
 */
#include "sched/fit.h"
#include "sched/license.h"
#include "sched/need.h"
#include "sched/oversub.h"
#include "sched/profile.h"

#define FULL_TESTS_MAX 400          /* full tests in one search, whatever else the cycle does */
#define FULL_TEST_NODES_MAX 4000000 /* nodes in full tests, per cycle */
#define FUTURE_PLENTY 256           /* nodes that are enough to choose from */

/*
 * How much of the job each node could hold at a time, ignoring planned starts that begin later.  Nodes are tested again
 * where something becomes free, so the amounts are upper bounds: they tell cheaply when a full test is worth it, and on
 * which nodes.
 */
struct future_fit {
    struct sched_view view;
    uint32_t *tasks;       /* tasks or GPUs, by node */
    struct headroom *most; /* by node: upper bound of what is free; planned starts are not subtracted */
    struct headroom least; /* a node with less is useless */
    struct bitmap nodes;   /* nodes that can hold a part */
    uint64_t sum;
    uint32_t count;
};

/* With more free resources the node could not hold more of the job. */
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
    if (prof->claims.n || n->resv) /* what a claim keeps from the job, it keeps until its period ends */
        open = avail_over(&fut->view, n, node, at_s, at_s + need_run_s(n), &av);
    else
        avail_at(&fut->view, prof, at_s, &av), avail_for(&fut->view, n, node, at_s, at_s, &av);
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

/* Something becomes free on the node: test it if that can make a difference. */
static inline void future_node_freed(struct sched *s, const struct cluster *c, const struct need *n,
                                     struct future_fit *fut, uint32_t node, const struct headroom *frees, int64_t at_s)
{
    headroom_add(&fut->most[node], frees);
    if (headroom_enough(&fut->most[node], &fut->least) && !future_node_full(n, fut, node))
        future_test_node(s, c, n, fut, node, at_s);
}

static bool future_enough(const struct need *n, const struct future_fit *fut)
{
    return fut->count >= n->min_nodes && fut->sum >= (n->gpus ? n->gpus : n->tasks);
}

/* Many more nodes than needed: when very many jobs end at one time, not every node has to be tested. */
static bool future_plenty(const struct sched *s, const struct need *n, const struct future_fit *fut)
{
    return fut->count >= FUTURE_PLENTY && s->same_weight && !n->all_nodes && fut->count / 4 >= n->min_nodes &&
           fut->sum / 4 >= (n->gpus ? n->gpus : n->tasks);
}

static bool future_test(struct sched *s, const struct cluster *c, const struct need *n, const struct future_fit *fut,
                        int64_t at_s, struct pick *out)
{
    if (!future_enough(n, fut) || s->full_tests >= FULL_TESTS_MAX || license_lacks(s, c, n, at_s))
        return false;
    s->full_tests = s->full_test_nodes < FULL_TEST_NODES_MAX ? s->full_tests + 1 : FULL_TESTS_MAX;
    s->full_test_nodes += fut->count;
    return fits_among(&fut->view, c, n, &fut->nodes, at_s, out);
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

/* Sched points, ordered by time. */
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

/* A period of a reservation begins or ends: its nodes may open to other jobs, or to its own. */
static void future_pass_boundary(struct sched *s, const struct cluster *c, const struct need *n, struct future_fit *fut,
                                 const struct resv *r, int64_t at_s)
{
    bitmap_each (&r->nodes, i)
        if (i < s->nprofiles)
            future_node_freed(s, c, n, fut, (uint32_t)i, &(struct headroom){ 0 }, at_s);
}

static int64_t future_search(struct sched *s, const struct cluster *c, const struct need *n, struct future_fit *fut,
                             const struct sched_points *planned, struct pick *out)
{
    const struct sched_points more = { .at = s->points.at, .n = s->points.n };
    size_t m = 0, k = 0, boundary = 0;
    struct release_pos pos = release_list_from(&s->releases, INT64_MIN);
    const struct release *e = release_list_get(&s->releases, &pos);
    int64_t last = s->now_s + (int64_t)s->conf.bf_window_min * 60;
    int64_t until = n->switch_until_s > s->now_s ? n->switch_until_s
                                                 : INT64_MAX; /* the job accepts any number of switches then */
    while ((e || m < more.n || k < planned->n || boundary < s->resv_boundaries.n || until < INT64_MAX) &&
           s->full_tests < FULL_TESTS_MAX) {
        int64_t at = e ? e->at_s : INT64_MAX;
        at = m < more.n ? MIN(at, more.at[m].at_s) : at;
        at = k < planned->n ? MIN(at, planned->at[k].at_s) : at;
        at = boundary < s->resv_boundaries.n ? MIN(at, s->resv_boundaries.at[boundary].at_s) : at;
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
        future_pass_points(s, c, n, fut, planned, &k, at);
        for (; boundary < s->resv_boundaries.n && s->resv_boundaries.at[boundary].at_s <= at; boundary++)
            future_pass_boundary(s, c, n, fut, s->resv_boundaries.at[boundary].resv, at);
        if (future_test(s, c, n, fut, at, out))
            return at;
    }
    return 0;
}

int64_t backfill_start_s(struct sched *s, const struct cluster *c, const struct need *n, struct pick *out)
{
    struct future_fit fut = { .view = view_now(s),
                              .tasks = mem_array(MAX(s->nprofiles, 1u), sizeof(*fut.tasks)),
                              .most = mem_array(MAX(s->nprofiles, 1u), sizeof(*fut.most)),
                              .least = need_headroom(s, n) };
    memcpy(fut.most, s->headroom, s->nprofiles * sizeof(*fut.most));
    struct sched_points planned = { 0 };
    s->full_tests = 0;
    if (!s->points_sorted && s->points.n)
        qsort(s->points.at, s->points.n, sizeof(*s->points.at), cmp_point);
    s->points_sorted = true;
    planned_points(s, &planned);
    bitmap_each (&s->open, i)
        if (headroom_enough(&s->headroom[i], &fut.least))
            future_test_node(s, c, n, &fut, (uint32_t)i, s->now_s);
    int64_t at = future_enough(n, &fut) && fits_now(s, c, n, out) ? s->now_s
                                                                  : future_search(s, c, n, &fut, &planned, out);
    free(fut.tasks);
    free(fut.most);
    bitmap_clear(&fut.nodes);
    vec_clear(&planned);
    return at;
}
