/*
 * pmi - the server of PMI-1 and PMI-2 for the tasks of a step on one node.
 *
 * Each task speaks over a socket of its own, PMI_FD.  Its first line says which of the two it speaks.  Bytes of tasks
 * are not believed: whatever they send, at most their own connection ends.  Nothing here waits or knows a descriptor;
 * bytes go in, and what is to be done about them comes out through the table of calls.
 */
#ifndef SPUR_MPI_PMI_H
#define SPUR_MPI_PMI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define PMI_KEY_MAX 64
#define PMI_VALUE_MAX 1024
#define PMI_LINE_MAX (64u << 10)   /* one command */
#define PMI_MAPPING_MAX 960        /* the lines of PMI-1 clients are short */
#define PMI_STORE_MAX (512u << 20) /* keys and values of one step */

struct pmi;

struct pmi_place {
    const char *job;      /* name of the step: "42.0" */
    const char *mapping;  /* mpi_mapping() */
    uint32_t size;        /* tasks of the step */
    uint32_t ntasks;      /* of them here */
    const uint32_t *rank; /* of each of those */
};

struct pmi_ops {
    void (*reply)(void *arg, uint32_t local, const void *p, size_t n);
    /* Every task here waits in the fence: this is our part of what was put since the last one. */
    void (*fence)(void *arg, uint64_t number, const void *p, size_t n);
    /* A task wants the step to end; code 0: it did not say with which exit code. */
    void (*abort)(void *arg, uint32_t local, int code, const char *why);
    void (*complain)(void *arg, uint32_t local, const char *text); /* for the step's stderr */
};

struct pmi *pmi_new(const struct pmi_place *place, const struct pmi_ops *ops, void *arg);
void pmi_free(struct pmi *p); /* NULL is welcome */

/* Bytes of a task.  An error: it does not speak PMI, hang up. */
int pmi_input(struct pmi *p, uint32_t local, const void *bytes, size_t n, struct err *err);

/* The result of the fence: all nodes' parts; or a status, and nobody can go on. */
void pmi_fenced(struct pmi *p, const void *parts, size_t n, int status);

#endif
