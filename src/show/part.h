/*
 * part - the fields of a partition.
 */
#ifndef SPUR_SHOW_PART_H
#define SPUR_SHOW_PART_H

#include "record.pb-c.h"
#include "show/show.h"

struct part_row {
    const Pb__Part *part;
    char *nodes;                     /* "n[1-4]"; owned */
    uint64_t cpus, mem_mb, count;    /* of its nodes */
    bool all;                        /* configured as Nodes=ALL, and it still has all nodes */
    const char *preempt_mode;        /* the cluster's, which holds where the partition has none; NULL: OFF */
};

extern const struct show_table show_part; /* rows are struct part_row */

/* Sum up the nodes of the partition; `says_all`: its configuration says Nodes=ALL. */
void part_row_init(struct part_row *r, const Pb__Part *p, Pb__Node *const *node, size_t nnode, bool says_all);
void part_row_clear(struct part_row *r);

/* "up", "down", "drain" or "inact"; "UP", "DOWN", "DRAIN" or "INACTIVE". */
const char *part_state_short(const Pb__Part *p);
const char *part_state(const Pb__Part *p);
/* "NO", "YES:4", "FORCE:4"; partitions of whole nodes are NO here and say so by Exclusive. */
const char *part_oversubscribe(const Pb__Part *p);

#endif
