/*
 * job_opts - what sbatch, srun and salloc were asked for: their options as one table, and what they become.
 *
 * Precedence is the order of filling: `#SBATCH` lines, then the environment, then the command line.
 * All texts are borrowed from these three.
 */
#ifndef SPUR_CLI_JOB_OPTS_H
#define SPUR_CLI_JOB_OPTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "record.pb-c.h"
#include "text/opt.h"
#include "text/strs.h"

enum job_command { CMD_SBATCH, CMD_SRUN, CMD_SALLOC };

struct job_seen {                  /* an option that was given, for -v */
    const struct opt *o;
    const char *arg;
};

struct job_opts {
    Pb__JobSpec spec;              /* repeated fields stay empty here; the command fills them in */
    bool fatal;                    /* what was wrong is called fatal */
    int help, usage, version;      /* flags that the table fills are ints */
    unsigned quiet, verbose;
    VEC(struct job_seen) seen;
    bool nodes_set, name_set, zero_nodes;
    bool layout_set;               /* -B was given */
    bool both_specs;               /* --core-spec and --thread-spec were */
    struct strs owned;             /* texts made here: what --nodefile said */
    const char *tres_per_task;     /* as it was written; NULL: not said */
    const char *cpu_bind, *mem_bind, *hint, *accel_bind; /* NULL: not said; the first two in the form of text/bind.h */
    bool mem_set, mem_per_cpu_set;
    const char *mpi;               /* --mpi as given; NULL: MpiDefault */
    bool mpi_list;                 /* --mpi=list: say which there are */
    const char *export;            /* --export; NULL: all */
    int test_only;
    const char *propagate;         /* NULL: by configuration; "": all */
    bool has_uid, has_gid;
    uint32_t uid, gid;

    /* sbatch */
    int parsable, wait, ignore_pbs;
    const char *wrap, *export_file;

    /* srun and salloc */
    int label, unbuffered, exact, overlap, disable_status, quit_on_interrupt;
    bool kill_on_bad_exit, kill_set;
    uint32_t wait_s;
    bool wait_set;
    uint32_t relative;             /* + 1 */
    uint32_t jobid;
    const char *het_group;         /* components that take part; NULL: by place */
    int no_shell;
    const char *std_in, *std_out, *std_err;
    uint32_t unused;               /* numbers of options that old scripts give and nothing needs */
    bool pty;
    int pty_fd;                    /* the terminal */
    uint32_t pty_rows, pty_cols;   /* its size */
    int multi_prog, interactive, preserve_env, wait_for_children, whole, external_launcher;
    unsigned ignored_signals;      /* bit n: signal n */
    const char *prolog, *epilog, *task_prolog, *task_epilog;
    Pb__Choice oom_kill_step;
    bool bcast, send_libs, send_libs_set;
    const char *bcast_dest, *bcast_exclude, *compress;
    int kill_command;              /* salloc: the signal when the allocation is gone; 0: none */
    unsigned bell;                 /* salloc: 0 when it had to wait, 1 always, 2 never */
};

extern const struct opt job_opts_table[];
extern const struct opt_set job_opts_sets[3];   /* by enum job_command */

void job_opts_init(struct job_opts *o);
void job_opts_clear(struct job_opts *o);

/* What no single option can check: exclusive pairs, ranges.  0, or the exit status; `*fatal` when Slurm calls it so. */
int job_opts_check(struct job_opts *o, bool *fatal, struct err *err);

/* --core-spec is forgotten, aloud, where the configuration does not allow it. */
void job_opts_spec_settle(struct job_opts *o, bool allowed);

void job_opts_seen(void *into, const struct opt *o, const char *arg);

/* -v: the options that are set, by name. */
void job_opts_list(const struct job_opts *o);

/* --help, --usage, --version: print what was asked for and say so. */
bool job_opts_told(const struct job_opts *o, enum job_command command);

#endif
