/*
 * wait - replies that come later: sbatch --wait until a job ends, srun and salloc until it begins.
 *
 * A pending reply is no part of the log: it belongs to its connection, and the client asks again after a failover.
 */
#ifndef SPUR_CTL_WAIT_H
#define SPUR_CTL_WAIT_H

#include "ctl/change.h"

void wait_open(struct ctl *t);
void wait_close(struct ctl *t);
void wait_session_closed(struct ctl *t, uint64_t session);
void wait_changed(struct ctl *t, const struct change *ch);

void wait_submitted(const struct ctl_call *call, uint32_t job_id); /* a START_REPLY follows on this connection */
void wait_notify(struct ctl *t, uint32_t job_id);                  /* the job began or ended */
/* The node at `pos` of the job's allocation refused to launch a step: the srun of this step is told. */
void wait_launch_refused(struct ctl *t, const struct job *j, uint32_t pos, const Pb__Report *r);

#endif
