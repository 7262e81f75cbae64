/*
 * core_spec - cores of a node that are kept for the system: CoreSpecCount, CpuSpecList, --core-spec.
 *
 * A list names them.  A count takes them from the end: the last core of the last socket, the last of the socket before
 * it, and so on round.
 */
#ifndef SPUR_CORE_CORE_SPEC_H
#define SPUR_CORE_CORE_SPEC_H

#include "core/node.h"

/* The `count` cores that are kept by a job's word: of those that the node keeps the first ones, then as above. */
void core_spec_pick(const struct node *n, uint32_t count, struct bitmap *out);

/* Those that the configuration keeps. */
void core_spec_of_node(const struct node *n, struct bitmap *out);

/* The same as CPU numbers: "3,7"; yours, "" when there are none. */
char *core_spec_text(const struct node *n);

#endif
