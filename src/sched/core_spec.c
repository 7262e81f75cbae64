/*
 * core_spec - jobs that say how many cores of their nodes are left to the system (--core-spec, --thread-spec).
 *
 * Such a job has its nodes exclusively.  It may use all other cores, also cores that the configuration reserves for the
 * system if the job leaves fewer.  It is charged like any job with exclusive nodes.
 */
#include "core/core_spec.h"

#include "sched/need.h"

static uint32_t node_ncores(const struct node *node)
{
    return MAX(node->boards * node->sockets * node->cores, 1u);
}

/* Cores that the job leaves to the system. */
static uint32_t core_spec_count(const struct need *n, const struct node *node)
{
    uint32_t said = n->req->core_spec, count = (said & ~REQ_CORE_SPEC_THREADS) - 1, threads = MAX(node->threads, 1u);
    return said & REQ_CORE_SPEC_THREADS ? (count + threads - 1) / threads : count;
}

uint32_t core_spec_cpus(const struct need *n, const struct node *node)
{
    uint32_t cores = node_ncores(node), off = core_spec_count(n, node), per = MAX(node->cpus / cores, 1u);
    return (cores - MIN(off, cores)) * per;
}

void core_spec_add_busy(const struct need *n, const struct node *node, struct bitmap *busy)
{
    auto_bitmap struct bitmap off = BITMAP_INIT;
    if (n->req->core_spec)
        core_spec_pick(node, core_spec_count(n, node), &off);
    else
        core_spec_of_node(node, &off);
    bitmap_or(busy, &off);
}
