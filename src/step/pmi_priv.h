/*
 * pmi_priv - what the two servers of MPI in the supervisor share: pmi.c (PMI-1, PMI-2) and pmix.c (the helper).
 */
#ifndef SPUR_STEP_PMI_PRIV_H
#define SPUR_STEP_PMI_PRIV_H

#include "base/errnum.h"
#include "mpi/mpi.h"
#include "step/pmi.h"
#include "step/watch.h"
#include "wire/frame.h"

/* A task's PMI_FD. */
struct line {
    int ours, theirs;
    uint32_t local;
    struct buf out;
};

struct step_pmi {
    enum mpi_type type;
    struct pmi *server;
    struct line *line; /* one for each task */
    bool lost;         /* no way to the other nodes any more */
    struct buf result; /* of a fence, as far as it has come */

    struct link_wait helper; /* PMIx: not connected: none, or gone */
    pid_t helper_pid;
    struct buf out; /* for the helper */
    Pb__Mpi *ready; /* the environments it gave */
};

int step_pmix_start(struct step *s, struct err *err);
void step_pmix_child(struct step *s, uint32_t local);
void step_pmix_lost(struct step *s);
int64_t step_pmix_leave(struct step *s);
void step_pmix_end(struct step *s);

#endif
