/*
 * isolate - how this node keeps jobs apart: cgroups (limits, devices, an end that nothing escapes) and private folders.
 *
 * Found out once, at the start; what the configuration asks for and this machine does not give is said then, once.
 */
#ifndef SPUR_NODE_ISOLATE_H
#define SPUR_NODE_ISOLATE_H

#include "node/agent.h"

/* Read cgroup.conf, gres.conf and job_container.conf, and make ready.  An error is a mistake in one of them. */
int isolate_start(struct agent *a, struct err *err);
/* Every step that lives is known by now: what the others left in cgroups ends. */
void isolate_sweep(struct agent *a);

/* At the end: folders in cgroups and mounts that no job needs any more go. */
void isolate_stop(struct agent *a);

/* For the spawner; "" when there is nothing. */
const char *isolate_cgroup_text(const struct agent *a);
const char *isolate_tmpfs_text(const struct agent *a);

/* A supervisor died: whatever is in its step's boxes dies, too. */
void isolate_end_step(const struct agent *a, struct step_key key);
/* Does the end of a job need more than the end of its steps? */
bool isolate_has_tmpfs(const struct agent *a);
/* The job is over on this node: its private folders go. */
void isolate_job_over(const struct agent *a, uint32_t job_id, uint32_t attempt);

/* A job sees no devices of gres.conf but its own: it counts them from 0. */
bool isolate_own_devices(const struct agent *a);

#endif
