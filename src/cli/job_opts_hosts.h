/*
 * job_opts_hosts - nodes by file, and a node for each task: -w FILE, and -m arbitrary with -w or $SLURM_HOSTFILE.
 */
#ifndef SPUR_CLI_JOB_OPTS_HOSTS_H
#define SPUR_CLI_JOB_OPTS_HOSTS_H

#include "cli/job_opts.h"

/* 0, or the exit status with the sentence in `err`. */
int job_opts_hosts(struct job_opts *o, struct err *err);

#endif
