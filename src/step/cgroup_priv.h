/*
 * cgroup_priv - what the files of cgroup share: paths, and small functions to read and write the kernel's files.
 */
#ifndef SPUR_STEP_CGROUP_PRIV_H
#define SPUR_STEP_CGROUP_PRIV_H

#include "step/cgroup.h"

#define CGROUP_PATH 1024

struct cgroup_box { /* the step's folders in one tree */
    const struct cgroup_tree *tree;
    char job[CGROUP_PATH], step[CGROUP_PATH]; /* paths; v1: the batch script is in the job's */
    bool job_made;                            /* created by this step, which sets its limits */
};

struct cgroup {
    struct cgroups node;
    struct cgroup_box box[CGROUP_WHATS];
    size_t n;
    int into;           /* the step's folder for CLONE_INTO_CGROUP; -1 */
    bool no_clone_into; /* not supported by this kernel */
    bool frozen;
    void (*on_oom)(struct step *s);
    int oom_fd, oom_looks;
};

/* 0 or errno. */
int cgroup_write(const char *dir, const char *file, const char *text);
int cgroup_writef(const char *dir, const char *file, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Read the file into `out`; false: it cannot be read. */
bool cgroup_read(const char *dir, const char *file, char *out, size_t room);
/* The number after `key` in a file of "key number" lines, or the first number when key is NULL. */
bool cgroup_number(const char *dir, const char *file, const char *key, uint64_t *out);
bool cgroup_has(const char *dir, const char *file);
/* A new v1 cpuset is empty and no process may enter it: copy the parent's. */
void cgroup_copy_cpuset(const char *parent, const char *dir);

/* Send SIGKILL to every process in the folder, also to those forked meanwhile.  False: not possible. */
bool cgroup_kill_dir(const char *dir, bool v2);
bool cgroup_freeze_dir(const char *dir, bool v2, bool frozen);
/* Remove the folder; waits a moment for its last process to exit. */
int cgroup_rmdir(const char *dir);

void cgroup_job_dir(char out[static CGROUP_PATH], const struct cgroup_tree *t, struct step_key key);
void cgroup_step_dir(char out[static CGROUP_PATH], const struct cgroup_tree *t, struct step_key key);

/* The box of the tree that is used for `what`, or NULL. */
const struct cgroup_box *cgroup_box_of(const struct cgroup *c, enum cgroup_what what);

/* ---- cgroup_memory.c ---- */
struct cgroup_memory {
    uint64_t soft, ram, both; /* bytes; both: RAM and swap together, 0: not limited */
};
/* The limits of a job or step with `mb` allocated; 0: none allocated, so the limits of the node apply. */
struct cgroup_memory cgroup_memory(const struct cgroup_rules *r, uint64_t mb);

/* ---- cgroup_limits.c ---- */
int cgroup_limits(struct step *s, struct err *err);

/* ---- cgroup_devices.c ---- */
/* Deny the processes in `dir` the devices that are not in `mine` (indexed as node.device). */
int cgroup_devices(const struct cgroup *c, const char *dir, bool v2, const bool *mine, struct err *err);

#endif
