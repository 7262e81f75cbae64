/*
 * pmi_priv - what the supervisor's two PMI servers share: pmi.c (PMI-1, PMI-2) and pmix.c (the helper).
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
    bool lost;         /* the other nodes cannot be reached any more */
    struct buf result; /* of a fence, as far as it has arrived */

    struct link_wait helper; /* PMIx; not connected: none, or gone */
    pid_t helper_pid;
    struct buf out; /* bytes to send to the helper */
    Pb__Mpi *ready; /* the helper's reply with environments */
};

int step_pmix_start(struct step *s, struct err *err);
void step_pmix_child(struct step *s, uint32_t local);
void step_pmix_lost(struct step *s);
int64_t step_pmix_leave(struct step *s);
void step_pmix_end(struct step *s);

#endif
