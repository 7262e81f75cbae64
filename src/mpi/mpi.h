/*
 * mpi - what the parts of MPI support agree on: the kinds of MSG_MPI, the types of --mpi, who runs where.
 *
 * A step's MPI library speaks to a server on each node: PMI-1 and PMI-2 are served by the supervisor (pmi.h), PMIx by
 * a helper that it starts (pmix.c).  The servers meet at srun (hub.h), over the connections that are there anyway.
 */
#ifndef SPUR_MPI_MPI_H
#define SPUR_MPI_MPI_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "message.pb-c.h"

enum mpi_kind {
    MPI_COLLECT = 1, /* up: a node's part; down: all parts, one after the other, or a status */
    MPI_MORE = 2,    /* up: the next piece of the collective's result */
    MPI_TO = 3,      /* to one node of the step: passed on */
    MPI_ABORT = 4,   /* up: the step is to end; status is the exit code the program asks for */
    MPI_SETUP = 10,  /* supervisor -> its PMIx helper, once */
    MPI_READY = 11,  /* the answer, with environments; or a status and why */
    MPI_LOST = 12,   /* supervisor -> helper: the other nodes cannot be reached any more */
};

enum mpi_type { MPI_TYPE_NONE, MPI_TYPE_PMI2, MPI_TYPE_PMIX };

/* "none", "pmi2", "pmix", "pmix_v4" ...: false when it is none of these. */
bool mpi_type_parse(const char *name, enum mpi_type *out);

/* Was this built with what the type needs?  "pmix_v4" is one version, "pmix" whichever is there. */
bool mpi_type_here(const char *name);
/* What `srun --mpi=list` says. */
void mpi_list(struct buf *out);

/* The global ranks of the step's node `index`, in local order; `room` is a buffer that is used where the order does not
 * list them (they count up then). */
const uint32_t *mpi_ranks(const Pb__LaunchOrder *o, uint32_t index, struct buf *room);
uint32_t mpi_size(const Pb__LaunchOrder *o); /* tasks of the step */

/* Which rank runs on which node, as PMI says it: "(vector,(0,4,2))" is two tasks on each of nodes 0 to 3. */
char *mpi_mapping(const Pb__LaunchOrder *o);

/* Variables by which mpirun and its like start their helpers with srun; ends with a NULL name.  A user who has chosen
 * another way in `way` is left alone. */
struct mpi_variable {
    const char *name, *value, *way;
};
extern const struct mpi_variable mpi_launchers[];
bool mpi_launcher_wanted(const char *way_value); /* the value that `way` has; NULL: none */

/* The pieces of a result come one after the other: true once `whole` is complete.  Empty it before the next one. */
bool mpi_join(struct buf *whole, const Pb__Mpi *m);

#endif
