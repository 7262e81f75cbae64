/* alloc - a job's nodes: one form in core (struct alloc), one on the wire (pb.NodeAlloc), and the way between them. */
#include "core/cluster.h"
#include "core/pbutil.h"
#include "core/record.h"
#include "text/hostlist.h"

void alloc_clear(struct alloc *a)
{
    for (uint32_t i = 0; i < a->n; i++) {
        struct node_alloc *na = &a->at[i];
        bitmap_clear(&na->cores);
        for (uint32_t g = 0; g < na->ngres; g++)
            bitmap_clear(&na->gres[g].index);
        free(na->gres);
    }
    free(a->at);
    *a = (struct alloc){ 0 };
}

void alloc_from_pb(struct alloc *a, Pb__NodeAlloc *const *pb, size_t n)
{
    a->n = (uint32_t)n;
    a->at = n ? mem_array(n, sizeof(*a->at)) : NULL;
    for (size_t i = 0; i < n; i++) {
        struct node_alloc *na = &a->at[i];
        *na = (struct node_alloc){ .node = pb[i]->node,
                                   .cpus = pb[i]->cpus,
                                   .tasks = pb[i]->tasks,
                                   .mem_mb = pb[i]->mem_mb,
                                   .done = pb[i]->done };
        pb_to_bitmap(&na->cores, &pb[i]->cores);
        na->ngres = (uint32_t)pb[i]->n_gres;
        na->gres = na->ngres ? mem_array(na->ngres, sizeof(*na->gres)) : NULL;
        for (uint32_t g = 0; g < na->ngres; g++) {
            na->gres[g].slot = pb[i]->gres[g]->slot - 1; /* 0, none, becomes UINT32_MAX */
            na->gres[g].count = pb[i]->gres[g]->count;
            pb_to_bitmap(&na->gres[g].index, &pb[i]->gres[g]->index);
        }
    }
}

static Pb__Gres *gres_to_pb(const struct cluster *c, const struct node_alloc *na, const struct gres_alloc *part)
{
    Pb__Gres *g = mem_alloc(sizeof(*g));
    pb__gres__init(g);
    g->count = part->count;
    pb_from_bitmap(&g->index, &part->index);
    const struct node *n = c ? &c->node[na->node] : NULL;
    g->slot = part->slot + 1;
    g->name = n && part->slot < n->ngres ? mem_str(n->gres[part->slot].name) : NULL;
    g->type = n && part->slot < n->ngres ? mem_str(n->gres[part->slot].type) : NULL;
    return g;
}

Pb__NodeAlloc **alloc_to_pb(const struct cluster *c, const struct alloc *a)
{
    Pb__NodeAlloc **out = mem_array(a->n, sizeof(*out));
    for (uint32_t i = 0; i < a->n; i++) {
        const struct node_alloc *na = &a->at[i];
        Pb__NodeAlloc *p = out[i] = mem_alloc(sizeof(*p));
        pb__node_alloc__init(p);
        p->node = na->node;
        p->cpus = na->cpus;
        p->tasks = na->tasks;
        p->mem_mb = na->mem_mb;
        p->done = na->done;
        if (c) {
            const struct node *n = &c->node[na->node];
            p->name = mem_str(n->name);
            p->threads = MAX(n->cpus / MAX(n->boards * n->sockets * n->cores, 1u), 1u);
            p->sockets = MAX(n->boards, 1u) * n->sockets;
            p->cores_per_socket = n->cores;
        }
        pb_from_bitmap(&p->cores, &na->cores);
        p->n_gres = na->ngres;
        p->gres = na->ngres ? mem_array(na->ngres, sizeof(*p->gres)) : NULL;
        for (uint32_t g = 0; g < na->ngres; g++)
            p->gres[g] = gres_to_pb(c, na, &na->gres[g]);
    }
    return out;
}

void alloc_pb_free(Pb__NodeAlloc **pb, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t g = 0; g < pb[i]->n_gres; g++) {
            free(pb[i]->gres[g]->name);
            free(pb[i]->gres[g]->type);
            free(pb[i]->gres[g]->index.data);
            free(pb[i]->gres[g]);
        }
        free(pb[i]->gres);
        free(pb[i]->cores.data);
        pb_free_text(pb[i]->name);
        free(pb[i]);
    }
    free(pb);
}

char *alloc_nodes(const struct cluster *c, const struct alloc *a)
{
    if (!a->n)
        return mem_str("");
    if (a->n == 1)
        return mem_str(c->node[a->at[0].node].name);
    auto_free char **names = mem_array(a->n, sizeof(*names));
    for (uint32_t i = 0; i < a->n; i++)
        names[i] = c->node[a->at[i].node].name;
    return hostlist_compress(names, a->n);
}
