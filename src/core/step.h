/*
 * step - steps as shares of their job: what they hold of its nodes.
 *
 * What is held follows from the job's steps alone: it is built up as they start and end,
 * and built anew from a snapshot.  Steps that share (--overlap) hold nothing.
 */
#ifndef SPUR_CORE_STEP_H
#define SPUR_CORE_STEP_H

#include "core/job.h"

struct step_hold { /* of one node of the job's allocation */
    uint32_t steps; /* that hold something here */
    uint32_t cpus;
    uint64_t mem_mb;
    struct bitmap cores;
    uint64_t *gres;        /* by position in the allocation's gres */
    struct bitmap *device; /* the same, one by one */
    uint32_t ngres;
};

void step_take(struct job *j, const Pb__Step *s);
void step_release(struct job *j, const Pb__Step *s);
void step_holds_clear(struct job *j); /* nothing is held any more */
void step_holds_rebuild(struct job *j);

/* The running step of that number, or NULL. */
Pb__Step *step_find(const struct job *j, uint32_t id);
/* What it has of all its nodes together. */
uint32_t step_cpus(const Pb__Step *s);
uint32_t step_tasks(const Pb__Step *s);

#endif
