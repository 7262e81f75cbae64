/*
 * gang - jobs that hold the same cores run alternately, each for a time slice.
 *
 * In each partition the jobs run whose cores do not overlap; the others are suspended.  When a time slice is over, the
 * job that has been suspended longest comes first, and jobs that have run come last.  Cores of a job in a higher tier
 * cannot be used by lower tiers while it runs: that is preemption by suspension.  All of this follows from the state.
 */
#include "sched/gang.h"
#include "core/het.h"

struct gang_node { /* cores and CPUs taken on one node */
    struct bitmap cores;
    uint32_t cpus;
};

struct gang_row { /* what the running jobs have taken, by node */
    struct map nodes;
};

struct gang_job {
    struct job *job;
    uint32_t part, tier;
    bool waits, runs; /* suspended before; running after */
};

struct gang_state {
    const struct cluster *c;
    bool rotate;
    VEC(struct gang_job) at;
};

static void gang_row_clear(struct gang_row *r)
{
    size_t pos = 0;
    for (struct gang_node *t; (t = map_next(&r->nodes, &pos, NULL));) {
        bitmap_clear(&t->cores);
        free(t);
    }
    map_clear(&r->nodes);
}

static bool cores_overlap(const struct bitmap *a, const struct bitmap *b)
{
    for (size_t w = 0; w < a->words && w < b->words; w++)
        if (a->word[w] & b->word[w])
            return true;
    return false;
}

static bool gang_row_fits(const struct gang_row *r, const struct cluster *c, const struct job *j)
{
    for (uint32_t i = 0; i < j->alloc.n; i++) {
        const struct node_alloc *na = &j->alloc.at[i];
        const struct gang_node *t = map_get(&r->nodes, na->node);
        if (!t || na->done)
            continue;
        if (bitmap_none(&na->cores) ? t->cpus + na->cpus > c->node[na->node].cpus
                                    : cores_overlap(&t->cores, &na->cores))
            return false;
    }
    return true;
}

static void gang_row_add(struct gang_row *r, const struct job *j)
{
    for (uint32_t i = 0; i < j->alloc.n; i++) {
        const struct node_alloc *na = &j->alloc.at[i];
        struct gang_node *t = map_get(&r->nodes, na->node);
        if (na->done)
            continue;
        if (!t) {
            t = NEW(struct gang_node);
            map_put(&r->nodes, na->node, t);
        }
        bitmap_or(&t->cores, &na->cores);
        t->cpus += na->cpus;
    }
}

/* Since when the job runs, or is suspended. */
static int64_t gang_since_s(const struct job *j)
{
    return MAX(j->start_s, j->suspend_s);
}

/* Higher tiers first; within a partition running jobs first, or suspended ones at the end of a time slice. */
static int cmp_slice_order(const void *a, const void *b, void *arg)
{
    const struct gang_job *x = a, *y = b;
    const struct gang_state *g = arg;
    if (x->tier != y->tier)
        return x->tier > y->tier ? -1 : 1;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    if (x->waits != y->waits)
        return x->waits == g->rotate ? -1 : 1;
    if (gang_since_s(x->job) != gang_since_s(y->job))
        return gang_since_s(x->job) < gang_since_s(y->job) ? -1 : 1;
    return x->job->id < y->job->id ? -1 : x->job->id > y->job->id;
}

/* All jobs that hold cores, except heterogeneous jobs and jobs that an administrator has suspended. */
static void gang_find_jobs(struct gang_state *g)
{
    for (struct job *j = g->c->active.head; j; j = j->next) {
        bool runs = job_base(j) == JOB_RUNNING && !(j->state & JOB_COMPLETING);
        const struct part *p = cluster_part(g->c, j->partition);
        if (!p || het_is(j) || !(runs || (j->state == JOB_SUSPENDED && j->gang)))
            continue;
        vec_push(&g->at, ((struct gang_job){ j, p->index, p->pb->priority_tier, !runs, false }));
    }
    if (g->at.n)
        qsort_r(g->at.at, g->at.n, sizeof(*g->at.at), cmp_slice_order, g);
}

/* Decide which jobs of one partition, from index `i` on, run beside each other and beside jobs of `higher` tiers.
 * Returns the end of the partition. */
static size_t gang_plan_part(struct gang_state *g, size_t i, const struct gang_row *higher)
{
    struct gang_row row = { 0 };
    uint32_t part = g->at.at[i].part;
    for (; i < g->at.n && g->at.at[i].part == part; i++) {
        struct gang_job *p = &g->at.at[i];
        p->runs = gang_row_fits(higher, g->c, p->job) && gang_row_fits(&row, g->c, p->job);
        if (p->runs)
            gang_row_add(&row, p->job);
    }
    gang_row_clear(&row);
    return i;
}

void gang_plan(const struct cluster *c, bool rotate, struct gang *out)
{
    struct gang_state g = { .c = c, .rotate = rotate };
    struct gang_row higher = { 0 };
    *out = (struct gang){ 0 };
    gang_find_jobs(&g);
    for (size_t i = 0, cast = 0; i < g.at.n;) {
        for (; cast < i && g.at.at[cast].tier > g.at.at[i].tier; cast++)
            if (g.at.at[cast].runs)
                gang_row_add(&higher, g.at.at[cast].job);
        i = gang_plan_part(&g, i, &higher);
    }
    for (size_t i = 0; i < g.at.n; i++) {
        const struct gang_job *p = &g.at.at[i];
        out->waiting |= !p->runs;
        if (p->runs == p->waits)
            vec_push(&out->changes, ((struct gang_change){ p->job, p->runs }));
    }
    gang_row_clear(&higher);
    vec_clear(&g.at);
}
