/*
 * cgroup_priv - what the files of cgroup share: names of the kernel's files, and small ways to read and write them.
 */
#ifndef SPUR_STEP_CGROUP_PRIV_H
#define SPUR_STEP_CGROUP_PRIV_H

#include "step/cgroup.h"

#define CGROUP_PATH 1024

struct cgroup_box { /* the step's place in one tree */
    const struct cgroup_tree *tree;
    char job[CGROUP_PATH], step[CGROUP_PATH]; /* folders; v1: the batch script lives in the job's */
    bool job_made;                            /* by us, just now: its limits are ours to set */
};

struct cgroup {
    struct cgroups node;
    struct cgroup_box box[CGROUP_WHATS];
    size_t n;
    int into;           /* the step's folder for CLONE_INTO_CGROUP; -1 */
    bool no_clone_into; /* this kernel does not know it */
    bool frozen;
    void (*on_oom)(struct step *s);
    int oom_fd, oom_looks;
};

/* 0 or errno. */
int cgroup_write(const char *dir, const char *file, const char *text);
int cgroup_writef(const char *dir, const char *file, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The file's text into `out`; false when it cannot be read. */
bool cgroup_read(const char *dir, const char *file, char *out, size_t room);
/* The number after `key` in a file of "key number" lines, or the first number when key is NULL. */
bool cgroup_number(const char *dir, const char *file, const char *key, uint64_t *out);
bool cgroup_has(const char *dir, const char *file);
/* A v1 cpuset is born empty, and nothing may enter it: it begins as its parent is. */
void cgroup_copy_cpuset(const char *parent, const char *dir);

/* Everything in the folder (and what it forks meanwhile) gets SIGKILL.  False: nothing could be done. */
bool cgroup_kill_dir(const char *dir, bool v2);
bool cgroup_freeze_dir(const char *dir, bool v2, bool frozen);
/* Remove the folder once its last process is gone; a moment is waited for it. */
int cgroup_rmdir(const char *dir);

void cgroup_job_dir(char out[static CGROUP_PATH], const struct cgroup_tree *t, struct step_key key);
void cgroup_step_dir(char out[static CGROUP_PATH], const struct cgroup_tree *t, struct step_key key);

/* The box of the tree that is used for `what`, or NULL. */
const struct cgroup_box *cgroup_box_of(const struct cgroup *c, enum cgroup_what what);

/* ---- cgroup_memory.c ---- */
struct cgroup_memory {
    uint64_t soft, ram, both; /* bytes; both: RAM and swap together, 0: not limited */
};
/* The limits of a job or step that was given `mb`; 0: no amount, it may have what the node may give to any. */
struct cgroup_memory cgroup_memory(const struct cgroup_rules *r, uint64_t mb);

/* ---- cgroup_limits.c ---- */
int cgroup_limits(struct step *s, struct err *err);

/* ---- cgroup_devices.c ---- */
/* Keep everything in `dir` away from the devices that are not in `mine` (by place in node.device). */
int cgroup_devices(const struct cgroup *c, const char *dir, bool v2, const bool *mine, struct err *err);

#endif
