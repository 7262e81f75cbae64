/*
 * accrue - which waiting jobs gain age priority, where a limit says how many may (GrpJobsAccrue, MaxJobsAccrue...).
 *
 * The jobs that came first do; when one of them starts or leaves, the next job begins to count from then on.  Each
 * change is an event, as it depends on what was before.  Where no such limit is, nothing here happens.  A waiting array
 * counts for one.
 */
#ifndef SPUR_CTL_ACCRUE_H
#define SPUR_CTL_ACCRUE_H

#include "ctl/ctl_priv.h"

void accrue_job(struct ctl *t, struct job *j); /* it is new or has changed */
void accrue_all(struct ctl *t);                /* a job that left may let others begin to count */

#endif
