/*
 * priority_fairshare - what associations and QOS add to priorities: fair share by what was charged, and their own
 * numbers.
 */
#ifndef SPUR_CTL_PRIORITY_FAIRSHARE_H
#define SPUR_CTL_PRIORITY_FAIRSHARE_H

#include "ctl/ctl_priv.h"
#include "sched/fairshare.h"
#include "sched/priority.h"

void priority_fairshare_open(struct ctl *t);
void priority_fairshare_close(struct ctl *t);
void priority_fairshare_refresh(struct ctl *t); /* the tree anew, by what is charged now */
/* What accounting knows of a job; all 0 where it knows nothing. */
void priority_fairshare_given(const struct ctl *t, const struct job *j, struct priority_given *out);
const struct fair_member *priority_fairshare_of(const struct ctl *t, uint32_t assoc);


#endif
