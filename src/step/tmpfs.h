/*
 * tmpfs - private folders of a job: /tmp and similar, visible only to the processes of this job on this node.
 *
 *     <BasePath>/<job>.<attempt>/      root's; it holds one folder for each private one, and
 *                        .ns           the job's mount namespace, bound to this file: every step of the job enters it
 *
 * The job's first step on the node creates it, the agent removes it when the job is over on this node.
 */
#ifndef SPUR_STEP_TMPFS_H
#define SPUR_STEP_TMPFS_H

#include "base/err.h"
#include "step/step.h"
#include "text/site_cgroup.h"

/* ---- for the agent ---- */

/* Prepare `base` for binding namespaces (a private mount), and remove what an earlier boot left. */
int tmpfs_open_base(const char *base, bool create, struct err *err);
/* At the agent's end: unmount, unless a job has its folders there. */
void tmpfs_close_base(const char *base);
/* For SPAWNER_TMPFS.  The caller frees it. */
char *tmpfs_text(const struct container_conf *c, const char *base);
/* The job is over: remove its namespace and all its files; may take long.  0, or the error that left some. */
int tmpfs_remove(const struct container_conf *c, const char *base, uint32_t job_id, uint32_t attempt);
bool tmpfs_is_there(const char *base, uint32_t job_id, uint32_t attempt);

/* ---- for the supervisor: no effect where no BasePath is configured ---- */

/* Open the job's namespace, created if need be. */
int tmpfs_prepare(struct step *s, struct err *err);
/* In the child, while it is root: enter the namespace.  0 or errno; changes the working folder. */
int tmpfs_enter(const struct step *s);

/* For other processes of a job (sbcast): enter its namespace for good; `text` as of tmpfs_text, or "". */
int tmpfs_join(const char *text, struct step_key key, struct err *err);

#endif
