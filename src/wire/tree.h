/*
 * tree - how a row of nodes is cut into branches: the sender contacts the first node of each branch.
 *
 * Both the controller and the agents cut this way, so that with `width` branches at every place n nodes are reached in
 * about log n steps.
 */
#ifndef SPUR_WIRE_TREE_H
#define SPUR_WIRE_TREE_H

#include <stddef.h>

struct tree_cut {
    size_t first, count; /* of the row: the first is contacted, the rest of the branch is below it */
};

/* How many branches n nodes make: never more than `width`, of which 0 is 1. */
size_t tree_branches(size_t n, unsigned width);
/* Branch i of them: as even as can be, the longer ones first. */
struct tree_cut tree_branch(size_t n, unsigned width, size_t i);
/* How many times an order is handed on until the last of n nodes has it; 0 for none. */
unsigned tree_levels(size_t n, unsigned width);

#endif
