/*
 * node_group - the fields of sinfo: a row stands for nodes of a partition that look alike.
 */
#ifndef SPUR_SHOW_NODE_GROUP_H
#define SPUR_SHOW_NODE_GROUP_H

#include "show/node.h"
#include "show/part.h"

/* What a column means for the rows: show_field.group. */
enum node_match {
    MATCH_NONE,  /* summed up, or a list: never a reason for a row of its own */
    MATCH_RANGE, /* shown as "minimum+"; with --exact as MATCH_NODE */
    MATCH_NODE,  /* nodes with different values get different rows */
    MATCH_PART,  /* the same for partitions */
};

enum node_number {
    NUM_CPUS,
    NUM_SOCKETS,
    NUM_CORES,
    NUM_THREADS,
    NUM_MEMORY,
    NUM_DISK,
    NUM_WEIGHT,
    NUM_LOAD,
    NUM_FREE,
    NUM_COUNT
};

struct node_group {
    const struct part_row *part; /* the first partition of the row */
    uint32_t part_index;         /* in configured order */
    const Pb__Node *first;       /* NULL: the partition has no node that is wanted */
    VEC(const Pb__Node *) node;
    uint64_t low[NUM_COUNT], high[NUM_COUNT];
    bool no_load;                /* a node has not reported its load */
    uint32_t allocated, idle, other, total;
    uint32_t cpus_allocated, cpus_idle, cpus_other, cpus_total;
    uint64_t mem_allocated_mb;
    bool hosts, addresses;       /* the columns that are shown tell these apart: JSON lists them */
    show_user_fn *user;
};

extern const struct show_table show_node_group; /* rows are struct node_group */

void node_group_add(struct node_group *g, const Pb__Node *n);
void node_group_clear(struct node_group *g);

#endif
