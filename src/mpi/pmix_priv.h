/*
 * pmix_priv - inside spurpmix, the helper that serves PMIx to a step's tasks on one node.
 *
 * libpmix has a thread of its own, which calls the functions of pmix_calls.c; the main thread reads the messages of the
 * supervisor.  Both threads write to the supervisor, one frame at a time.  Apart from libpmix, no state outlives a
 * collective.
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
    uint32_t *node; /* node of each rank */
    char *folder;   /* the helper's folder, removed at the end */
};

/* ---- pmix_space.c: the description of the step ---- */
int space_register(struct pmix_step *p, struct err *err);
int space_client(struct pmix_step *p, uint32_t local, struct buf *env, struct err *err); /* env: NAME=value NUL each */

/* ---- pmix_calls.c: callbacks of the library, and replies to it ---- */
extern pmix_server_module_t calls;
void calls_init(struct pmix_step *p);
void calls_watch(void); /* call once the library runs */
void calls_take(const Pb__Mpi *m);
int calls_again(void); /* retry deferred requests; returns the ms until the next retry, -1: none */

/* ---- pmix.c ---- */
void say(struct pmix_step *p, const Pb__Mpi *m); /* send to the supervisor; callable from any thread */

#endif
