/*
 * tmpfs - private folders of a job: /tmp and its like, seen by this job's processes on this node and by nobody else.
 *
 *     <BasePath>/<job>.<attempt>/      root's alone; one folder in it for each private one, and
 *                        .ns           the job's mount namespace, kept by this file: every step of the job enters it
 *
 * The job's first step here makes it, the agent removes it when the job is over on this node.
 */
#ifndef SPUR_STEP_TMPFS_H
#define SPUR_STEP_TMPFS_H

#include "base/err.h"
#include "step/step.h"
#include "text/site_cgroup.h"

/* ---- the agent's part ---- */

/* Make `base` a place where namespaces can be kept (a private mount); leftovers of an earlier boot go. */
int tmpfs_open_base(const char *base, bool create, struct err *err);
/* At the agent's end: the mount goes unless a job has its folders there. */
void tmpfs_close_base(const char *base);
/* For SPAWNER_TMPFS.  Yours. */
char *tmpfs_text(const struct container_conf *c, const char *base);
/* The job is over: its namespace and all its files go.  Takes as long as deleting takes.  0, or why some are left. */
int tmpfs_remove(const struct container_conf *c, const char *base, uint32_t job_id, uint32_t attempt);
bool tmpfs_is_there(const char *base, uint32_t job_id, uint32_t attempt);

/* ---- the supervisor's part: nothing happens where no BasePath is configured ---- */

/* The job's namespace is there after this, made if need be. */
int tmpfs_prepare(struct step *s, struct err *err);
/* In the child, while it is root: into the namespace.  0 or errno; the working folder is lost. */
int tmpfs_enter(const struct step *s);

/* For others who act for a job (sbcast): this process enters its namespace for good; `text` as of tmpfs_text, or "". */
int tmpfs_join(const char *text, struct step_key key, struct err *err);

#endif
