/* layout_job - how many tasks of a job each of its nodes is for; see layout.h. */
#include "base/mem.h"
#include "core/job.h"
#include "core/layout.h"

/* Read from the spec's bytes: few jobs get more CPUs than their tasks need. */
static struct layout_dist_of dist_of(const struct spec *s)
{
    struct layout_dist_of d = { 0 };
    Pb__JobSpec *p = pb__job_spec__unpack(NULL, s->shown_len, (const uint8_t *)s->shown);
    if (p && layout_parse(p->distribution, &d, NULL))
        d = (struct layout_dist_of){ 0 };
    if (p)
        pb__job_spec__free_unpacked(p, NULL);
    return (struct layout_dist_of){ .pack = d.pack }; /* the number on each node is the same for the others */
}

void layout_job(const struct spec *s, Pb__NodeAlloc *const *alloc, size_t n)
{
    const struct req *r = &s->req;
    uint64_t sum = 0;
    if (n < 2 || !r->ntasks || r->ntasks < n)
        return;
    auto_free uint32_t *room = mem_array(n, sizeof(*room));
    for (size_t i = 0; i < n; i++) {
        room[i] = MAX(alloc[i]->cpus / MAX(r->cpus_per_task, 1u), 1u);
        if (r->ntasks_per_node)
            room[i] = MIN(room[i], r->ntasks_per_node);
        sum += room[i];
    }
    if (sum == r->ntasks)
        return; /* there is but one way */
    auto_layout struct layout l = { 0 };
    struct layout_ask ask = { .n = (uint32_t)n, .room = room, .tasks = r->ntasks, .overcommit = r->overcommit };
    ask.dist = dist_of(s);
    if (layout_make(&ask, &l, NULL))
        return;
    for (size_t i = 0; i < n; i++)
        alloc[i]->tasks = l.tasks[i];
}
