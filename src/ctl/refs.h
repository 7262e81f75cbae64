/*
 * refs - from "12", "12_3", "12_[1-4]" to the records they name.
 */
#ifndef SPUR_CTL_REFS_H
#define SPUR_CTL_REFS_H

#include "ctl/ctl_priv.h"

/* Do `fn` to each record `ref` names; tasks that still share a record get one of their own first.  The error of the
 * last that failed, ESLURM_INVALID_JOB_ID when nothing is there. */
typedef int ref_fn(struct ctl *t, struct job *j, void *arg, struct err *err);
int refs_each(struct ctl *t, const Pb__JobRef *ref, ref_fn *fn, void *arg, struct err *err);

/* The same as one row of a reply. */
Pb__RefResult *refs_result(const Pb__JobRef *ref, int code, const struct err *err);
void refs_results_free(Pb__RefResult **r, size_t n);

#endif
