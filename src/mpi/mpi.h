/*
 * mpi - definitions that all parts of MPI support share: kinds of MSG_MPI, types of --mpi, the placement of ranks.
 *
 * The MPI library of a step's tasks talks to a server on each node: the supervisor serves PMI-1 and PMI-2 (pmi.h), a
 * helper process that it starts serves PMIx (pmix.c).  The servers exchange data through srun (hub.h), over the
 * connections that carry the tasks' output.
 */
#ifndef SPUR_MPI_MPI_H
#define SPUR_MPI_MPI_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "message.pb-c.h"

enum mpi_kind {
    MPI_COLLECT = 1, /* to srun: a node's part; from srun: all parts, concatenated, or a status */
    MPI_MORE = 2,    /* to srun: request for the next piece of a result */
    MPI_TO = 3,      /* to one node of the step, through srun */
    MPI_ABORT = 4,   /* to srun: end the step; status is the program's exit code */
    MPI_SETUP = 10,  /* supervisor -> its PMIx helper, once */
    MPI_READY = 11,  /* the reply, with environments; or a status and the reason */
    MPI_LOST = 12,   /* supervisor -> helper: the other nodes cannot be reached any more */
};

enum mpi_type { MPI_TYPE_NONE, MPI_TYPE_PMI2, MPI_TYPE_PMIX };

/* Parse "none", "pmi2", "pmix", "pmix_v4" ...; false: an unknown type. */
bool mpi_type_parse(const char *name, enum mpi_type *out);

/* Is the type supported by this build?  "pmix_v4" is one version, "pmix" any version. */
bool mpi_type_here(const char *name);
/* The output of `srun --mpi=list`. */
void mpi_list(struct buf *out);

/* The global ranks of the step's node `index`, in local order.  Where the order does not list them they are
 * consecutive, and are written to the buffer `room`. */
const uint32_t *mpi_ranks(const Pb__LaunchOrder *o, uint32_t index, struct buf *room);
uint32_t mpi_size(const Pb__LaunchOrder *o); /* tasks of the step */

/* The placement of ranks in PMI's notation: "(vector,(0,4,2))" is two tasks on each of nodes 0 to 3. */
char *mpi_mapping(const Pb__LaunchOrder *o);

/* Variables that make mpirun and similar launchers start their helpers with srun; ends with a NULL name.  They are not
 * set when the user has chosen another launcher in the variable `way`. */
struct mpi_variable {
    const char *name, *value, *way;
};
extern const struct mpi_variable mpi_launchers[];
bool mpi_launcher_wanted(const char *way_value); /* the value of `way`; NULL: not set */

/* Append one piece of a result; true once `whole` is complete.  Empty it before the next result. */
bool mpi_join(struct buf *whole, const Pb__Mpi *m);

#endif
