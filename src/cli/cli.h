/*
 * cli - the commands of the multi-call binary: each takes its argv and returns the exit status.
 */
#ifndef SPUR_CLI_CLI_H
#define SPUR_CLI_CLI_H

#define CLI_SLURM_VERSION "26.05.5" /* the release whose commands these are */

typedef int cli_fn(int argc, char **argv);

cli_fn cli_up, cli_env, cli_down, cli_key;
cli_fn cli_sbatch, cli_srun, cli_salloc;
cli_fn cli_squeue, cli_sinfo, cli_scancel, cli_scontrol, cli_why;
cli_fn cli_sstat, cli_sacct, cli_sbcast, cli_sattach;
cli_fn cli_sprio, cli_sdiag, cli_sshare, cli_sacctmgr;

#endif
