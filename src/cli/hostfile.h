/*
 * hostfile - nodes by the lines of a file: -w PATH, and SLURM_HOSTFILE with -m arbitrary.
 */
#ifndef SPUR_CLI_HOSTFILE_H
#define SPUR_CLI_HOSTFILE_H

#include "cli/job_opts.h"

/* Before the options are checked: names from files into the list of nodes; with -m arbitrary a node for each task into
 * `*hosts` (yours; NULL otherwise), and the count of tasks, where it was not said, from there.
 * 0, or the exit status with everything said. */
int hostfile_read(struct job_opts *o, char **hosts);

#endif
