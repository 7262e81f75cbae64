/* het - components of heterogeneous jobs; see het.h. */
#include "core/het.h"

struct job *het_part(const struct cluster *c, const struct job *j, uint32_t offset)
{
    struct job *p = offset < j->het_size ? cluster_job(c, j->het_job + offset) : NULL;
    return p && p->het_job == j->het_job ? p : NULL;
}

/* A number that is used breaks the row; so does the end of all numbers, where they begin again. */
uint32_t het_free_ids(const struct cluster *c, uint32_t from, uint32_t n)
{
    uint32_t first = 0, run = 0, id = from;
    for (uint64_t tries = c->jobs.n * 2 + c->arrays.n * 2 + (uint64_t)n * 4 + 4; tries; tries--) {
        uint32_t free = cluster_free_id(c, id);
        run = run && free == first + run ? run + 1 : 1;
        first = run == 1 ? free : first;
        if (run == n)
            return first;
        id = free + 1;
    }
    return 0;
}
