/*
 * masks - which CPUs each task of a step gets on this node: a pure function of the node's shape, the step's share of it
 * and what was asked.
 *
 * The answers are those of Slurm's task/affinity: the second level of -m says which sockets tasks go to, the third
 * which cores, and the unit of --cpu-bind how far a task's mask reaches; where nothing is said, the unit follows from
 * what was allocated.  CPUs that the user names must be the step's; locality domains by name count only with the whole
 * node.
 */
#ifndef SPUR_STEP_MASKS_H
#define SPUR_STEP_MASKS_H

#include "step/topo.h"
#include "text/bind.h"

struct masks_ask {
    const struct topo *topo;
    const struct bitmap *cores; /* the step's, by the node's shape */
    uint32_t tasks;             /* on this node */
    uint32_t cpus_per_task;     /* 0: one */
    uint32_t threads_per_core;  /* no more than these of each core; 0: all */
    uint32_t ntasks_per_core;   /* 0: any number */
    struct bind_dist dist;
    bool dist_block;             /* sockets in blocks when -m does not say (CR_CORE_DEFAULT_DIST_BLOCK) */
    bool share_cores;            /* CPUs are allocated, not cores: tasks may share a core */
    const struct bind_cpu *bind; /* what was asked */
    enum bind_unit otherwise;    /* TaskPluginParam=autobind=... */
};

struct masks {
    enum bind_cpu_how how; /* what came of it: MASK when masks were made here, NONE, or as asked; AUTO: not bound */
    struct bitmap *at;     /* for each task, by the system's numbers; empty: not bound */
    uint32_t n;
    struct bitmap had; /* by the system's numbers: all that the step has here */
    bool absent;       /* some CPUs are not there: tasks that would have had them are not bound */
};

#define auto_masks __attribute__((cleanup(masks_clear)))

/* False: CPUs were named that the step has not. */
bool masks_make(const struct masks_ask *ask, struct masks *out);
void masks_clear(struct masks *m);

/* "0x03,0x0C": as SLURM_CPU_BIND_LIST shows masks that were made here; yours. */
char *masks_text(const struct masks *m, uint32_t cpus);

/* A mask in hexadecimal, without 0x; bits from `max` on are left out. */
void masks_parse(const char *hex, size_t max, struct bitmap *out);
/* "3f", "0" when empty; yours. */
char *masks_hex(const struct bitmap *b);

#endif
