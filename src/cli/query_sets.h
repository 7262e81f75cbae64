/*
 * query_sets - the option tables of the commands that ask and change, for the tests that compare them with Slurm's.
 */
#ifndef SPUR_CLI_QUERY_SETS_H
#define SPUR_CLI_QUERY_SETS_H

#include "text/opt.h"

extern const struct opt_set squeue_set, sinfo_set, scancel_set, scontrol_set;

extern const struct opt_set sstat_set, sacct_set, sbcast_set, sattach_set, sprio_set, sdiag_set;

#endif
