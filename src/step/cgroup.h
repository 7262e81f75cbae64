/*
 * cgroup - the kernel's boxes around jobs and steps: limits that hold, and an end that nothing escapes.
 *
 *     <tree>/job_<id>.<attempt>/step_<name>     made with the job's first step here, gone with its last
 *
 * The agent finds out once what its machine offers and hands the answer to its supervisors as text; a supervisor makes
 * the boxes of its step before the first task, and every task is in them before it runs a single instruction of the
 * user's.  cgroup v2 is one tree for everything.  v1 has one per controller; where the machine mounts v2 beside it
 * (without controllers), processes are tracked there: that tree can kill and freeze as a whole.
 *
 * Where there is none of this, everything else works as before: then s->cgroup is NULL and each call here does nothing.
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
    char *dir;     /* the node's own folder in it */
    bool v2;       /* files have the names of cgroup v2 */
    unsigned what; /* 1 << enum cgroup_what: what it is used for */
};

/* A device file of the node that belongs to a gres. */
struct cgroup_device {
    char *name, *type; /* of the gres; type "": not said */
    char kind;         /* c or b; 0: there is no file */
    unsigned major, minor;
};

/* What a node enforces, and by what numbers. */
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

/* ---- the agent's part: cgroup_node.c ---- */

/* A sentence about something that the configuration asks for and this machine does not give. */
typedef void cgroup_say_fn(void *arg, const char *sentence);

struct cgroup_wish {
    const struct cgroup_conf *conf;
    const struct gres_conf *gres;
    bool oom_kill_step;
    bool track, limit; /* ProctrackType=proctrack/cgroup; TaskPlugin has task/cgroup */
    const char *name;  /* of the node's folder, unlike that of any other agent on this machine */
    uint64_t node_mem_mb;
    cgroup_say_fn *say;
    void *arg;
};

/* Find the trees and make the node's folders.  An error only when cgroup.conf names a version that is not here. */
int cgroups_find(struct cgroups *c, const struct cgroup_wish *wish, struct err *err);
/* For SPAWNER_CGROUP; "" when there is nothing.  Yours. */
char *cgroups_text(const struct cgroups *c);
/* Back from that text; false when it is not such a text. */
bool cgroups_parse(struct cgroups *c, const char *text);

/* A step whose supervisor is gone: everything in its boxes is killed and the boxes are removed. */
void cgroups_end_step(const struct cgroups *c, struct step_key key);
/* Every step that has boxes here, each once. */
typedef void cgroup_each_fn(void *arg, struct step_key key);
void cgroups_each_step(const struct cgroups *c, cgroup_each_fn *each, void *arg);

/* ---- the supervisor's part ---- */

/* Make the boxes and set the limits.  On error the step must not run: what it was promised would not hold. */
int cgroup_make(struct step *s, struct err *err);
/* fork, into the boxes.  With `share` as by vfork: the child has our memory, and we go on when it has exec'd or ended.
 * `fn` does not return.  The child's pid, or -1 with errno. */
pid_t cgroup_spawn(struct step *s, bool share, void (*fn)(void *arg), void *arg);
/* For a child that was forked otherwise: into the boxes now, or out of this world. */
void cgroup_enter(struct step *s);
/* SIGKILL to everything in it.  False: it cannot be done this way. */
bool cgroup_kill(struct step *s);
bool cgroup_freeze(struct step *s, bool frozen);
/* How many of its processes the kernel has killed for want of memory. */
uint64_t cgroup_oom_kills(const struct step *s);
/* Call `fn` at the first of them. */
void cgroup_on_oom(struct step *s, void (*fn)(struct step *s));
/* What the step has used until now, as far as the trees know (CPU time with v2, memory in use, major faults): fields of
 * `out` grow to it, those that the trees do not know are left alone.  False: they know nothing. */
bool cgroup_usage(const struct step *s, Pb__Usage *out);
/* The step is over and nothing runs. */
void cgroup_remove(struct step *s);

#endif
