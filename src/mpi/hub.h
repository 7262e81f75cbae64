/*
 * hub - where the MPI servers of a step's nodes meet: srun.
 *
 * Each node that takes part in a collective sends its part; when the last one is here, all get the parts one after the
 * other.  A result is kept once, however many nodes it is for, and leaves in pieces that each node asks for at its own
 * pace.  Messages to one node are passed on.  The hub does not wait and knows no connection: it says what to send.
 */
#ifndef SPUR_MPI_HUB_H
#define SPUR_MPI_HUB_H

#include "base/err.h"
#include "mpi/mpi.h"

#define HUB_PIECE (64u << 10)     /* what a node gets of a result at once: a thousand of them are in memory together */
#define HUB_DATA_MAX (512u << 20) /* of one collective */

struct hub;
typedef void hub_send_fn(void *arg, uint32_t node, const Pb__Mpi *m);

struct hub *hub_new(uint32_t nodes, hub_send_fn *send, void *arg);
void hub_free(struct hub *h); /* NULL is welcome */

/* A message of this node: followed, or refused with the reason. */
int hub_take(struct hub *h, uint32_t from, const Pb__Mpi *m, struct err *err);
/* A node is gone: whoever waits for its part is told, now and later. */
void hub_lose(struct hub *h, uint32_t node);

/* Has a program asked for the end of the step?  Then with what exit code, where, and why ("" is possible). */
bool hub_aborted(const struct hub *h, int *code, uint32_t *node, const char **why);

#endif
