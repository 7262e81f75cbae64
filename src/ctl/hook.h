/*
 * hook - the scripts around a job, as the controller sees them: its own (PrologSlurmctld, EpilogSlurmctld), and what
 * follows when one of a node's fails.
 *
 * While PrologSlurmctld runs the job is CONFIGURING, which is part of the state: a new leader runs the script again.
 */
#ifndef SPUR_CTL_HOOK_H
#define SPUR_CTL_HOOK_H

#include "ctl/change.h"
#include "wire/hook_env.h"

void hook_open(struct ctl *t);
void hook_close(struct ctl *t);
void hook_lead(struct ctl *t); /* scripts that an earlier leader had begun */
void hook_changed(struct ctl *t, const struct change *ch); /* an allocation begins or ends */

typedef void hook_brief_fn(void *arg, const Pb__HookJob *b);
void hook_with_brief(const struct ctl *t, const struct job *j, hook_brief_fn *fn, void *arg);
bool hook_before_start(const struct ctl *t); /* does a job wait for PrologSlurmctld? */
bool hook_at_once(const struct ctl *t);      /* do the nodes run Prolog before they are used? */
void hook_fence(struct ctl *t, const char *node); /* run SpurFenceProgram for this node */
void hook_resv(struct ctl *t, const char *name,
               bool over); /* a reservation begins, or is over: ResvProlog, ResvEpilog */
void hook_prolog_failed(struct ctl *t, struct job *j, uint32_t pos, bool clean);
void hook_epilog_failed(struct ctl *t, uint32_t node);

#endif
