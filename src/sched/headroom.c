/*
 * headroom - an upper bound of what a node has free, as three numbers.
 *
 * Most nodes that cannot hold a job are recognised by these numbers, without reading the node profile.
 */
#include "sched/profile.h"

static uint32_t headroom_clip(uint64_t v)
{
    return (uint32_t)MIN(v, (uint64_t)UINT32_MAX / 4);
}

struct headroom headroom_of(uint32_t cpus, uint64_t mem_mb, const uint64_t gres[static GRES_MAX])
{
    uint64_t sum = 0;
    for (uint32_t g = 0; g < GRES_MAX; g++)
        sum += MIN(gres[g], (uint64_t)UINT32_MAX);
    return (struct headroom){ headroom_clip(cpus), headroom_clip(sum), headroom_clip(mem_mb) };
}

void headroom_add(struct headroom *b, const struct headroom *more)
{
    b->cpus = headroom_clip((uint64_t)b->cpus + more->cpus);
    b->gres = headroom_clip((uint64_t)b->gres + more->gres);
    b->mem_mb = headroom_clip((uint64_t)b->mem_mb + more->mem_mb);
}

struct headroom span_headroom(const struct span *sp)
{
    return headroom_of(sp->cpus, sp->mem_mb, sp->gres);
}

struct headroom need_headroom(const struct sched *s, const struct need *n)
{
    struct headroom b = { .cpus = n->least_cpus, .mem_mb = s->conf.by_memory ? headroom_clip(n->least_mem_mb) : 0 };
    for (uint32_t i = 0; i < n->req->ngres; i++) {
        const struct req_gres *g = &n->req->gres[i];
        uint64_t least = g->scope == REQ_PER_JOB ? MIN(g->count, 1u) : g->count;
        b.gres = MAX(b.gres, headroom_clip(least));
    }
    return b;
}
