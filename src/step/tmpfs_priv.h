/*
 * tmpfs_priv - what the agent's and the supervisor's part of tmpfs share.
 */
#ifndef SPUR_STEP_TMPFS_PRIV_H
#define SPUR_STEP_TMPFS_PRIV_H

#include "step/tmpfs.h"

#define TMPFS_NS ".ns"
#define TMPFS_LOCK ".lock"

/* Run a site's script with the job's id and namespace (NULL: none) in its environment, for at most `wait_s`. */
int tmpfs_script(const char *path, uint32_t job_id, const char *ns, uint64_t wait_s);

#endif
