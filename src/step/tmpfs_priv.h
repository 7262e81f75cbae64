/*
 * tmpfs_priv - what the agent's and the supervisor's part of tmpfs share.
 */
#ifndef SPUR_STEP_TMPFS_PRIV_H
#define SPUR_STEP_TMPFS_PRIV_H

#include "step/tmpfs.h"

#define TMPFS_NS ".ns"
#define TMPFS_LOCK ".lock"

/* Run a script of the site with these two variables (each may be NULL) and wait for it, `wait_s` at most. */
int tmpfs_script(const char *path, uint32_t job_id, const char *ns, uint64_t wait_s);

#endif
