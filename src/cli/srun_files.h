/*
 * srun_files - where the tasks' standard streams go: srun's own, a file that srun writes, or files that the nodes
 * write.
 */
#ifndef SPUR_CLI_SRUN_FILES_H
#define SPUR_CLI_SRUN_FILES_H

#include "cli/job_opts.h"
#include "cli/stepio.h"

/* Before the step: what the nodes have to know (names with %t, %n or %N are theirs; one task may get all of stdin). */
void srun_files_ask(const struct job_opts *o, Pb__StepSpec *step);

struct srun_files_names {
    uint32_t job, step;
    const char *name, *user;
    uint32_t array_job, array_task; /* 0: it is none */
};

/* "out.%j" and its kin, with what is the same for all tasks: %j %A %s %J %u %x %%; padding as in %4j.  Yours. */
char *srun_files_name(const char *pattern, const struct srun_files_names *n);

/* After it has begun: open what srun reads and writes itself. */
int srun_files_open(const struct job_opts *o, const struct srun_files_names *n, struct stepio *io, struct err *err);

#endif
