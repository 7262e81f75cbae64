/*
 * pmix_priv - inside spurpmix, the helper that serves PMIx to a step's tasks on one node.
 *
 * libpmix has a thread of its own, which calls calls.c; the main thread reads what the supervisor sends.  Both write to
 * the supervisor, a frame at a time.  Beside libpmix there is no state that lives longer than a collective.
 */
#ifndef SPUR_MPI_PMIX_PRIV_H
#define SPUR_MPI_PMIX_PRIV_H

#include <pmix.h>
#include <pmix_server.h>

#include "base/err.h"
#include "mpi/mpi.h"

struct pmix_step {
    int fd; /* the supervisor */
    const Pb__MpiSetup *setup;
    uint32_t size;  /* tasks of the step */
    uint32_t *node; /* of each rank */
    char *folder;   /* ours, removed at the end */
};

/* ---- pmix_space.c: what the library knows of the step ---- */
int space_register(struct pmix_step *p, struct err *err);
int space_client(struct pmix_step *p, uint32_t local, struct buf *env, struct err *err); /* env: NAME=value NUL each */

/* ---- pmix_calls.c: what the library asks of us, and the answers ---- */
extern pmix_server_module_t calls;
void calls_init(struct pmix_step *p);
void calls_watch(void); /* once the library runs */
void calls_take(const Pb__Mpi *m);
int calls_again(void); /* what could not be answered before; in how many ms to ask next, -1: need not */

/* ---- pmix.c ---- */
void say(struct pmix_step *p, const Pb__Mpi *m); /* to the supervisor; any thread */

#endif
