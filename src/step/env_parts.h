/*
 * env_parts - the parts of env_step(): each sets its own variables.
 */
#ifndef SPUR_STEP_ENV_PARTS_H
#define SPUR_STEP_ENV_PARTS_H

#include "step/env.h"

void env_text(struct env *e, const char *name, const char *value); /* not when it is empty */
void env_number(struct env *e, const char *name, uint64_t n);      /* not when it is 0 */
/* "4,2(x3)": the counts of the nodes in turn. */
void env_counts(struct env *e, const char *name, const uint32_t *count, size_t n);

/* ---- env_job.c ---- */
void env_job(struct env *e, const Pb__LaunchOrder *o);
void env_array(struct env *e, const Pb__LaunchOrder *o);
void env_launchers(struct env *e); /* of MPI libraries */
void env_batch(struct env *e, const Pb__LaunchOrder *o);

/* ---- env_het.c ---- */
void env_het(struct env *e, const Pb__LaunchOrder *o);
void env_het_step(struct env *e, const Pb__LaunchOrder *o); /* replaces values of set_srun */

/* ---- env_gpu.c ---- */
void env_devices(struct env *e, const Pb__LaunchOrder *o, const struct env_node *node);
void env_devices_task(struct env *e, const Pb__LaunchOrder *o, const struct env_node *node, uint32_t local);

/* ---- env_spur.c: names of our own ---- */
void env_twins(struct env *e); /* SPUR_X for SLURM_X */
void env_training(struct env *e, const Pb__LaunchOrder *o, const struct env_node *node);
void env_training_task(struct env *e, const Pb__LaunchOrder *o, uint32_t local);

#endif
