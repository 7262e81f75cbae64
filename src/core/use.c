/* use - what jobs hold of their nodes, added up per node. */
#include "core/cluster_priv.h"

static void count_gres(struct node *n, const struct node_alloc *na, bool take_it)
{
    for (uint32_t i = 0; i < na->ngres; i++) {
        const struct gres_share *g = &na->gres[i];
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

void use_take(struct cluster *c, struct job *j)
{
    for (uint32_t i = 0; i < j->alloc.n; i++) {
        struct node_alloc *na = &j->alloc.at[i];
        struct node *n = &c->node[na->node];
        if (na->done)
            continue;   /* given back already, and perhaps somebody else's by now */
        n->jobs++;
        n->cpus_used += na->cpus;
        n->mem_used_mb += na->mem_mb;
        n->exclusive_jobs += j->spec->req.exclusive;
        bitmap_or(&n->cores_used, &na->cores);
        count_gres(n, na, true);
    }
}

void use_suspend(struct cluster *c, const struct job *j, bool suspended)
{
    for (uint32_t i = 0; i < j->alloc.n; i++)
        if (!j->alloc.at[i].done)
            c->node[j->alloc.at[i].node].suspended_jobs += suspended ? 1u : -1u;
}

void use_release(struct cluster *c, struct job *j, uint32_t i)
{
    struct node_alloc *na = &j->alloc.at[i];
    if (na->done)
        return;
    na->done = true;
    struct node *n = &c->node[na->node];
    n->jobs--;
    n->cpus_used -= na->cpus;
    n->mem_used_mb -= na->mem_mb;
    n->exclusive_jobs -= j->spec->req.exclusive;
    bitmap_minus(&n->cores_used, &na->cores);
    count_gres(n, na, false);
    if (j->state & JOB_COMPLETING)
        n->completing--;
    n->busy_s = c->last_ms / 1000;
}
