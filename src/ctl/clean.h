/*
 * clean - which nodes have said that nothing of a running job is left on them.
 *
 * A job that ends need not be ended where it is gone already.  This is a memory of the leader's alone: whoever knows less
 * asks the nodes, which say it again.
 */
#ifndef SPUR_CTL_CLEAN_H
#define SPUR_CTL_CLEAN_H

#include "ctl/change.h"

void clean_open(struct ctl *t);
void clean_close(struct ctl *t);
void clean_changed(struct ctl *t, const struct change *ch);

/* What the node at `pos` of the allocation said last; false also when it was told to run something. */
void clean_set(struct ctl *t, const struct job *j, uint32_t pos, bool clean);
/* Those that are clean, in order; `out` has room for the allocation.  Nobody is as long as steps run. */
size_t clean_list(const struct ctl *t, const struct job *j, uint32_t *out);

#endif
