/*
 * directives - the options inside a batch script: #SBATCH lines, and the #PBS and #BSUB lines of other systems.
 */
#ifndef SPUR_CLI_DIRECTIVES_H
#define SPUR_CLI_DIRECTIVES_H

#include "cli/job_opts.h"
#include "text/strs.h"

/* Apply those of one component (0: the first) to `o`.  `words` keeps the texts that `o` then points into.  0, or the
 * exit status; `*fatal` when Slurm calls it so. */
int directives_apply(struct job_opts *o, const struct buf *script, const char *name, unsigned part, bool ignore_pbs,
                     struct strs *words, bool *fatal, struct err *err);

#endif
