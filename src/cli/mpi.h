/*
 * mpi - srun's part in MPI: the hub of its step's servers (mpi/hub.h), and what follows when a program aborts.
 */
#ifndef SPUR_CLI_MPI_H
#define SPUR_CLI_MPI_H

#include "cli/stepio.h"
#include "mpi/hub.h"

struct srun_mpi {
    struct hub *hub;
    struct stepio *io; /* borrowed */
    uint32_t seen;     /* tasks that had ended when last looked */
    bool told;
};

/* From here on the frames of MPI find their way. */
void srun_mpi_begin(struct srun_mpi *m, struct stepio *io);
void srun_mpi_end(struct srun_mpi *m);

/* Something may have happened.  True once: a program wants the step to end; its reason is said. */
bool srun_mpi_abort(struct srun_mpi *m);
/* The exit status of srun: `code`, unless a program chose its own. */
int srun_mpi_code(const struct srun_mpi *m, int code);

/* --external-launcher: a step beside all other steps, with everything that the job has; it requests nothing itself. */
void srun_mpi_external(Pb__StepSpec *step);

#endif
