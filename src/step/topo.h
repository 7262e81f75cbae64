/*
 * topo - the CPUs of this node in Slurm's order, with the system's numbers.
 *
 * The agent detects them (it has hwloc, a supervisor has not) and passes them as one text:
 * "BOARDS:SOCKETS:CORES:THREADS OS.NUMA OS.NUMA ...".  The shape is the configured one: bit i of an allocation is core
 * i of the shape.  CPU i of the shape (board, socket, core, thread, the last varying fastest) is the machine's i-th
 * CPU; a configuration with more CPUs than the machine has CPUs that do not exist.
 */
#ifndef SPUR_STEP_TOPO_H
#define SPUR_STEP_TOPO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bitmap.h"
#include "base/err.h"

struct topo_pu {
    uint32_t os, numa; /* the system's numbers */
};

struct topo {
    uint32_t boards, sockets, cores, threads; /* sockets per board, cores per socket, threads per core */
    struct topo_pu *pu;
    uint32_t npus;
};

#define TOPO_INIT                                                                                                      \
    {                                                                                                                  \
        0, 0, 0, 0, NULL, 0                                                                                            \
    }
#define auto_topo __attribute__((cleanup(topo_clear)))
#define TOPO_MAX 65536 /* CPUs of a node, as configured or as found */

int topo_parse(const char *text, struct topo *out, struct err *err);
void topo_clear(struct topo *t);

static inline uint32_t topo_sockets(const struct topo *t)
{
    return t->boards * t->sockets;
}
static inline uint32_t topo_cores(const struct topo *t)
{
    return topo_sockets(t) * t->cores;
}
static inline uint32_t topo_cpus(const struct topo *t)
{
    return topo_cores(t) * t->threads;
}
static inline uint32_t topo_per_socket(const struct topo *t)
{
    return t->cores * t->threads;
}

/* Convert CPUs of the shape to the system's; false: one of them does not exist. */
bool topo_os(const struct topo *t, const struct bitmap *cpus, struct bitmap *os);
/* The locality domain of a CPU of the shape: its NUMA node, or its socket if the CPU does not exist. */
uint32_t topo_domain(const struct topo *t, uint32_t cpu);
/* All of the machine's CPUs in NUMA node `numa`, by the system's numbers. */
void topo_numa_os(const struct topo *t, uint32_t numa, struct bitmap *os);
uint32_t topo_numas(const struct topo *t); /* the highest number of a NUMA node, plus 1 */

#endif
