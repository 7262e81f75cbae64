/*
 * fit - how much of a job one node can hold, and what the job gets there.
 *
 * The answer depends only on the need and on the given `avail`: the same code answers for now, for a future time, and
 * for an empty cluster.
 */
#include "sched/fit.h"
#include "base/num.h"
#include "base/str.h"
#include "sched/need.h"
#include "sched/oversub.h"

bool fit_slot_matches(const struct gres_slot *slot, const struct req_gres *g)
{
    return str_eq(slot->name, g->name) && (str_empty(g->type) || str_eq(slot->type, g->type));
}

bool fit_is_gpu(const struct req_gres *g)
{
    return str_eq(g->name, "gpu");
}

static uint64_t gres_free(const struct node *node, const struct avail *av, const struct req_gres *g)
{
    uint64_t have = 0;
    for (uint32_t i = 0; i < node->ngres && i < GRES_MAX; i++)
        if (fit_slot_matches(&node->gres[i], g))
            have += av->gres[i];
    return have;
}

/* Devices `g` that the job takes on a node with this many tasks and this many of its per-job GPUs. */
uint64_t fit_gres_ask(const struct need *n, const struct req_gres *g, uint32_t tasks, uint32_t job_gpus)
{
    switch (g->scope) {
    case REQ_PER_NODE: return g->count;
    case REQ_PER_TASK: return g->count * MAX(tasks, 1u);
    case REQ_PER_SOCKET: return g->count * MAX(n->req->sockets_per_node, 1u);
    case REQ_PER_JOB: return job_gpus;
    }
    return 0;
}

/* Lower `nf` to what the free devices allow. */
static bool fit_gres(const struct need *n, const struct node *node, const struct avail *av, struct node_fit *nf)
{
    for (uint32_t i = 0; i < n->req->ngres; i++) {
        const struct req_gres *g = &n->req->gres[i];
        if (!g->count)
            continue;
        uint64_t have = gres_free(node, av, g);
        switch (g->scope) {
        case REQ_PER_NODE:
        case REQ_PER_SOCKET:
            if (have < fit_gres_ask(n, g, 1, 0))
                return false;
            break;
        case REQ_PER_TASK: nf->tasks = (uint32_t)MIN(nf->tasks, have / g->count); break;
        case REQ_PER_JOB:
            nf->gpus = (uint32_t)MIN(have, g->count);
            if (!nf->gpus)
                return false;
            break;
        }
    }
    return nf->tasks > 0;
}

/* GPUs of the job on a node, for requests per GPU. */
uint32_t fit_gpus(const struct need *n, uint32_t tasks, uint32_t job_gpus)
{
    uint64_t gpus = 0;
    for (uint32_t i = 0; i < n->req->ngres; i++)
        if (fit_is_gpu(&n->req->gres[i]))
            gpus += fit_gres_ask(n, &n->req->gres[i], tasks, job_gpus);
    return (uint32_t)gpus;
}

/* CPUs of one core that may run tasks. */
static uint32_t threads_used(const struct sched *s, const struct need *n, const struct node_profile *prof)
{
    const struct req *r = n->req;
    uint32_t use = r->threads_per_core ? MIN(r->threads_per_core, prof->cpus_per_core) : prof->cpus_per_core;
    uint32_t per_core = r->ntasks_per_core;
    if (!per_core && !r->threads_per_core && s->conf.one_task_per_core)
        per_core = 1;
    if (per_core)
        use = MIN(use, per_core * r->cpus_per_task);
    return MAX(use, 1u);
}

/* Single CPUs are distributed cyclically over the sockets, unless the job or the site says otherwise. */
bool fit_spreads(const struct sched *s, const struct need *n)
{
    const struct req *r = n->req;
    if (r->core_dist)
        return r->core_dist == CORES_CYCLIC;
    return !s->conf.cores_in_blocks && r->cpus_per_task == 1 && !n->per_node;
}

/* With whole-socket allocation: the sockets that the cores are distributed over, or as few as possible. */
static uint32_t whole_sockets(const struct sched *s, const struct need *n, const struct node_profile *prof,
                              uint32_t cores)
{
    uint32_t all = MAX(prof->ncores / prof->cores_per_socket, 1u);
    uint32_t sockets = fit_spreads(s, n) ? MIN(cores, all) : 0;
    return MAX(sockets, (cores + prof->cores_per_socket - 1) / prof->cores_per_socket) * prof->alloc_unit_cpus;
}

uint32_t fit_cores(const struct sched *s, const struct need *n, uint32_t node, uint32_t cpus)
{
    const struct node_profile *prof = &s->profile[node];
    uint32_t use = n->whole || s->conf.by_core ? prof->cpus_per_core : threads_used(s, n, prof);
    return (cpus + use - 1) / use;
}

uint32_t fit_cpus(const struct sched *s, const struct cluster *c, const struct need *n, uint32_t node, uint32_t tasks,
                  uint32_t gpus)
{
    const struct node_profile *prof = &s->profile[node];
    if (n->req->core_spec)
        return core_spec_cpus(n, &c->node[node]);
    if (n->whole)
        return prof->total.cpus;
    uint32_t cpus = n->req->overcommit ? 1 : tasks * n->req->cpus_per_task;
    if (!n->req->ntasks_set)
        cpus = MAX(cpus, n->req->mincpus);
    if (n->req->cpus_per_gpu)
        cpus = (uint32_t)MAX(cpus, MIN(mul_cap(n->req->cpus_per_gpu, fit_gpus(n, tasks, gpus)), UINT32_MAX / 2));
    if (!s->conf.by_core)
        return cpus; /* the rest of the last core stays unused */
    uint32_t use = threads_used(s, n, prof), cores = (cpus + use - 1) / use;
    return s->conf.by_socket ? whole_sockets(s, n, prof, cores) : cores * prof->cpus_per_core;
}

uint64_t fit_mem(const struct cluster *c, const struct need *n, uint32_t node, uint32_t cpus, uint32_t gpus)
{
    if (n->req->mem_all) {
        uint64_t kept = c->node[node].def ? c->node[node].def->mem_spec_mb : 0;
        return c->node[node].mem_mb - MIN(kept, c->node[node].mem_mb);
    }
    if (n->req->mem_per_gpu_mb)
        return mul_cap(n->req->mem_per_gpu_mb, gpus);
    if (n->req->core_spec)
        cpus = core_spec_cpus(n, &c->node[node]);
    return n->mem_node_mb ? n->mem_node_mb : mul_cap(n->mem_cpu_mb, cpus);
}

/* Tasks that the free CPUs can run. */
static uint32_t tasks_by_cpu(const struct sched *s, const struct need *n, uint32_t node, const struct avail *av)
{
    const struct req *q = n->req;
    const struct node_profile *prof = &s->profile[node];
    uint32_t use = threads_used(s, n, prof), cpus = av->cpus / prof->cpus_per_core * use;
    if (cpus < MAX(q->mincpus, 1u))
        return 0;
    if (q->overcommit)
        return UINT32_MAX / 2;
    if (s->conf.by_memory && n->mem_cpu_mb && !n->mem_node_mb && !q->mem_all && !q->mem_per_gpu_mb)
        cpus = (uint32_t)MIN(cpus, av->mem_mb / n->mem_cpu_mb / (s->conf.by_core ? prof->alloc_unit_cpus : 1) *
                                       (s->conf.by_core ? use * (prof->alloc_unit_cpus / prof->cpus_per_core) : 1));
    return cpus / q->cpus_per_task;
}

static bool memory_fits(const struct sched *s, const struct cluster *c, const struct need *n, const struct node_fit *nf,
                        const struct avail *av)
{
    if (!s->conf.by_memory)
        return true;
    uint32_t tasks = MAX(nf->min_tasks, 1u), gpus = fit_gpus(n, tasks, MIN(nf->gpus, 1u));
    uint32_t cpus = fit_cpus(s, c, n, nf->node, tasks, MIN(nf->gpus, 1u));
    return fit_mem(c, n, nf->node, cpus, gpus) <= av->mem_mb;
}

/* The node's GPUs of a per-job count are limited by the memory and the CPUs that go with each. */
static void lower_job_gpus(const struct sched *s, const struct need *n, const struct avail *av, struct node_fit *nf)
{
    if (!nf->gpus)
        return;
    if (s->conf.by_memory && n->req->mem_per_gpu_mb)
        nf->gpus = (uint32_t)MIN(nf->gpus, av->mem_mb / n->req->mem_per_gpu_mb);
    if (n->req->cpus_per_gpu)
        nf->gpus = MIN(nf->gpus, av->cpus / n->req->cpus_per_gpu);
}

/* CPUs and memory per GPU grow with the tasks that bring GPUs: lower the tasks until they fit. */
static void lower_by_gpu(const struct sched *s, const struct cluster *c, const struct need *n, const struct avail *av,
                         struct node_fit *nf)
{
    if (n->req->overcommit || !(n->req->cpus_per_gpu || n->req->mem_per_gpu_mb))
        return;
    for (; nf->tasks > nf->min_tasks; nf->tasks--) {
        uint32_t cpus = fit_cpus(s, c, n, nf->node, nf->tasks, MIN(nf->gpus, 1u));
        uint64_t mem = fit_mem(c, n, nf->node, cpus, fit_gpus(n, nf->tasks, MIN(nf->gpus, 1u)));
        if (cpus <= av->cpus && (!s->conf.by_memory || mem <= av->mem_mb))
            return;
    }
}

static bool node_layout_fits(const struct sched *s, const struct need *n, const struct node *node,
                             const struct avail *av)
{
    const struct req *q = n->req;
    if (n->exclusive ? av->jobs > 0 : av->exclusive > 0)
        return false;
    return node->sockets * node->boards >= q->sockets_per_node && node->cores >= q->cores_per_socket &&
           node->tmp_mb >= q->tmp_mb && MAX(node->threads, 1u) >= q->threads_per_core;
}

bool fit_node(const struct sched *s, const struct cluster *c, const struct need *n, uint32_t i, const struct avail *av,
              struct node_fit *out)
{
    const struct node *node = &c->node[i];
    const struct req *q = n->req;
    struct avail own;
    if (q->core_spec && (av->cpus < s->profile[i].total.cpus || (s->oversub && !oversub_core_spec_fits(s, n, node))))
        return false; /* the job needs the whole node */
    if (q->core_spec) {
        own = *av;
        own.cpus = core_spec_cpus(n, node);
        av = &own;
    }
    *out = (struct node_fit){ .node = i, .cpus = av->cpus, .min_tasks = MAX(n->per_node, 1u) };
    if (!av->cpus || !node_layout_fits(s, n, node, av))
        return false;
    out->tasks = tasks_by_cpu(s, n, i, av);
    if (n->per_node)
        out->tasks = MIN(out->tasks, n->per_node);
    if (q->ntasks_per_socket)
        out->tasks = MIN(out->tasks, q->ntasks_per_socket * node->sockets * node->boards);
    if (out->tasks < out->min_tasks || !fit_gres(n, node, av, out))
        return false;
    lower_job_gpus(s, n, av, out);
    lower_by_gpu(s, c, n, av, out);
    if (out->tasks < out->min_tasks || (n->gpus && !out->gpus) || !memory_fits(s, c, n, out, av))
        return false;
    uint32_t cpus = fit_cpus(s, c, n, i, out->min_tasks, MIN(out->gpus, 1u));
    return (s->conf.by_core || n->whole ? cpus : fit_cores(s, n, i, cpus) * s->profile[i].cpus_per_core) <= av->cpus;
}
