/*
 * fair - what associations and QOS add to priorities: fair share by what was charged, and their own numbers.
 */
#ifndef SPUR_CTL_FAIR_H
#define SPUR_CTL_FAIR_H

#include "ctl/ctl_priv.h"
#include "sched/fairshare.h"

void fair_refresh(struct ctl *t); /* the tree anew, by what is charged now */
void fair_clear(struct ctl *t);
/* What accounting knows of a job; all 0 where it knows nothing. */
void fair_given(const struct ctl *t, const struct job *j, struct priority_given *out);
const struct fair_member *fair_of(const struct ctl *t, uint32_t assoc);

void ctl_roster_load(const struct ctl_call *call); /* sacctmgr load */
void ctl_roster(const struct ctl_call *call);      /* sacctmgr dump, sshare */

#endif
