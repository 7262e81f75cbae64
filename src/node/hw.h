/*
 * hw - what this machine is made of: as hwloc finds it, or as slurm.conf says when it is to be believed.
 */
#ifndef SPUR_NODE_HW_H
#define SPUR_NODE_HW_H

#include "record.pb-c.h"
#include "text/site.h"

struct hw {
    uint32_t boards, sockets, cores, threads, cpus; /* sockets of a board, cores of a socket, threads of a core */
    uint64_t mem_mb, tmp_mb;
};

/* Looked up once. */
const struct hw *hw_find(void);

/* Its CPUs in the order that Slurm counts them, "OS.NUMA OS.NUMA ...": see step/topo.h. */
const char *hw_pus(void);

/* For the controller; what `def` says is believed (config_overrides), NULL: nothing.  The texts are not to be freed. */
void hw_report(Pb__NodeHw *out, const struct site_node *def);

/* What `slurmd -C` prints. */
void hw_print(const char *name);

#endif
