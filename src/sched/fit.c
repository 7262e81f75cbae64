/*
 * fit - how much of a job one node can hold, and what the job gets there.
 *
 * The answer depends on the need and on the room that is passed in: the same code
 * answers for now, for a moment in the future, and for an empty cluster.
 */
#include "base/str.h"
#include "sched/sched_priv.h"

bool fit_slot_matches(const struct gres_slot *slot, const struct req_gres *g)
{
    return str_eq(slot->name, g->name) && (str_empty(g->type) || str_eq(slot->type, g->type));
}

bool fit_is_gpu(const struct req_gres *g)
{
    return str_eq(g->name, "gpu");
}

static uint64_t gres_free(const struct node *node, const struct room *r, const struct req_gres *g)
{
    uint64_t have = 0;
    for (uint32_t i = 0; i < node->ngres && i < GRES_MAX; i++)
        if (fit_slot_matches(&node->gres[i], g))
            have += r->gres[i];
    return have;
}

/* How many of `g` the job takes on a node that gets this many tasks and this share of the job's count. */
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

/* Lower `h` to what the node's gres allow. */
static bool fit_gres(const struct need *n, const struct node *node, const struct room *r, struct hold *h)
{
    for (uint32_t i = 0; i < n->req->ngres; i++) {
        const struct req_gres *g = &n->req->gres[i];
        if (!g->count)
            continue;
        uint64_t have = gres_free(node, r, g);
        switch (g->scope) {
        case REQ_PER_NODE:
        case REQ_PER_SOCKET:
            if (have < fit_gres_ask(n, g, 1, 0))
                return false;
            break;
        case REQ_PER_TASK: h->tasks = (uint32_t)MIN(h->tasks, have / g->count); break;
        case REQ_PER_JOB:
            h->gpus = (uint32_t)MIN(have, g->count);
            if (!h->gpus)
                return false;
            break;
        }
    }
    return h->tasks > 0;
}

/* GPUs on a node that a per-GPU amount is counted by. */
uint32_t fit_gpus(const struct need *n, uint32_t tasks, uint32_t job_gpus)
{
    uint64_t gpus = 0;
    for (uint32_t i = 0; i < n->req->ngres; i++)
        if (fit_is_gpu(&n->req->gres[i]))
            gpus += fit_gres_ask(n, &n->req->gres[i], tasks, job_gpus);
    return (uint32_t)gpus;
}

/* CPUs of one core that may carry tasks. */
static uint32_t threads_used(const struct sched *s, const struct need *n, const struct lane *l)
{
    const struct req *r = n->req;
    uint32_t use = r->threads_per_core ? MIN(r->threads_per_core, l->cpc) : l->cpc;
    uint32_t per_core = r->ntasks_per_core;
    if (!per_core && !r->threads_per_core && s->conf.one_task_per_core)
        per_core = 1;
    if (per_core)
        use = MIN(use, per_core * r->cpus_per_task);
    return MAX(use, 1u);
}

/* Single CPUs are dealt round over the sockets, unless the job or the site says otherwise. */
bool fit_spreads(const struct sched *s, const struct need *n)
{
    const struct req *r = n->req;
    if (r->core_dist)
        return r->core_dist == CORES_CYCLIC;
    return !s->conf.cores_in_blocks && r->cpus_per_task == 1 && !n->per_node;
}

/* Where sockets are given: as many as the cores are dealt over, or as few as can be. */
static uint32_t whole_sockets(const struct sched *s, const struct need *n, const struct lane *l, uint32_t cores)
{
    uint32_t all = MAX(l->ncores / l->per_socket, 1u);
    uint32_t sockets = fit_spreads(s, n) ? MIN(cores, all) : 0;
    return MAX(sockets, (cores + l->per_socket - 1) / l->per_socket) * l->tpc;
}

/* Cores that so many CPUs of the job take. */
uint32_t fit_cores(const struct sched *s, const struct need *n, uint32_t node, uint32_t cpus)
{
    const struct lane *l = &s->lane[node];
    uint32_t use = n->whole || s->conf.by_core ? l->cpc : threads_used(s, n, l);
    return (cpus + use - 1) / use;
}

uint32_t fit_cpus(const struct sched *s, const struct cluster *c, const struct need *n, uint32_t node, uint32_t tasks,
                  uint32_t gpus)
{
    const struct lane *l = &s->lane[node];
    if (n->req->core_spec)
        return spec_cpus(n, &c->node[node]);
    if (n->whole)
        return l->all.cpus;
    uint32_t cpus = n->req->overcommit ? 1 : tasks * n->req->cpus_per_task;
    if (!n->req->ntasks_set)
        cpus = MAX(cpus, n->req->mincpus);
    if (n->req->cpus_per_gpu)
        cpus = MAX(cpus, n->req->cpus_per_gpu * fit_gpus(n, tasks, gpus));
    if (!s->conf.by_core)
        return cpus; /* what is left of its last core is nobody's */
    uint32_t use = threads_used(s, n, l), cores = (cpus + use - 1) / use;
    return s->conf.by_socket ? whole_sockets(s, n, l, cores) : cores * l->cpc;
}

uint64_t fit_mem(const struct cluster *c, const struct need *n, uint32_t node, uint32_t cpus, uint32_t gpus)
{
    if (n->req->mem_all) {
        uint64_t kept = c->node[node].def ? c->node[node].def->mem_spec_mb : 0;
        return c->node[node].mem_mb - MIN(kept, c->node[node].mem_mb);
    }
    if (n->req->mem_per_gpu_mb)
        return n->req->mem_per_gpu_mb * gpus;
    if (n->req->core_spec)
        cpus = spec_cpus(n, &c->node[node]);
    return n->mem_node_mb ? n->mem_node_mb : n->mem_cpu_mb * cpus;
}

/* Tasks that the free CPUs carry. */
static uint32_t tasks_by_cpu(const struct sched *s, const struct need *n, uint32_t node, const struct room *r)
{
    const struct req *q = n->req;
    const struct lane *l = &s->lane[node];
    uint32_t use = threads_used(s, n, l), cpus = r->cpus / l->cpc * use;
    if (cpus < MAX(q->mincpus, 1u))
        return 0;
    if (q->overcommit)
        return UINT32_MAX / 2;
    if (s->conf.by_memory && n->mem_cpu_mb && !n->mem_node_mb && !q->mem_all && !q->mem_per_gpu_mb)
        cpus = (uint32_t)MIN(cpus, r->mem_mb / n->mem_cpu_mb / (s->conf.by_core ? l->tpc : 1) *
                                       (s->conf.by_core ? use * (l->tpc / l->cpc) : 1));
    return cpus / q->cpus_per_task;
}

static bool memory_fits(const struct sched *s, const struct cluster *c, const struct need *n, const struct hold *h,
                        const struct room *r)
{
    if (!s->conf.by_memory)
        return true;
    uint32_t tasks = MAX(h->min_tasks, 1u), gpus = fit_gpus(n, tasks, MIN(h->gpus, 1u));
    uint32_t cpus = fit_cpus(s, c, n, h->node, tasks, MIN(h->gpus, 1u));
    return fit_mem(c, n, h->node, cpus, gpus) <= r->mem_mb;
}

/* A share of the job's GPUs is as large as memory and CPUs that go with each allow. */
static void lower_job_gpus(const struct sched *s, const struct need *n, const struct room *r, struct hold *h)
{
    if (!h->gpus)
        return;
    if (s->conf.by_memory && n->req->mem_per_gpu_mb)
        h->gpus = (uint32_t)MIN(h->gpus, r->mem_mb / n->req->mem_per_gpu_mb);
    if (n->req->cpus_per_gpu)
        h->gpus = MIN(h->gpus, r->cpus / n->req->cpus_per_gpu);
}

/* CPUs and memory that are counted by GPU grow with the tasks that bring GPUs. */
static void lower_by_gpu(const struct sched *s, const struct cluster *c, const struct need *n, const struct room *r,
                         struct hold *h)
{
    if (n->req->overcommit || !(n->req->cpus_per_gpu || n->req->mem_per_gpu_mb))
        return;
    for (; h->tasks > h->min_tasks; h->tasks--) {
        uint32_t cpus = fit_cpus(s, c, n, h->node, h->tasks, MIN(h->gpus, 1u));
        uint64_t mem = fit_mem(c, n, h->node, cpus, fit_gpus(n, h->tasks, MIN(h->gpus, 1u)));
        if (cpus <= r->cpus && (!s->conf.by_memory || mem <= r->mem_mb))
            return;
    }
}

static bool node_shape_fits(const struct sched *s, const struct need *n, const struct node *node, const struct room *r)
{
    const struct req *q = n->req;
    if (n->exclusive ? r->jobs > 0 : r->exclusive > 0)
        return false;
    return node->sockets * node->boards >= q->sockets_per_node && node->cores >= q->cores_per_socket &&
           node->tmp_mb >= q->tmp_mb && MAX(node->threads, 1u) >= q->threads_per_core;
}

bool fit_node(const struct sched *s, const struct cluster *c, const struct need *n, uint32_t i, const struct room *r,
              struct hold *out)
{
    const struct node *node = &c->node[i];
    const struct req *q = n->req;
    struct room own;
    if (q->core_spec && (r->cpus < s->lane[i].all.cpus || (s->shares && !share_spec(s, n, node))))
        return false; /* it wants the whole node */
    if (q->core_spec) {
        own = *r;
        own.cpus = spec_cpus(n, node);
        r = &own;
    }
    *out = (struct hold){ .node = i, .cpus = r->cpus, .min_tasks = MAX(n->per_node, 1u) };
    if (!r->cpus || !node_shape_fits(s, n, node, r))
        return false;
    out->tasks = tasks_by_cpu(s, n, i, r);
    if (n->per_node)
        out->tasks = MIN(out->tasks, n->per_node);
    if (q->ntasks_per_socket)
        out->tasks = MIN(out->tasks, q->ntasks_per_socket * node->sockets * node->boards);
    if (out->tasks < out->min_tasks || !fit_gres(n, node, r, out))
        return false;
    lower_job_gpus(s, n, r, out);
    lower_by_gpu(s, c, n, r, out);
    if (out->tasks < out->min_tasks || (n->gpus && !out->gpus) || !memory_fits(s, c, n, out, r))
        return false;
    uint32_t cpus = fit_cpus(s, c, n, i, out->min_tasks, MIN(out->gpus, 1u));
    return (s->conf.by_core || n->whole ? cpus : fit_cores(s, n, i, cpus) * s->lane[i].cpc) <= r->cpus;
}
