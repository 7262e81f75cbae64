/*
 * fields_node - the columns of sinfo: a row stands for one or more nodes of one or more partitions.
 */
#ifndef SPUR_CLI_FIELDS_NODE_H
#define SPUR_CLI_FIELDS_NODE_H

#include "cli/format.h"
#include "record.pb-c.h"

/* What a field means for the rows: in field.at. */
enum node_match {
    MATCH_NONE,   /* summed up, or a list: never a reason for a row of its own */
    MATCH_RANGE,  /* summed up as "min+"; with --exact, as below */
    MATCH_NODE,   /* nodes with different values get different rows */
    MATCH_PART,   /* the same for partitions */
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

struct node_row {
    const Pb__Part *part;            /* the first of them; NULL: none */
    uint32_t part_index;
    const Pb__Node *first;           /* NULL: no node at all */
    VEC(const Pb__Node *) node;
    uint64_t low[NUM_COUNT], high[NUM_COUNT];
    bool no_load;                    /* no node told its load */
    uint32_t allocated, idle, other, total;
    uint32_t cpus_allocated, cpus_idle, cpus_other, cpus_total;
};

extern const struct field fields_node[];

void node_row_add(struct node_row *r, const Pb__Node *n);
void node_row_clear(struct node_row *r);

/* The state without what only we know. */
uint32_t node_state_of(const Pb__Node *n);
void node_put_gres_used(struct buf *out, const Pb__Node *n);
bool node_has_reason(const Pb__Node *n);

#endif
