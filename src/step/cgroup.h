/*
 * cgroup - the kernel's control groups around jobs and steps: enforced limits, and an end that no process escapes.
 *
 *     <tree>/job_<id>.<attempt>/step_<name>     created with the job's first step here, removed with its last
 *
 * The agent detects once what its machine supports and passes the result to its supervisors as text.  A supervisor
 * creates the cgroups of its step before the first task, and every task is in them before it executes any of the user's
 * code.  cgroup v2 is one tree for all controllers.  v1 has one tree per controller; where the machine mounts v2 beside
 * v1 (without controllers), processes are tracked in the v2 tree, which can kill and freeze a whole cgroup.
 *
 * A step's folder in one tree is called its box.  Where cgroups are not supported, s->cgroup is NULL and each call here
 * does nothing.
 */
#ifndef SPUR_STEP_CGROUP_H
#define SPUR_STEP_CGROUP_H

#include "base/err.h"
#include "base/vec.h"
#include "step/step.h"
#include "text/gres_conf.h"
#include "text/site_cgroup.h"

enum cgroup_what { CGROUP_TRACK, CGROUP_MEMORY, CGROUP_CPUSET, CGROUP_DEVICES, CGROUP_PIDS, CGROUP_CPU, CGROUP_WHATS };

struct cgroup_tree {
    char *dir;     /* the node's folder in the tree */
    bool v2;       /* the files are those of cgroup v2 */
    unsigned what; /* 1 << enum cgroup_what: what the tree is used for */
};

/* A device file of the node that belongs to a gres. */
struct cgroup_device {
    char *name, *type; /* of the gres; type "": none */
    char kind;         /* c or b; 0: there is no file */
    unsigned major, minor;
};

/* What a node enforces, with the parameters. */
struct cgroup_rules {
    bool ram, swap, cores, devices, quota, oom_kill_step;
    double allowed_ram, allowed_swap, max_ram, max_swap;
    uint64_t min_ram_mb, swappiness, max_processes, node_mem_mb;
};

struct cgroups {
    VEC(struct cgroup_tree) tree;
    VEC(struct cgroup_device) device;
    struct cgroup_rules rules;
};

void cgroups_clear(struct cgroups *c);

/* ---- for the agent: cgroup_node.c ---- */

/* Reports a setting of the configuration that this machine does not support. */
typedef void cgroup_say_fn(void *arg, const char *sentence);

struct cgroup_wish {
    const struct cgroup_conf *conf;
    const struct gres_conf *gres;
    bool oom_kill_step;
    bool track, limit; /* ProctrackType=proctrack/cgroup; TaskPlugin has task/cgroup */
    const char *name;  /* of the node's folder, unique among the agents of this machine */
    uint64_t node_mem_mb;
    cgroup_say_fn *say;
    void *arg;
};

/* Find the trees and create the node's folders.  An error only when cgroup.conf names a version that is not mounted. */
int cgroups_find(struct cgroups *c, const struct cgroup_wish *wish, struct err *err);
/* For SPAWNER_CGROUP; "" when there is nothing.  The caller frees it. */
char *cgroups_text(const struct cgroups *c);
/* Parse that text; false: malformed. */
bool cgroups_parse(struct cgroups *c, const char *text);

/* A step whose supervisor is gone: everything in its boxes is killed and the boxes are removed. */
void cgroups_end_step(const struct cgroups *c, struct step_key key);
/* Every step that has boxes here, each once. */
typedef void cgroup_each_fn(void *arg, struct step_key key);
void cgroups_each_step(const struct cgroups *c, cgroup_each_fn *each, void *arg);

/* ---- for the supervisor ---- */

/* Create the boxes and set the limits.  On error the step must not run: its limits would not be enforced. */
int cgroup_make(struct step *s, struct err *err);
/* Fork a child into the boxes.  With `share` as by vfork: the child shares our memory, and the call returns when it has
 * exec'd or exited.  `fn` does not return.  Returns the child's pid, or -1 with errno. */
pid_t cgroup_spawn(struct step *s, bool share, void (*fn)(void *arg), void *arg);
/* For a child that was forked otherwise: enter the boxes, or exit. */
void cgroup_enter(struct step *s);
/* Send SIGKILL to every process in the box.  False: not supported. */
bool cgroup_kill(struct step *s);
bool cgroup_freeze(struct step *s, bool frozen);
/* How many of its processes the kernel's OOM killer has killed. */
uint64_t cgroup_oom_kills(const struct step *s);
/* Call `fn` at the first OOM kill. */
void cgroup_on_oom(struct step *s, void (*fn)(struct step *s));
/* What the step has used until now according to the cgroups (CPU time with v2, memory in use, major faults): raises
 * fields of `out`, leaves the fields that the trees do not count unchanged.  False: nothing is counted. */
bool cgroup_usage(const struct step *s, Pb__Usage *out);
/* Remove the boxes; the step is over and nothing of it runs. */
void cgroup_remove(struct step *s);

#endif
