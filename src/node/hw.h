/*
 * hw - the hardware of this machine: as hwloc finds it, or as slurm.conf says with config_overrides.
 */
#ifndef SPUR_NODE_HW_H
#define SPUR_NODE_HW_H

#include "record.pb-c.h"
#include "text/site.h"

struct hw {
    uint32_t boards, sockets, cores, threads, cpus; /* sockets per board, cores per socket, threads per core */
    uint64_t mem_mb, tmp_mb;
};

/* Detected once. */
const struct hw *hw_find(void);

/* The CPUs in Slurm's order, "OS.NUMA OS.NUMA ...": see step/topo.h. */
const char *hw_pus(void);

/* For the controller; the values of `def` replace those found (config_overrides), NULL: none.  Do not free the
 * texts. */
void hw_report(Pb__NodeHw *out, const struct site_node *def);

/* The output of `slurmd -C`. */
void hw_print(const char *name);

#endif
