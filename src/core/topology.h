/*
 * topology - the network between the nodes: a tree of switches, or blocks of nodes.
 *
 * Made from a pb.Topology whenever the cluster is configured, and part of the state: every controller that leads
 * decides by the same network.  Units (switches, blocks) keep the order of the file; a node's leaf is the first unit
 * that names it.
 */
#ifndef SPUR_CORE_TOPOLOGY_H
#define SPUR_CORE_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bitmap.h"
#include "base/buf.h"
#include "record.pb-c.h"
#include "text/topology.h" /* enum topo_kind */

struct cluster;
struct part;

#define TOPO_NONE UINT32_MAX
#define TOPO_LEVELS 16 /* of blocks: sizes double from one to the next at least */

struct topo_unit {
    const char *name; /* points into the record */
    uint32_t parent;  /* TOPO_NONE: nothing above */
    uint32_t level;   /* 0: a leaf; else one more than the highest below */
    struct bitmap nodes;
};

struct topo {
    Pb__Topology *pb;
    enum topo_kind kind;
    struct topo_unit *unit; /* as pb->units */
    uint32_t nunits;
    uint32_t *leaf; /* by node: its leaf switch or block; TOPO_NONE: it is not in this network */
    size_t nleaf;
    uint32_t nroots;
    /* blocks: a block of level k is span[k] of the base blocks in a row, and counts for base * span[k] nodes */
    uint32_t base, nlevels, span[TOPO_LEVELS];
};

/* The network that jobs of a partition are placed by; NULL: none, nodes stand in a row. */
const struct topo *topo_of_part(const struct cluster *c, const struct part *p);
/* The one of this name; NULL or "": the cluster's own. */
const struct topo *topo_find(const struct cluster *c, const char *name);

static inline uint32_t topo_leaf(const struct topo *t, uint32_t node)
{
    return node < t->nleaf ? t->leaf[node] : TOPO_NONE;
}

/* The units above a node from the top down, "s0.s1"; false when it is not in the network. */
bool topo_path(const struct topo *t, uint32_t node, struct buf *out);

/* For core: forget what was there, and take these. */
void topo_take(struct cluster *c, Pb__Topology *const *pb, size_t n, bool optional);

#endif
