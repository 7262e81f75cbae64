/*
 * request - one function for each message; request.c has its permitted senders.
 */
#ifndef SPUR_CTL_REQUEST_H
#define SPUR_CTL_REQUEST_H

#include "ctl/ctl_priv.h"

typedef void request_fn(const struct ctl_call *call);

request_fn ctl_assoc_list, ctl_assoc_load, ctl_cancel, ctl_cluster_list, ctl_config_text, ctl_cred, ctl_diag,
    ctl_fanout_reply, ctl_heartbeat, ctl_job_done, ctl_job_op, ctl_jobs, ctl_launch_reply, ctl_licenses, ctl_nodes,
    ctl_parts, ctl_permit, ctl_prio, ctl_register, ctl_report, ctl_reports, ctl_resvs, ctl_script, ctl_status, ctl_step,
    ctl_submit, ctl_topology, ctl_update, ctl_wait, ctl_why;

#endif
