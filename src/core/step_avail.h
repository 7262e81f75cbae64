/*
 * step_avail - one node of an allocation as a new step sees it: what is free there, and how many tasks that is.
 */
#ifndef SPUR_CORE_STEP_AVAIL_H
#define SPUR_CORE_STEP_AVAIL_H

#include "core/step_fit.h"

enum step_lack { LACK_NOTHING, LACK_CPUS, LACK_MEMORY, LACK_GRES };

struct step_avail {
    uint32_t pos;        /* in the allocation */
    uint32_t cpus;       /* free for it */
    uint32_t per_core;   /* CPUs of a core as the job has them */
    uint32_t tasks;      /* that fit; 0: see `lack` */
    enum step_lack lack; /* what there is too little of */
    bool required;       /* named by -w */
    bool idle;           /* no other step holds any of it */
};

/* `empty`: as if no other step were running. */
void step_avail_find(const struct cluster *c, const struct job *j, const struct step_ask *a, uint32_t pos, bool empty,
                     struct step_avail *out);

/* Free devices on the allocation's node `pos` that the row would take. */
uint64_t step_avail_gres(const struct cluster *c, const struct job *j, const struct step_ask *a, uint32_t pos,
                         bool empty, const struct req_gres *row);
bool step_avail_matches(const struct cluster *c, const struct node_alloc *na, uint32_t share,
                        const struct req_gres *row);

/* The share of `tasks` tasks (and of `gpus` GPUs, for rows that count over the whole step): cores and devices by name.
 * Lowest free ones first. */
Pb__NodeAlloc *step_assign(const struct cluster *c, const struct job *j, const struct step_ask *a,
                           const struct step_avail *r, uint32_t tasks, const uint64_t *per_step);

#endif
