/*
 * het - heterogeneous jobs: several jobs that begin together and end with the first of them.
 *
 * Each component is a job like any other, with a number of its own; the numbers follow each
 * other, the first one's is the name of the whole.
 */
#ifndef SPUR_CORE_HET_H
#define SPUR_CORE_HET_H

#include "core/cluster.h"

#define HET_MAX 128 /* components of one job */

static inline bool het_is(const struct job *j)
{
    return j->het_job != 0;
}
static inline bool het_leads(const struct job *j)
{
    return j->het_job == j->id;
}

/* A component of the set that `j` belongs to; NULL when it is gone. */
struct job *het_part(const struct cluster *c, const struct job *j, uint32_t offset);

/* `n` free numbers in a row, from `from` on if there are; the first of them.  0: there are none. */
uint32_t het_free_ids(const struct cluster *c, uint32_t from, uint32_t n);

#endif
