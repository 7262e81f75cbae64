/*
 * pmi - the server of PMI-1 and PMI-2 for the tasks of a step on one node.
 *
 * Each task has a socket of its own, PMI_FD; its first line selects the version.  The bytes of tasks are untrusted: a
 * malformed command ends at most the connection of that task.  This code does not block and has no descriptors: input
 * is passed in as bytes, and actions are requested through a table of functions.
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
    uint32_t ntasks;      /* tasks on this node */
    const uint32_t *rank; /* rank of each task on this node */
};

struct pmi_ops {
    void (*reply)(void *arg, uint32_t local, const void *p, size_t n);
    /* Every task of this node is in the fence: the pairs that they have put since the last fence. */
    void (*fence)(void *arg, uint64_t number, const void *p, size_t n);
    /* A task aborts the step; code 0: the task gave no exit code. */
    void (*abort)(void *arg, uint32_t local, int code, const char *why);
    void (*complain)(void *arg, uint32_t local, const char *text); /* for the step's stderr */
};

struct pmi *pmi_new(const struct pmi_place *place, const struct pmi_ops *ops, void *arg);
void pmi_free(struct pmi *p); /* NULL is welcome */

/* Handle bytes of a task.  On error the bytes are not PMI: close the connection. */
int pmi_input(struct pmi *p, uint32_t local, const void *bytes, size_t n, struct err *err);

/* The result of the fence: the parts of all nodes; or a status, and the fence fails in every task. */
void pmi_fenced(struct pmi *p, const void *parts, size_t n, int status);

#endif
