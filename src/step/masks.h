/*
 * masks - which CPUs each task of a step gets on this node: a pure function of the node's shape, the step's share of it
 * and the request.
 *
 * The results are those of Slurm's task/affinity: the second level of -m selects the sockets of tasks, the third the
 * cores, and the unit of --cpu-bind how far a task's mask extends; without a unit, it follows from the allocation.
 * CPUs that the user names must be the step's; locality domains by name are used only with the whole node.
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
    uint32_t threads_per_core;  /* use no more threads of each core; 0: all */
    uint32_t ntasks_per_core;   /* 0: any number */
    struct bind_dist dist;
    bool dist_block;             /* sockets in blocks when -m does not say (CR_CORE_DEFAULT_DIST_BLOCK) */
    bool share_cores;            /* CPUs are allocated, not cores: tasks may share a core */
    const struct bind_cpu *bind; /* the request */
    enum bind_unit otherwise;    /* TaskPluginParam=autobind=... */
};

struct masks {
    enum bind_cpu_how how; /* result: MASK when masks were made here, NONE, or as requested; AUTO: not bound */
    struct bitmap *at;     /* for each task, by the system's numbers; empty: not bound */
    uint32_t n;
    struct bitmap had; /* by the system's numbers: all CPUs of the step here */
    bool absent;       /* some configured CPUs do not exist: their tasks are not bound */
};

#define auto_masks __attribute__((cleanup(masks_clear)))

/* False: the request names CPUs that the step does not have. */
bool masks_make(const struct masks_ask *ask, struct masks *out);
void masks_clear(struct masks *m);

/* "0x03,0x0C": the masks as in SLURM_CPU_BIND_LIST; the caller frees it. */
char *masks_text(const struct masks *m, uint32_t cpus);

/* Parse a mask in hexadecimal, without 0x; bits from `max` on are ignored. */
void masks_parse(const char *hex, size_t max, struct bitmap *out);
/* "3f", "0" when empty; the caller frees it. */
char *masks_hex(const struct bitmap *b);

#endif
