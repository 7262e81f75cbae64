/*
 * topo - the CPUs of this node in the order that Slurm counts them, and what the system calls them.
 *
 * The agent finds them out (it has hwloc, a supervisor has not) and hands them over as one text:
 * "BOARDS:SOCKETS:CORES:THREADS OS.NUMA OS.NUMA ...".  The shape is the configured one: bit i of an allocation is core
 * i of it.  CPU i of it (board, socket, core, thread, the last turning fastest) is the machine's i-th; a configuration
 * with more CPUs than the machine has CPUs that are not there.
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
    uint32_t boards, sockets, cores, threads; /* sockets of a board, cores of a socket, threads of a core */
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

/* CPUs of the shape as the system's; false when one of them is not there. */
bool topo_os(const struct topo *t, const struct bitmap *cpus, struct bitmap *os);
/* The locality domain of a CPU of the shape: its NUMA node, or its socket where it is not there. */
uint32_t topo_domain(const struct topo *t, uint32_t cpu);
/* All of the machine's CPUs in NUMA node `numa`, as the system counts them. */
void topo_numa_os(const struct topo *t, uint32_t numa, struct bitmap *os);
uint32_t topo_numas(const struct topo *t); /* the highest number of a NUMA node, plus 1 */

#endif
