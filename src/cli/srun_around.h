/*
 * srun_around - what srun does before and after a step: find the program, copy it to the nodes, run --prolog and
 * --epilog.
 */
#ifndef SPUR_CLI_SRUN_AROUND_H
#define SPUR_CLI_SRUN_AROUND_H

#include "cli/allocation.h"
#include "cli/job_opts.h"

struct srun_around {
    const struct job_opts *o;
    const struct export *env; /* what the tasks get */
    const char *cluster;
    const char *prolog, *epilog; /* NULL: none */
};

/* The program as srun finds it: below the working folder when it begins with a dot, or along `search` (the tasks'
 * $PATH, NULL: they have none); else as it is.  `*found`: it can be run from here.  Yours. */
char *srun_around_program(const char *name, const char *workdir, const char *search, bool *found);

/* Copy it to the job's nodes.  `*path` becomes what it is called there, yours.  0, or the exit status with everything
 * said. */
int srun_around_bcast(const struct srun_around *a, struct client *c, const struct allocation *g, const char *program,
                      char **path);

/* 0, or the exit status with everything said. */
int srun_around_before(const struct srun_around *a, const struct allocation *g);
void srun_around_after(const struct srun_around *a, const struct allocation *g);

#endif
