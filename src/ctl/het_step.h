/*
 * het_step - steps over several components of a heterogeneous job.
 */
#ifndef SPUR_CTL_HET_STEP_H
#define SPUR_CTL_HET_STEP_H

#include "ctl/het.h"
#include "ctl/step.h"

/* The number of its next step: one for all components. */
uint32_t het_next_step(const struct ctl *t, const struct job *j);

/* srun's own heterogeneous job has begun: so does the step it is for. */
void het_step_first(struct ctl *t, struct job *leader);
/* Has that step ended everywhere? */
bool het_steps_over(const struct ctl *t, const struct job *j);

/* Begin what was asked for, and answer; ESLURM_NODES_BUSY when some of it does not fit now. */
bool het_step_try(struct ctl *t, uint64_t session, uint64_t number, const Pb__StepRequest *r,
                  const struct ctl_peer *peer, struct err *err);

#endif
