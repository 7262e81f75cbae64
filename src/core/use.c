/* use - what jobs hold of their nodes, added up per node. */
#include "core/cluster_priv.h"

static void count_gres(struct node *n, const struct node_alloc *na, bool take_it)
{
    for (uint32_t i = 0; i < na->ngres; i++) {
        const struct gres_alloc *g = &na->gres[i];
        if (g->slot >= n->ngres)
            continue;
        struct gres_slot *slot = &n->gres[g->slot];
        if (take_it)
            slot->used += g->count;
        else
            slot->used -= MIN(g->count, slot->used);
        if (take_it)
            bitmap_or(&slot->busy, &g->index);
        else
            bitmap_minus(&slot->busy, &g->index);
    }
}

/* Cores may be shared: each further job on a held core is counted. */
static void take_cores(struct node *n, const struct bitmap *cores)
{
    size_t total = (size_t)n->boards * n->sockets * n->cores;
    bitmap_each (cores, i) {
        if (!bitmap_has(&n->cores_used, i)) {
            bitmap_set(&n->cores_used, i);
            continue;
        }
        if (i >= n->ncore_more) {
            size_t room = MAX(total, i + 1);
            n->core_more = mem_grow(n->core_more, room, sizeof(*n->core_more));
            memset(n->core_more + n->ncore_more, 0, (room - n->ncore_more) * sizeof(*n->core_more));
            n->ncore_more = (uint32_t)room;
        }
        n->core_more[i]++;
        n->more++;
    }
}

static void give_cores(struct node *n, const struct bitmap *cores)
{
    if (!n->more) {
        bitmap_minus(&n->cores_used, cores);
        return;
    }
    bitmap_each (cores, i) {
        if (i < n->ncore_more && n->core_more[i]) {
            n->core_more[i]--;
            n->more--;
        } else {
            bitmap_unset(&n->cores_used, i);
        }
    }
}

/* The part of a share that others may have while the job is suspended. */
static void take_cpus(struct node *n, const struct job *j, const struct node_alloc *na)
{
    n->cpus_used += na->cpus;
    n->exclusive_jobs += job_alone(j);
    take_cores(n, &na->cores);
}

static void give_cpus(struct node *n, const struct job *j, const struct node_alloc *na)
{
    n->cpus_used -= na->cpus;
    n->exclusive_jobs -= job_alone(j);
    give_cores(n, &na->cores);
}

void use_take(struct cluster *c, struct job *j)
{
    for (uint32_t i = 0; i < j->alloc.n; i++) {
        struct node_alloc *na = &j->alloc.at[i];
        struct node *n = &c->node[na->node];
        if (na->done)
            continue; /* released already, and perhaps allocated to another job by now */
        n->jobs++;
        vec_push(&n->held, j->id);
        n->mem_used_mb += na->mem_mb;
        take_cpus(n, j, na);
        count_gres(n, na, true);
    }
}

void use_suspend(struct cluster *c, const struct job *j, bool suspended)
{
    for (uint32_t i = 0; i < j->alloc.n; i++)
        if (!j->alloc.at[i].done)
            c->node[j->alloc.at[i].node].suspended_jobs += suspended ? 1u : -1u;
}

void use_lend(struct cluster *c, const struct job *j, bool lends)
{
    for (uint32_t i = 0; i < j->alloc.n; i++) {
        const struct node_alloc *na = &j->alloc.at[i];
        struct node *n = &c->node[na->node];
        if (na->done)
            continue;
        n->lent_jobs += lends ? 1u : -1u;
        if (lends)
            give_cpus(n, j, na);
        else
            take_cpus(n, j, na);
    }
}

static void forget_holder(struct node *n, uint32_t id)
{
    for (size_t i = 0; i < n->held.n; i++)
        if (n->held.at[i] == id) {
            n->held.at[i] = vec_pop(&n->held);
            return;
        }
}

void use_release(struct cluster *c, struct job *j, uint32_t i)
{
    struct node_alloc *na = &j->alloc.at[i];
    if (na->done)
        return;
    na->done = true;
    struct node *n = &c->node[na->node];
    n->jobs--;
    forget_holder(n, j->id);
    n->mem_used_mb -= na->mem_mb;
    give_cpus(n, j, na);
    count_gres(n, na, false);
    if (j->state & JOB_COMPLETING)
        n->completing--;
    n->busy_s = c->last_ms / 1000;
    node_changed(c, n);
}
