/*
 * priority_top - scontrol top JOBS.
 */
#ifndef SPUR_CTL_PRIORITY_TOP_H
#define SPUR_CTL_PRIORITY_TOP_H

#include "ctl/ctl_priv.h"

/* All of them, or none. */
void priority_top_jobs(const struct ctl_call *call, const Pb__JobOpRequest *r);

#endif
