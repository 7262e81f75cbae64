/*
 * srun_het - one application over several components of a heterogeneous job: srun A : B, srun --het-group=0,2 A.
 */
#ifndef SPUR_CLI_SRUN_HET_H
#define SPUR_CLI_SRUN_HET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "record.pb-c.h"

struct srun_cut { /* what one component is to run */
    int argc;
    char **argv; /* a stretch of the command line; argv[0] is no option */
    uint32_t group;
    bool has_group; /* inside a heterogeneous job: which component */
};

typedef VEC(struct srun_cut) srun_cuts;

/* One for each component that takes part; a plain srun is one without a group.  0, or the exit status with everything
 * said. */
int srun_het_cut(int argc, char **argv, srun_cuts *out);

/* From now on the environment says of the job what it said of that component. */
void srun_het_env(uint32_t group);

/* The steps of all components as one, for srun's ears: nodes and tasks in a row.  Free with srun_het_whole_clear(). */
void srun_het_whole(Pb__Step *out, const Pb__Step *first, Pb__Step *const *more, size_t n);
void srun_het_whole_clear(Pb__Step *whole);

#endif
