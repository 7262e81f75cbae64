/*
 * yield - who of those that run makes room for a while, because others need little or have waited long.
 *
 * Only jobs that say they can (--requeue with --signal: told by their signal, they save what they have and go on from
 * there) are asked, and none before it has run for as long as the site says: what going costs stays small.  All stand
 * in one order with those that wait, by the moment of policy.c; whoever stands clearly behind somebody who waits may be
 * asked, the last one first, and only if the other then really has room.
 *
 * Room that is being made already counts for those who come first: nobody is asked twice for the same.  What planned
 * starts of others keep is not given to those behind them.  In the end all who would go are thought away together, and
 * nobody goes for who would not begin then.  Those who would stand in front of all others until they begin: else a
 * start could be planned on that very room, and somebody had gone in vain.
 */
#include "sched/fit.h"
#include "sched/need.h"
#include "sched/profile.h"
#include "sched/queue.h"
#include "sched/why.h"

#define EVERY_S 60     /* how often it is looked, at most */
#define WAITING_MAX 64 /* at so many of those that wait */
#define MARGIN_S 3600  /* a moment that is not later by this is no reason to go */
#define SOON_S 900     /* who goes by then is as good as gone */

struct yield_runner { /* one that may be asked */
    const struct job *job;
    int64_t key_s;
    bool gone, tried;
};

struct yield_waiter {
    const struct job_class *cls;
    uint64_t key;
    int64_t key_s;
};

struct yield_search {
    struct sched *s;
    const struct cluster *c;
    struct avail *avail; /* by node: when all who go soon are gone */
    struct map removed;  /* ids of those who were thought away */
    const struct yield_waiter *w;
    bool first; /* nobody comes before it */
    bool full;  /* an array has room: more of its tasks may take what others would count on */
    VEC(struct yield_runner) run;
    VEC(struct yield_waiter) wait;
    VEC(struct node_fit) fits;
    VEC(struct yield_waiter) found; /* those who will have room, in order */
    struct pick pick;
};

/* ---- who may be asked, and for whom ---- */

static bool yield_possible(const struct sched *s, const struct job *j)
{
    int64_t end_s = job_limit_s(j);
    if (end_s > s->now_s && end_s <= s->now_s + SOON_S)
        return false; /* it goes by itself */
    return j->state == JOB_RUNNING && !j->yield_s && job_checkpoints(j) && !j->resv &&
           s->now_s - j->start_s >= s->conf.yield_after_s;
}

static int cmp_last_first(const void *a, const void *b)
{
    const struct yield_runner *x = a, *y = b;
    if (x->key_s != y->key_s)
        return x->key_s > y->key_s ? -1 : 1;
    return x->job->id > y->job->id ? -1 : x->job->id < y->job->id;
}

static void yield_find_running(struct yield_search *y)
{
    for (const struct job *j = y->c->active.head; j; j = j->next)
        if (yield_possible(y->s, j))
            vec_push(&y->run, ((struct yield_runner){ .job = j, .key_s = policy_key_s(y->s, y->c, j) }));
    if (y->run.n)
        qsort(y->run.at, y->run.n, sizeof(*y->run.at), cmp_last_first);
}

static int cmp_first_first(const void *a, const void *b)
{
    const struct yield_waiter *x = a, *y = b;
    return queue_before(x->cls->tier, x->key, y->cls->tier, y->key) ? -1 : 1;
}

/* Needs that depend on more than nodes wait for what they need by themselves. */
static bool need_is_plain(const struct need *n)
{
    return !n->resv && !n->oversub && !n->owner && !n->constraint && !n->prefer && !n->req->lic.n &&
           !n->topo_exclusive && !n->gres_bind;
}

/* Somebody made room for it already: it stands before all, and its moment is what it was. */
static int64_t waiting_key_s(const struct yield_search *y, uint64_t key)
{
    const struct job *j = queue_key_in_front(key) ? cluster_job(y->c, queue_key_id(key)) : NULL;
    return j ? policy_key_s(y->s, y->c, j) : (int64_t)(key >> 32);
}

static void yield_find_waiting(struct yield_search *y)
{
    struct sched *s = y->s;
    for (size_t i = 0; i < s->classes.n; i++) {
        const struct job_class *cls = s->classes.at[i];
        if (cls->state == CLASS_UNSCHEDULABLE || cls->state == CLASS_LIMITED || cls->het || !need_is_plain(&cls->need))
            continue;
        for (size_t k = cls->next; k < cls->keys.n && k < cls->next + WAITING_MAX; k++)
            vec_push(&y->wait, ((struct yield_waiter){ cls, cls->keys.at[k], waiting_key_s(y, cls->keys.at[k]) }));
    }
    if (y->wait.n)
        qsort(y->wait.at, y->wait.n, sizeof(*y->wait.at), cmp_first_first);
}

/* ---- room ---- */

static void avail_add(struct avail *av, const struct span *sp)
{
    av->cpus += sp->cpus;
    av->mem_mb += sp->mem_mb;
    for (uint32_t g = 0; g < GRES_MAX; g++)
        av->gres[g] += sp->gres[g];
    av->jobs -= MIN(av->jobs, 1u);
    av->exclusive -= MIN(av->exclusive, (uint32_t)sp->exclusive);
}

/* Whoever overran its limit may go on for as long again: nobody counts on its end. */
static bool span_ends_soon(const struct yield_search *y, const struct span *sp)
{
    const struct job *j = sp->to_s <= y->s->now_s + SOON_S ? cluster_job(y->c, sp->id) : NULL;
    return j && (j->yield_s || (j->state & JOB_COMPLETING) || job_limit_s(j) > y->s->now_s);
}

static void yield_find_avail(struct yield_search *y)
{
    struct sched *s = y->s;
    y->avail = mem_array(MAX(s->nprofiles, 1u), sizeof(*y->avail));
    for (size_t i = 0; i < s->nprofiles; i++) {
        const struct node_profile *prof = &s->profile[i];
        if (!prof->usable || prof->claims.n)
            continue;
        y->avail[i] = prof->total;
        for (size_t k = 0; k < prof->running.n; k++)
            if (!span_ends_soon(y, &prof->running.at[k]))
                avail_subtract(&y->avail[i], &prof->running.at[k]);
        for (size_t k = 0; k < prof->trials.n; k++)
            if (prof->trials.at[k].from_s <= s->now_s)
                avail_subtract(&y->avail[i], &prof->trials.at[k]);
    }
}

static const struct span *span_of_job(const struct node_profile *prof, uint32_t id)
{
    for (size_t i = 0; i < prof->running.n; i++)
        if (prof->running.at[i].id == id)
            return &prof->running.at[i];
    return NULL;
}

/* As if it were gone; or back again. */
static void yield_remove(struct yield_search *y, const struct job *j, bool removed)
{
    map_put(&y->removed, j->id, removed ? y : NULL);
    for (uint32_t i = 0; i < j->alloc.n; i++) {
        uint32_t node = j->alloc.at[i].node;
        const struct span *sp = !j->alloc.at[i].done && node < y->s->nprofiles
                                    ? span_of_job(&y->s->profile[node], j->id)
                                    : NULL;
        if (sp && removed)
            avail_add(&y->avail[node], sp);
        else if (sp)
            avail_subtract(&y->avail[node], sp);
    }
}

/* A planned start of somebody who comes first: what it keeps is not for others. */
static bool planned_span_ahead(const struct yield_search *y, const struct span *sp, int64_t from_s, int64_t to_s)
{
    if (y->first || sp->from_s <= y->s->now_s || sp->from_s >= to_s || sp->to_s <= from_s)
        return false;
    const struct queue_entry *entry = queue_find(y->s, sp->id);
    return entry && entry->nclasses && queue_before(entry->classes[0]->tier, entry->key, y->w->cls->tier, y->w->key);
}

/* At a moment to come: those are gone whose limit is over, and those are there who come first. */
static void yield_avail_at(const struct yield_search *y, uint32_t node, int64_t at_s, struct avail *out)
{
    const struct node_profile *prof = &y->s->profile[node];
    *out = y->avail[node];
    for (size_t i = 0; i < prof->running.n; i++)
        if (prof->running.at[i].to_s <= at_s && !span_ends_soon(y, &prof->running.at[i]) &&
            !map_get(&y->removed, prof->running.at[i].id))
            avail_add(out, &prof->running.at[i]);
    for (size_t i = 0; i < prof->planned.n; i++)
        if (planned_span_ahead(y, &prof->planned.at[i], at_s, at_s + 1))
            avail_subtract(out, &prof->planned.at[i]);
    for (size_t i = 0; i < prof->trials.n; i++)
        if (planned_span_ahead(y, &prof->trials.at[i], at_s, at_s + 1))
            avail_subtract(out, &prof->trials.at[i]);
}

/* For as long as it runs. */
static struct avail yield_avail_over(const struct yield_search *y, const struct need *n, uint32_t node)
{
    const struct node_profile *prof = &y->s->profile[node];
    struct avail least = y->avail[node], then;
    int64_t to_s = y->s->now_s + need_run_s(n);
    for (size_t i = 0; i < prof->planned.n; i++)
        if (planned_span_ahead(y, &prof->planned.at[i], y->s->now_s, to_s)) {
            yield_avail_at(y, node, prof->planned.at[i].from_s, &then);
            avail_lower(&least, &then);
        }
    for (size_t i = 0; i < prof->trials.n; i++)
        if (planned_span_ahead(y, &prof->trials.at[i], y->s->now_s, to_s)) {
            yield_avail_at(y, node, prof->trials.at[i].from_s, &then);
            avail_lower(&least, &then);
        }
    return least;
}

static bool yield_node_fits(struct yield_search *y, const struct need *n, uint32_t node, struct node_fit *nf)
{
    if (node >= y->s->nprofiles || fit_excluded(y->s, n, &y->avail[node]))
        return false;
    struct avail av = yield_avail_over(y, n, node);
    return !fit_excluded(y->s, n, &av) && fit_node(y->s, y->c, n, node, &av, nf);
}

static bool yield_fits(struct yield_search *y, const struct need *n, const struct bitmap *among)
{
    y->fits.n = 0;
    bitmap_each (among, i) {
        struct node_fit nf;
        if (yield_node_fits(y, n, (uint32_t)i, &nf))
            vec_push(&y->fits, nf);
    }
    return pick_nodes(y->s, y->c, n, y->s->now_s, y->fits.at, y->fits.n, &y->pick);
}

/* The room that was picked is spoken for. */
static void yield_claim(struct yield_search *y, const struct need *n)
{
    for (size_t i = 0; i < y->pick.at.n; i++) {
        const struct node_part *np = &y->pick.at.at[i];
        struct span sp = { .cpus = MAX(np->cpus, n->req->mincpus),
                           .exclusive = n->exclusive,
                           .mem_mb = y->s->conf.by_memory ? np->mem_mb : 0 };
        assign_gres_counts(y->s, y->c, n, np, &y->avail[np->node], sp.gres);
        avail_subtract(&y->avail[np->node], &sp);
    }
}

/* ---- one that waits ---- */

/* On the nodes of `j`: could any be of use now? */
static bool yield_helps(struct yield_search *y, const struct need *n, const struct job *j)
{
    struct node_fit nf;
    for (uint32_t i = 0; i < j->alloc.n; i++) {
        uint32_t node = j->alloc.at[i].node;
        if (bitmap_has(&n->allowed, node) && yield_node_fits(y, n, node, &nf))
            return true;
    }
    return false;
}

static bool need_uses_nodes_of(const struct need *n, const struct job *j)
{
    for (uint32_t i = 0; i < j->alloc.n; i++)
        if (bitmap_has(&n->allowed, j->alloc.at[i].node))
            return true;
    return false;
}

/* One after the other is thought away, the last in the order first, until there is room; who was not in the way comes
 * back. */
static bool yield_make_room(struct yield_search *y, const struct need *n, int64_t key_s)
{
    bool found = false;
    size_t last = 0;
    for (size_t i = 0; i < y->run.n && !found && y->run.at[i].key_s > key_s + MARGIN_S; i++) {
        struct yield_runner *r = &y->run.at[i];
        if (r->gone || !need_uses_nodes_of(n, r->job))
            continue;
        yield_remove(y, r->job, true);
        r->tried = true;
        found = yield_helps(y, n, r->job) && yield_fits(y, n, &n->allowed);
        last = i + 1;
    }
    auto_bitmap struct bitmap nodes = BITMAP_INIT;
    for (size_t i = 0; found && i < y->pick.at.n; i++)
        bitmap_set(&nodes, y->pick.at.at[i].node);
    for (size_t i = last; i-- > 0;) {
        struct yield_runner *r = &y->run.at[i];
        if (!r->tried)
            continue;
        r->tried = false;
        yield_remove(y, r->job, false);
        if (!found || yield_fits(y, n, &nodes))
            continue;
        yield_remove(y, r->job, true);
        r->gone = true;
    }
    return found && yield_fits(y, n, &nodes);
}

static bool starts_in_cycle(const struct sched *s, uint32_t id)
{
    const struct queue_entry *entry = queue_find(s, id);
    return !entry || (entry->cycle == s->cycle && entry->started);
}

static void yield_consider(struct yield_search *y, const struct yield_waiter *w, struct plan *out)
{
    const struct need *n = &w->cls->need;
    y->w = w;
    if (starts_in_cycle(y->s, queue_key_id(w->key)))
        return;
    if (!yield_fits(y, n, &n->allowed) && !yield_make_room(y, n, w->key_s))
        return;
    yield_claim(y, n);
    vec_push(&y->found, *w);
    y->full = cluster_job(y->c, queue_key_id(w->key))->array != NULL;
    for (size_t i = y->run.n; i-- > 0;)
        if (y->run.at[i].gone) {
            struct job *j = (struct job *)(uintptr_t)y->run.at[i].job;
            vec_push(&out->yields, ((struct sched_preempt){ j, queue_key_id(w->key) }));
            vec_remove(&y->run, i);
        }
}

/* ---- all of them together ---- */

/* The first of those found who has no room once all who were asked are gone: where there is more, others choose
 * otherwise. */
static size_t yield_first_unmet(struct yield_search *y, const struct plan *out)
{
    free(y->avail);
    map_clear(&y->removed);
    yield_find_avail(y);
    y->first = true; /* as they will stand in front */
    for (size_t i = 0; i < out->yields.n; i++)
        yield_remove(y, out->yields.at[i].job, true);
    for (size_t i = 0; i < y->found.n; i++) {
        y->w = &y->found.at[i];
        if (!yield_fits(y, &y->w->cls->need, &y->w->cls->need.allowed))
            return i;
        yield_claim(y, &y->w->cls->need);
    }
    return y->found.n;
}

static bool yields_for(const struct plan *out, uint32_t id)
{
    for (size_t i = 0; i < out->yields.n; i++)
        if (out->yields.at[i].by == id)
            return true;
    return false;
}

/* Nobody goes for who would wait all the same; the others stand in front until they start. */
static void drop_useless_yields(struct yield_search *y, struct plan *out)
{
    for (size_t at; (at = yield_first_unmet(y, out)) < y->found.n;) {
        uint32_t id = queue_key_id(y->found.at[at].key);
        for (size_t i = out->yields.n; i-- > 0;)
            if (out->yields.at[i].by == id)
                vec_remove(&out->yields, i);
        vec_remove(&y->found, at);
    }
    while (y->found.n && !yields_for(out, queue_key_id(y->found.at[y->found.n - 1].key)))
        y->found.n--;
    for (size_t i = 0; i < y->found.n; i++)
        queue_move_front(y->s, queue_key_id(y->found.at[i].key), (uint32_t)i);
}

void yield_find(struct sched *s, const struct cluster *c, struct plan *out)
{
    if (!s->conf.yield_after_s || s->conf.policy != POLICY_SHORT || s->oversub || !c->pending.n)
        return;
    int64_t again_s = s->yield_s + MIN((int64_t)EVERY_S, s->conf.yield_after_s);
    if (s->now_s < again_s) {
        out->next_s = out->next_s ? MIN(out->next_s, again_s) : again_s;
        return;
    }
    struct yield_search y = { .s = s, .c = c };
    yield_find_running(&y);
    if (y.run.n)
        yield_find_waiting(&y);
    if (y.wait.n) {
        s->yield_s = s->now_s;
        yield_find_avail(&y);
    }
    for (size_t i = 0; i < y.wait.n && i < WAITING_MAX && y.run.n && !y.full; i++) {
        const struct yield_waiter *w = &y.wait.at[i];
        if (!queue_key_in_front(w->key) && y.run.at[0].key_s <= w->key_s + MARGIN_S)
            break; /* those behind have still less of a claim */
        yield_consider(&y, w, out);
    }
    if (out->yields.n)
        drop_useless_yields(&y, out);
    free(y.avail);
    map_clear(&y.removed);
    vec_clear(&y.run);
    vec_clear(&y.wait);
    vec_clear(&y.fits);
    vec_clear(&y.found);
    vec_clear(&y.pick.at);
}
