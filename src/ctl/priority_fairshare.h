/*
 * priority_fairshare - what associations and QOS add to priorities: fair share by what was charged, and their own numbers.
 */
#ifndef SPUR_CTL_PRIORITY_FAIRSHARE_H
#define SPUR_CTL_PRIORITY_FAIRSHARE_H

#include "ctl/ctl_priv.h"
#include "sched/fairshare.h"

void priority_fairshare_refresh(struct ctl *t); /* the tree anew, by what is charged now */
void priority_fairshare_clear(struct ctl *t);
/* What accounting knows of a job; all 0 where it knows nothing. */
void priority_fairshare_given(const struct ctl *t, const struct job *j, struct priority_given *out);
const struct fair_member *priority_fairshare_of(const struct ctl *t, uint32_t assoc);

void ctl_assoc_load(const struct ctl_call *call); /* sacctmgr load */
void ctl_assoc_list(const struct ctl_call *call);      /* sacctmgr dump, sshare */

#endif
