/*
 * step - the fields of a job step, and texts that several of them share.
 */
#ifndef SPUR_SHOW_STEP_H
#define SPUR_SHOW_STEP_H

#include "show/job.h"

struct step_row {
    struct job_row job;
    const Pb__Step *step;
};

extern const struct show_table show_step; /* rows are struct step_row */

/* A batch script is a step even where no record says so: fill `step` and `spec` with it. */
void step_of_batch(const Pb__Job *j, Pb__Step *step, Pb__StepSpec *spec);

/* Appended to `out` each; nothing where there is nothing to say. */
void step_put_id(struct buf *out, const struct job_row *r, uint32_t step); /* "12_3.batch" */
void step_put_number(struct buf *out, uint32_t step);                      /* "0", "batch" */
void step_put_nodes(struct buf *out, const struct step_row *r);
void step_put_tres(struct buf *out, const Pb__Step *s);
void step_put_tres_per_step(struct buf *out, const Pb__Step *s);
void step_put_tres_per_node(struct buf *out, const Pb__Step *s, const Pb__JobSpec *job);
void step_put_tres_per_task(struct buf *out, const Pb__Step *s);
void step_put_tres_bind(struct buf *out, const Pb__Step *s);

uint32_t step_shown_tasks(const Pb__Step *s);
const char *step_dist(const Pb__Step *s); /* "Block", "Cyclic", ..., "Unknown" */

#endif
