/*
 * yield - which running jobs yield their nodes for a while to pending jobs that need little or have waited long.
 *
 * Only jobs that can resume (--requeue with --signal: on the signal they save their state) yield, and only after they
 * have run for SpurYieldAfter, so that the cost stays small.  Running and pending jobs are compared by policy_key_s().
 * A running job that is clearly behind a pending one may yield, the last one first, and only if the pending job can
 * start then.
 *
 * Nodes that are about to become free count for the jobs that come first, so no second job yields for the same start.
 * What planned starts keep is not given to jobs behind them.  In the end all yields are tested together, and those that
 * would not let a job start are dropped.  The jobs that will start move to the front of the queue until they do:
 * otherwise another start could be planned on the freed nodes, and a job would have yielded in vain.
 */
#include "sched/fit.h"
#include "sched/need.h"
#include "sched/profile.h"
#include "sched/queue.h"
#include "sched/why.h"

#define EVERY_S 60     /* seconds between two searches, at least */
#define WAITING_MAX 64 /* pending jobs looked at */
#define MARGIN_S 3600  /* a running job yields only if its key is later by more than this */
#define SOON_S 900     /* a job that ends within this time counts as gone */

struct yield_runner { /* a running job that may yield */
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
    struct avail *avail; /* by node: free when all jobs that end soon are gone */
    struct map removed;  /* ids of the jobs that are taken to be gone */
    const struct yield_waiter *w;
    bool first; /* no planned start comes before the pending job */
    bool full;  /* an array task can start: further tasks may take what later jobs would count on */
    VEC(struct yield_runner) run;
    VEC(struct yield_waiter) wait;
    VEC(struct node_fit) fits;
    VEC(struct yield_waiter) found; /* pending jobs that will be able to start, in order */
    struct pick pick;
};

/* ---- candidates ---- */

static bool yield_possible(const struct sched *s, const struct job *j)
{
    int64_t end_s = job_limit_s(j);
    if (end_s > s->now_s && end_s <= s->now_s + SOON_S)
        return false; /* it ends soon anyway */
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

/* Jobs that wait for more than nodes are left out. */
static bool need_is_plain(const struct need *n)
{
    return !n->resv && !n->oversub && !n->owner && !n->constraint && !n->prefer && !n->req->licenses.n &&
           !n->topo_exclusive && !n->gres_bind;
}

/* A job at the front, for which other jobs yielded already, is compared by its original key. */
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

/* ---- what is free ---- */

static void avail_add(struct avail *av, const struct span *sp)
{
    av->cpus += sp->cpus;
    av->mem_mb += sp->mem_mb;
    for (uint32_t g = 0; g < GRES_MAX; g++)
        av->gres[g] += sp->gres[g];
    av->jobs -= MIN(av->jobs, 1u);
    av->exclusive -= MIN(av->exclusive, (uint32_t)sp->exclusive);
}

/* A job that has overrun its limit may run on for as long again: its end is not counted on. */
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

/* Take the job as gone, or as running again. */
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

/* A planned start that comes before the pending job: what it keeps is not available. */
static bool planned_span_ahead(const struct yield_search *y, const struct span *sp, int64_t from_s, int64_t to_s)
{
    if (y->first || sp->from_s <= y->s->now_s || sp->from_s >= to_s || sp->to_s <= from_s)
        return false;
    const struct queue_entry *entry = queue_find(y->s, sp->id);
    return entry && entry->nclasses && queue_before(entry->classes[0]->tier, entry->key, y->w->cls->tier, y->w->key);
}

/* At a later time: jobs have ended at their limit, and planned starts that come first have begun. */
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

/* The minimum over the run time of the need. */
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

/* Subtract the pick from what is free. */
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

/* ---- one pending job ---- */

/* Could any node of `j` hold a part of the pending job now? */
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

/* Remove running jobs one by one, the last in the order first, until the pending job fits; then bring back the jobs
 * that were not needed. */
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

/* ---- all yields together ---- */

/* The first pending job that does not fit once all yields have happened: with more nodes free, picks differ. */
static size_t yield_first_unmet(struct yield_search *y, const struct plan *out)
{
    free(y->avail);
    map_clear(&y->removed);
    yield_find_avail(y);
    y->first = true; /* these jobs will be at the front of the queue */
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

/* Drop yields that would not let the pending job start; move the jobs that remain to the front of the queue. */
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
            break; /* jobs further behind have even less of a claim */
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
