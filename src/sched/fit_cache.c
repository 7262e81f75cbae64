/*
 * fit_cache - test a blocked class again only when it may fit.
 *
 * A class whose test failed keeps the nodes that could hold a part of it, with amounts.  Later starts only make these
 * amounts smaller, so they stay upper bounds as long as every node that gains something is tested again.  A class whose
 * amounts are not sufficient need not be tested: the end of a job on one node costs one node test per class, not a test
 * of all nodes.  Time alone frees nothing: what prevents a start now holds the node now, or begins within the run time.
 */
#include "sched/fit_cache.h"
#include "sched/fit.h"
#include "sched/need.h"
#include "sched/planned.h"
#include "sched/profile.h"

#define CACHED_NODES_MAX 512 /* nodes listed per class */
#define RETEST_MAX 64        /* nodes taken in this cycle that are tested again; with more, the class is tested */
#define FREED_MAX 1024       /* freed nodes that are tested one by one; with more, every class is tested */

void fit_cache_note_freed(struct sched *s, uint32_t node)
{
    if (!s->incremental || bitmap_has(&s->freed_node_set, node))
        return;
    bitmap_set(&s->freed_node_set, node);
    vec_push(&s->freed_nodes, node);
}

static uint64_t fit_cache_wanted(const struct need *n)
{
    return n->gpus ? n->gpus : n->tasks;
}

/* The amount that counts: a job that must be on one node cannot use a part. */
static uint32_t fit_cache_amount(const struct need *n, const struct node_fit *nf)
{
    uint32_t amount = n->gpus ? nf->gpus : nf->tasks;
    return n->max_nodes <= 1 && amount < fit_cache_wanted(n) ? 0 : amount;
}

/* The cache ignores other resources (licences, reservations), other limits and preferences, so it serves simple
 * requests only. */
bool fit_cache_usable(const struct sched *s, const struct job_class *cls)
{
    return s->incremental && s->conf.backfill && !cls->het && !cls->need.req->time_min && !cls->need.prefer &&
           !cls->need.req->licenses.n && !cls->need.resv && !cls->need.topo_exclusive;
}

void fit_cache_invalidate(struct job_class *cls)
{
    cls->fit_cache.known = false;
}

void fit_cache_store(struct job_class *cls, const struct node_fit *nf, size_t n)
{
    struct fit_cache *o = &cls->fit_cache;
    o->known = true;
    o->grown = false;
    o->unlisted = n > CACHED_NODES_MAX;
    o->key = cls->next < cls->keys.n ? cls->keys.at[cls->next] : 0;
    o->at.n = 0;
    o->sum = 0;
    for (size_t i = 0; i < n && !o->unlisted; i++) {
        uint32_t amount = fit_cache_amount(&cls->need, &nf[i]);
        if (!amount)
            continue;
        vec_push(&o->at, ((struct fit_cache_node){ nf[i].node, amount }));
        o->sum += amount;
    }
}

static bool fit_cache_sufficient(const struct job_class *cls)
{
    const struct fit_cache *o = &cls->fit_cache;
    if (!o->known)
        return true;
    return o->grown && (o->unlisted || (o->at.n >= cls->need.min_nodes && o->sum >= fit_cache_wanted(&cls->need)));
}

static size_t fit_cache_find(const struct fit_cache *o, uint32_t node)
{
    size_t lo = 0, hi = o->at.n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (o->at.at[mid].node < node)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void fit_cache_put(struct fit_cache *o, uint32_t node, uint32_t amount)
{
    size_t at = fit_cache_find(o, node);
    bool there = at < o->at.n && o->at.at[at].node == node;
    o->grown |= amount > 0;
    if (o->unlisted || (!there && !amount))
        return;
    if (there) {
        o->sum += (uint64_t)amount - o->at.at[at].amount;
        o->at.at[at].amount = amount;
        if (!amount)
            vec_remove(&o->at, at);
        return;
    }
    vec_push(&o->at, ((struct fit_cache_node){ node, amount }));
    memmove(o->at.at + at + 1, o->at.at + at, (o->at.n - 1 - at) * sizeof(*o->at.at));
    o->at.at[at] = (struct fit_cache_node){ node, amount };
    o->sum += amount;
}

static void fit_cache_test_node(const struct sched_view *v, const struct cluster *c, struct job_class *cls,
                                const struct headroom *least, uint32_t node)
{
    const struct sched *s = v->s;
    const struct need *n = &cls->need;
    struct avail av;
    struct node_fit nf;
    if (node >= s->nprofiles || !bitmap_has(&n->allowed, node))
        return;
    bool some = headroom_enough(&s->headroom[node], least) &&
                avail_over(v, n, node, s->now_s, s->now_s + need_run_s(n), &av) && fit_node(s, c, n, node, &av, &nf);
    fit_cache_put(&cls->fit_cache, node, some ? fit_cache_amount(n, &nf) : 0);
}

/* Starts of this cycle may have taken cached nodes. */
static void fit_cache_retest_touched(const struct sched_view *v, const struct cluster *c, struct job_class *cls)
{
    const struct sched *s = v->s;
    const struct headroom least = need_headroom(s, &cls->need);
    const struct fit_cache *o = &cls->fit_cache;
    for (size_t i = 0; i < s->touched.n; i++) {
        size_t at = fit_cache_find(o, s->touched.at[i]);
        if (at < o->at.n && o->at.at[at].node == s->touched.at[i])
            fit_cache_test_node(v, c, cls, &least, s->touched.at[i]);
    }
}

bool fit_cache_recheck(struct sched *s, const struct cluster *c, struct job_class *cls)
{
    if (!fit_cache_sufficient(cls))
        return false;
    if (!cls->fit_cache.known || cls->fit_cache.unlisted || !s->touched.n || s->touched.n > RETEST_MAX)
        return true;
    const struct sched_view v = { s, planned_before(s, cls->tier, cls->fit_cache.key), OVERSUB_LEVEL_ALL, false };
    fit_cache_retest_touched(&v, c, cls);
    return fit_cache_sufficient(cls);
}

bool fit_cache_refresh(struct sched *s, const struct cluster *c, struct job_class *cls, size_t from)
{
    if (cls->fit_cache.known && (s->freed_nodes.n - from > FREED_MAX || !fit_cache_usable(s, cls)))
        fit_cache_invalidate(cls);
    if (!cls->fit_cache.known)
        return true;
    const struct headroom least = need_headroom(s, &cls->need);
    const struct sched_view v = { s, planned_before(s, cls->tier, cls->fit_cache.key), OVERSUB_LEVEL_ALL, false };
    for (size_t i = from; i < s->freed_nodes.n; i++)
        fit_cache_test_node(&v, c, cls, &least, s->freed_nodes.at[i]);
    if (cls->fit_cache.at.n > 2 * CACHED_NODES_MAX)
        cls->fit_cache.unlisted = true;
    return fit_cache_sufficient(cls);
}
