/* step_avail - what a node of the allocation has left for a step; see step_avail.h. */
#include "core/step_avail.h"

#include "base/num.h"
#include "base/str.h"

static const struct step_hold nothing;

static const struct step_hold *held_at(const struct job *j, const struct step_ask *a, uint32_t pos, bool empty)
{
    return empty || a->overlap || !j->held ? &nothing : &j->held[pos];
}

bool step_avail_matches(const struct cluster *c, const struct node_alloc *na, uint32_t share,
                        const struct req_gres *row)
{
    const struct node *n = &c->node[na->node];
    uint32_t slot = na->gres[share].slot;
    return slot < n->ngres && str_eq(n->gres[slot].name, row->name) &&
           (!row->type || str_eq(n->gres[slot].type, row->type));
}

static uint64_t free_share(const struct node_alloc *na, const struct step_hold *h, uint32_t share)
{
    uint64_t held = share < h->ngres ? h->gres[share] : 0;
    return na->gres[share].count - MIN(held, na->gres[share].count);
}

uint64_t step_avail_gres(const struct cluster *c, const struct job *j, const struct step_ask *a, uint32_t pos,
                         bool empty, const struct req_gres *row)
{
    const struct node_alloc *na = &j->alloc.at[pos];
    const struct step_hold *h = held_at(j, a, pos, empty);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < na->ngres; i++)
        if (step_avail_matches(c, na, i, row))
            sum += free_share(na, h, i);
    return sum;
}

/* ---- how many tasks ---- */

static void look_cpus(const struct job *j, const struct step_ask *a, const struct step_hold *h, struct step_avail *r)
{
    const struct node_alloc *na = &j->alloc.at[r->pos];
    size_t cores = bitmap_count(&na->cores);
    r->per_core = cores ? MAX(na->cpus / (uint32_t)cores, 1u) : 1;
    r->cpus = na->cpus - MIN(h->cpus, na->cpus);
    if (!a->exact && h->cpus)
        r->cpus = 0; /* all or nothing */
    uint32_t threads = a->threads_per_core ? MIN(a->threads_per_core, r->per_core) : r->per_core;
    r->tasks = r->cpus / r->per_core * threads / a->cpus_per_task;
    if (a->per_core)
        r->tasks = MIN(r->tasks, r->cpus / r->per_core * a->per_core);
    if (a->overcommit && r->cpus)
        r->tasks = MAX(r->tasks, 1u);
    if (!r->tasks)
        r->lack = LACK_CPUS;
}

static void limit_tasks(struct step_avail *r, uint64_t tasks, enum step_lack what)
{
    if (tasks < r->tasks)
        r->tasks = (uint32_t)tasks;
    if (!r->tasks && !r->lack)
        r->lack = what;
}

static void look_memory(const struct job *j, const struct step_ask *a, const struct step_hold *h, struct step_avail *r)
{
    const struct node_alloc *na = &j->alloc.at[r->pos];
    uint64_t left = na->mem_mb - MIN(h->mem_mb, na->mem_mb);
    if (!na->mem_mb)
        return; /* memory is not counted here */
    if (a->mem_per_node_mb > left)
        limit_tasks(r, 0, LACK_MEMORY);
    if (a->mem_per_cpu_mb && !a->exact)
        limit_tasks(r, mul_cap(a->mem_per_cpu_mb, na->cpus) > left ? 0 : r->tasks, LACK_MEMORY);
    else if (a->mem_per_cpu_mb)
        limit_tasks(r, left / a->mem_per_cpu_mb / a->cpus_per_task, LACK_MEMORY);
}

/* A step that says nothing about devices wants all that the job has. */
static void look_all_gres(const struct node_alloc *na, const struct step_hold *h, struct step_avail *r)
{
    for (uint32_t i = 0; i < na->ngres; i++)
        if (free_share(na, h, i) < na->gres[i].count)
            limit_tasks(r, 0, LACK_GRES);
}

static void look_gres(const struct cluster *c, const struct job *j, const struct step_ask *a, bool empty,
                      struct step_avail *r)
{
    const struct node *n = &c->node[j->alloc.at[r->pos].node];
    uint64_t gpus = 0;
    for (uint32_t i = 0; i < a->req.ngres; i++) {
        const struct req_gres *g = &a->req.gres[i];
        uint64_t free = step_avail_gres(c, j, a, r->pos, empty, g);
        uint64_t want = g->scope == REQ_PER_SOCKET ? mul_cap(g->count, MAX(n->sockets, 1u)) : g->count;
        if (!g->count)
            continue;
        if (g->scope == REQ_PER_TASK)
            limit_tasks(r, free / g->count, LACK_GRES);
        else if (free < (g->scope == REQ_PER_JOB ? 1 : want))
            limit_tasks(r, 0, LACK_GRES);
        if (str_eq(g->name, "gpu"))
            gpus += g->scope == REQ_PER_JOB ? 1 : want;
    }
    if (a->cpus_per_gpu && mul_cap(gpus, a->cpus_per_gpu) > r->cpus)
        limit_tasks(r, 0, LACK_CPUS);
    uint64_t mem = j->alloc.at[r->pos].mem_mb;
    if (!a->mem_per_gpu_mb || !mem)
        return;
    if (mul_cap(gpus, a->mem_per_gpu_mb) > mem - MIN(held_at(j, a, r->pos, empty)->mem_mb, mem))
        limit_tasks(r, 0, LACK_MEMORY);
}

void step_avail_find(const struct cluster *c, const struct job *j, const struct step_ask *a, uint32_t pos, bool empty,
                     struct step_avail *out)
{
    const struct step_hold *h = held_at(j, a, pos, empty);
    *out = (struct step_avail){ .pos = pos };
    look_cpus(j, a, h, out);
    look_memory(j, a, h, out);
    if (a->any_gres)
        look_gres(c, j, a, empty, out);
    else
        look_all_gres(&j->alloc.at[pos], h, out);
    out->idle = !j->held || !j->held[pos].steps;
}
