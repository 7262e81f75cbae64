/*
 * scripts - PrologSlurmctld, EpilogSlurmctld, ResvProlog and ResvEpilog as processes of the controller's daemon.
 *
 * They run as the controller does, one after the other for a job, side by side for several; one that takes too long is
 * killed with all it started.
 */
#ifndef SPUR_CTL_SCRIPTS_H
#define SPUR_CTL_SCRIPTS_H

#include <uv.h>

#include "ctl/ctl.h"

typedef void scripts_done_fn(void *arg, const struct ctl_script *script, int status);

/* Takes over script->env.  `done` is called from the loop, never from here. */
void scripts_run(uv_loop_t *loop, const struct site *site, const char *conf_path, struct ctl_script *script,
                 scripts_done_fn *done, void *arg);

#endif
