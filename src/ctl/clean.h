/*
 * clean - the nodes that have reported that nothing of a running job is left on them.
 *
 * A job that ends need not be ended where it is gone already.  Only the leader remembers this; a new leader
 * sends the order to all nodes, and they report again.
 */
#ifndef SPUR_CTL_CLEAN_H
#define SPUR_CTL_CLEAN_H

#include "ctl/change.h"

void clean_open(struct ctl *t);
void clean_close(struct ctl *t);
void clean_changed(struct ctl *t, const struct change *ch);

/* What the node at `pos` of the allocation said last; false also when it was told to run something. */
void clean_set(struct ctl *t, const struct job *j, uint32_t pos, bool clean);
/* The places of clean nodes, in order; `out` has room for the allocation.  None as long as steps run. */
size_t clean_list(const struct ctl *t, const struct job *j, uint32_t *out);

#endif
