/*
 * job_opts_call - options whose argument is more than a text or a number: one function each, called by the table.
 */
#ifndef SPUR_CLI_JOB_OPTS_CALL_H
#define SPUR_CLI_JOB_OPTS_CALL_H

#include "cli/job_opts.h"

opt_call_fn opt_core_spec, opt_delay_boot, opt_gres_flags;
opt_call_fn opt_segment, opt_switches;

/* Is the job a whole number of segments? */
bool job_opts_segments_fit(const struct job_opts *o);
opt_call_fn opt_acctg_freq, opt_begin, opt_deadline, opt_exclusive, opt_extra_node_info, opt_gid, opt_immediate,
    opt_job_name, opt_kill_invalid, opt_kill_on_bad_exit, opt_mail_type, opt_mem, opt_mem_per_cpu, opt_mpi,
    opt_external_launcher, opt_nice, opt_no_kill, opt_no_requeue, opt_nodefile, opt_nodes, opt_open_mode, opt_overlap,
    opt_priority, opt_profile, opt_relative, opt_bcast, opt_bell, opt_jobid, opt_compress, opt_ignore_signals,
    opt_kill_command, opt_no_bell, opt_oom_kill_step, opt_pty, opt_send_libs, opt_slurmd_debug, opt_treewidth,
    opt_requeue, opt_signal, opt_time, opt_tres_per_task, opt_uid, opt_wait, opt_wait_all_nodes;

#endif
