/*
 * step_text - what a step has and asked for, in Slurm's words: for scontrol show step and the columns of squeue -s.
 *
 * Each appends; nothing where there is nothing to say, unless a comment says otherwise.
 */
#ifndef SPUR_CLI_STEP_TEXT_H
#define SPUR_CLI_STEP_TEXT_H

#include "cli/fields_job.h"

uint32_t step_shown_tasks(const Pb__Step *s);
void step_put_tres(struct buf *out, const Pb__Step *s); /* "cpu=4,mem=400M,node=1", or "(null)" */
void step_put_tres_per_step(struct buf *out, const Pb__Step *s);
void step_put_tres_per_node(struct buf *out, const Pb__Step *s, const Pb__JobSpec *job);
void step_put_tres_per_task(struct buf *out, const Pb__Step *s);
void step_put_tres_bind(struct buf *out, const Pb__Step *s);
void step_put_dist(struct buf *out, const Pb__Step *s); /* "Cyclic": always something */

#endif
