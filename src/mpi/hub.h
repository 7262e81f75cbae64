/*
 * hub - connects the MPI servers of a step's nodes; it runs in srun.
 *
 * Each node that takes part in a collective sends its part.  When the last part has arrived, every node receives all
 * parts, concatenated.  A result is stored once for all nodes and leaves in pieces; each node requests its next piece
 * at its own pace.  Messages to one node are passed on.  The hub does not block and has no connections: it calls a
 * function for each message to send.
 */
#ifndef SPUR_MPI_HUB_H
#define SPUR_MPI_HUB_H

#include "base/err.h"
#include "mpi/mpi.h"

#define HUB_PIECE (64u << 10)     /* of a result, for one node at a time: a thousand pieces may be in memory together */
#define HUB_DATA_MAX (512u << 20) /* bytes of one collective */

struct hub;
typedef void hub_send_fn(void *arg, uint32_t node, const Pb__Mpi *m);

struct hub *hub_new(uint32_t nodes, hub_send_fn *send, void *arg);
void hub_free(struct hub *h); /* NULL is welcome */

/* Handle a message of node `from`; an error is the reason for its refusal. */
int hub_take(struct hub *h, uint32_t from, const Pb__Mpi *m, struct err *err);
/* A node is gone: collectives that miss its part, now and later, end with an error. */
void hub_lose(struct hub *h, uint32_t node);

/* Has a program aborted the step?  Then its exit code, its node and the reason (may be ""). */
bool hub_aborted(const struct hub *h, int *code, uint32_t *node, const char **why);

#endif
