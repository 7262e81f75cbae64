/*
 * resize - scontrol update NumNodes=, NodeList= of a running job: it gives nodes away, or all it has to another job.
 */
#ifndef SPUR_CTL_RESIZE_H
#define SPUR_CTL_RESIZE_H

#include "ctl/ctl_priv.h"

typedef int resize_fn(struct ctl *t, struct job *j, const char *to, struct err *err);

/* "3": keep that many, the first of them; "0": all go to the job that this one was submitted to expand; "ALL": what was
 * got is there already. */
int resize_count(struct ctl *t, struct job *j, const char *count, struct err *err);
/* Keep these of its nodes. */
int resize_nodes(struct ctl *t, struct job *j, const char *nodes, struct err *err);

/* --dependency=expand:JOB, 0 or why not. */
int resize_may_expand(const struct ctl *t, const struct job *into, uint32_t uid, struct err *err);

#endif
