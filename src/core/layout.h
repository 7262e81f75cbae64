/*
 * layout - which task runs where: how many on each node, and which ranks those are.
 *
 * A pure function of what the nodes have room for and what was asked; steps use it, and so
 * do jobs (SLURM_TASKS_PER_NODE).  Nodes are positions 0..n-1, in the order of the allocation.
 */
#ifndef SPUR_CORE_LAYOUT_H
#define SPUR_CORE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "record.pb-c.h"

enum layout_dist { LAYOUT_BLOCK, LAYOUT_CYCLIC, LAYOUT_PLANE, LAYOUT_ARBITRARY };

struct layout_dist_of { /* -m, as far as nodes are concerned */
    enum layout_dist dist;
    uint32_t plane;     /* LAYOUT_PLANE: tasks in a row */
    bool pack, no_pack; /* fill a node before the next one begins; or not, whatever the configuration says */
};

/* "cyclic:block,Pack", "plane=4", "*" ...  Levels below the node are for the binding of tasks. */
int layout_parse(const char *text, struct layout_dist_of *out, struct err *err);

#define LAYOUT_NODE_TASKS_MAX UINT16_MAX /* on each node, overcommitted or not */

struct layout_ask {
    uint32_t n;           /* nodes */
    const uint32_t *room; /* tasks that each has room for; UINT32_MAX: any number */
    uint32_t tasks;
    bool overcommit; /* tasks that there is no room for are dealt evenly */
    struct layout_dist_of dist;
    const uint32_t *host; /* LAYOUT_ARBITRARY: the node of each task */
    size_t nhosts;
};

struct layout {
    uint32_t n;
    uint32_t *tasks; /* on each node */
    uint32_t *rank;  /* global numbers, node by node, each node's in local order */
    bool plain;      /* they just count up */
};

#define auto_layout __attribute__((cleanup(layout_clear)))

/* ENOSPC when the tasks do not fit, EINVAL when an arbitrary order does not name a node for each. */
int layout_make(const struct layout_ask *ask, struct layout *out, struct err *err);
void layout_clear(struct layout *l);

/* layout_topo.c: positions of these nodes in the order of the network, yours; NULL: as they are. */
struct topo;
uint32_t *layout_topo_order(const struct topo *t, const uint32_t *node, uint32_t n);
/* layout_make() in that order, where -m is block. */
int layout_make_ordered(const struct layout_ask *ask, const uint32_t *order, struct layout *out, struct err *err);

/* The tasks of a job's shares (SLURM_TASKS_PER_NODE): where a job has more CPUs than its tasks need they are spread as
 * a step's would be. */
struct spec;
void layout_job(const struct spec *s, Pb__NodeAlloc *const *alloc, size_t n);

#endif
