/* step_assign - the very cores, devices and memory that a step gets of a node; see step_avail.h. */
#include "base/num.h"
#include "base/str.h"
#include "core/pbutil.h"
#include "core/step_avail.h"

static void pick_bits(struct bitmap *out, const struct bitmap *of, const struct bitmap *busy, uint64_t want)
{
    bitmap_each (of, i) {
        if (want && !bitmap_has(busy, i)) {
            bitmap_set(out, i);
            want--;
        }
    }
    /* A step with --overlap takes busy resources when no others are left. */
    bitmap_each (of, i) {
        if (want && !bitmap_has(out, i)) {
            bitmap_set(out, i);
            want--;
        }
    }
}

static void assign_cores(const struct job *j, const struct step_ask *a, const struct step_avail *r, Pb__NodeAlloc *out)
{
    static const struct bitmap none = BITMAP_INIT;
    const struct node_alloc *na = &j->alloc.at[r->pos];
    auto_bitmap struct bitmap cores = BITMAP_INIT;
    if (a->exact)
        pick_bits(&cores, &na->cores, j->held ? &j->held[r->pos].cores : &none, out->cpus / r->per_core);
    else
        bitmap_copy(&cores, &na->cores);
    pb_from_bitmap(&out->cores, &cores);
}

static void assign_cpus(const struct job *j, const struct step_ask *a, const struct step_avail *r, uint64_t gpus,
                        Pb__NodeAlloc *out)
{
    const struct node_alloc *na = &j->alloc.at[r->pos];
    uint64_t want = MAX((uint64_t)out->tasks * a->cpus_per_task, gpus * a->cpus_per_gpu);
    uint32_t threads = a->threads_per_core ? MIN(a->threads_per_core, r->per_core) : r->per_core;
    uint64_t cores = (want + threads - 1) / threads;
    if (a->per_core)
        cores = MAX(cores, (out->tasks + a->per_core - 1) / a->per_core);
    out->cpus = a->exact ? (uint32_t)MIN(cores * r->per_core, r->cpus) : na->cpus;
    assign_cores(j, a, r, out);
}

static void assign_memory(const struct job *j, const struct step_ask *a, uint32_t pos, uint64_t gpus,
                          Pb__NodeAlloc *out)
{
    uint64_t all = j->alloc.at[pos].mem_mb;
    uint64_t asked = a->mem_per_node_mb  ? a->mem_per_node_mb
                     : a->mem_per_cpu_mb ? mul_cap(a->mem_per_cpu_mb, out->cpus)
                                         : mul_cap(a->mem_per_gpu_mb, gpus);
    out->mem_mb = asked ? MIN(asked, all) : all;
}

static void add_gres(const struct cluster *c, const struct job *j, uint32_t pos, uint32_t share, uint64_t count,
                     const struct bitmap *busy, Pb__NodeAlloc *out)
{
    const struct node_alloc *na = &j->alloc.at[pos];
    const struct gres_slot *slot = &c->node[na->node].gres[na->gres[share].slot];
    Pb__Gres *g = mem_alloc(sizeof(*g));
    pb__gres__init(g);
    g->name = mem_str(slot->name);
    g->type = mem_str(slot->type);
    g->count = count;
    g->slot = na->gres[share].slot + 1;
    auto_bitmap struct bitmap bits = BITMAP_INIT;
    pick_bits(&bits, &na->gres[share].index, busy, count);
    pb_from_bitmap(&g->index, &bits);
    out->gres = mem_grow(out->gres, out->n_gres + 1, sizeof(*out->gres));
    out->gres[out->n_gres++] = g;
}

/* How many of each share of the job's devices. */
static void count_gres(const struct cluster *c, const struct job *j, const struct step_ask *a, uint32_t pos,
                       uint32_t tasks, const uint64_t *per_step, uint64_t *take)
{
    const struct node_alloc *na = &j->alloc.at[pos];
    const struct step_hold *h = j->held && !a->overlap ? &j->held[pos] : NULL;
    for (uint32_t i = 0; i < a->req.ngres; i++) {
        const struct req_gres *row = &a->req.gres[i];
        uint64_t want = row->scope == REQ_PER_JOB      ? per_step[i]
                        : row->scope == REQ_PER_TASK   ? row->count * tasks
                        : row->scope == REQ_PER_SOCKET ? row->count * MAX(c->node[na->node].sockets, 1u)
                                                       : row->count;
        for (uint32_t s = 0; s < na->ngres && want; s++) {
            if (!step_avail_matches(c, na, s, row))
                continue;
            uint64_t held = (h && s < h->ngres ? h->gres[s] : 0) + take[s];
            uint64_t got = MIN(want, na->gres[s].count - MIN(held, na->gres[s].count));
            take[s] += got;
            want -= got;
        }
    }
}

/* A step that says nothing about devices gets all of the job's. */
static uint64_t assign_gres(const struct cluster *c, const struct job *j, const struct step_ask *a, uint32_t pos,
                            const uint64_t *per_step, Pb__NodeAlloc *out)
{
    static const struct bitmap none = BITMAP_INIT;
    const struct node_alloc *na = &j->alloc.at[pos];
    const struct node *n = &c->node[na->node];
    auto_free uint64_t *take = mem_array(na->ngres + 1, sizeof(*take));
    uint64_t gpus = 0;
    if (a->any_gres)
        count_gres(c, j, a, pos, out->tasks, per_step, take);
    for (uint32_t s = 0; s < na->ngres; s++) {
        uint64_t count = a->any_gres ? take[s] : na->gres[s].count;
        bool held = j->held && s < j->held[pos].ngres;
        if (!count || na->gres[s].slot >= n->ngres)
            continue;
        add_gres(c, j, pos, s, count, held ? &j->held[pos].device[s] : &none, out);
        gpus += str_eq(n->gres[na->gres[s].slot].name, "gpu") ? count : 0;
    }
    return gpus;
}

Pb__NodeAlloc *step_assign(const struct cluster *c, const struct job *j, const struct step_ask *a,
                           const struct step_avail *r, uint32_t tasks, const uint64_t *per_step)
{
    Pb__NodeAlloc *out = mem_alloc(sizeof(*out));
    pb__node_alloc__init(out);
    out->node = j->alloc.at[r->pos].node;
    out->tasks = tasks;
    uint64_t gpus = assign_gres(c, j, a, r->pos, per_step, out);
    assign_cpus(j, a, r, gpus, out);
    assign_memory(j, a, r->pos, gpus, out);
    return out;
}
