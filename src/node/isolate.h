/*
 * isolate - separation of jobs on this node: cgroups (limits, devices, killing whole steps) and private folders.
 *
 * Detected once, at the start; settings of the configuration that this machine does not support are logged then, once.
 */
#ifndef SPUR_NODE_ISOLATE_H
#define SPUR_NODE_ISOLATE_H

#include "node/agent.h"

/* Read cgroup.conf, gres.conf and job_container.conf, and prepare.  An error is a mistake in one of these files. */
int isolate_start(struct agent *a, struct err *err);
/* Call when every running step is known: kills what other steps left in cgroups. */
void isolate_sweep(struct agent *a);

/* At the agent's end: remove cgroup folders and mounts that no job uses. */
void isolate_stop(struct agent *a);

/* For the spawner; "" when there is nothing. */
const char *isolate_cgroup_text(const struct agent *a);
const char *isolate_tmpfs_text(const struct agent *a);

/* A supervisor died: kill every process in the cgroups of its step. */
void isolate_end_step(const struct agent *a, struct step_key key);
/* Does the end of a job need more than the end of its steps? */
bool isolate_has_tmpfs(const struct agent *a);
/* The job is over on this node: remove its private folders. */
void isolate_job_over(const struct agent *a, uint32_t job_id, uint32_t attempt);

/* A job sees only its own devices of gres.conf, numbered from 0. */
bool isolate_own_devices(const struct agent *a);

#endif
