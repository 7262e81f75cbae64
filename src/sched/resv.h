/*
 * resv - which nodes and cores a reservation gets: a pure function over the cluster.
 */
#ifndef SPUR_SCHED_RESV_H
#define SPUR_SCHED_RESV_H

#include "core/cluster.h"

/*
 * Fill `r->node` for `r`, whose times, flags, partition, features, node_cnt, core_cnt, gres and tres_per_node are set.
 * `named`: exactly these nodes; NULL: as many as `r` asks for.  `keep`: its present nodes, preferred; NULL: none.
 * Returns 0, or ESLURM_RESERVATION_OVERLAP, ESLURM_NODES_BUSY, ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE... The caller
 * frees the nodes: resv_nodes_free().
 */
int resv_pick(const struct cluster *c, Pb__Resv *r, const struct bitmap *named, const struct bitmap *keep,
              int64_t now_s, struct err *err);
void resv_nodes_free(Pb__Resv *r); /* nodes of resv_pick(), or unpacked ones */

/* For a reservation that replaces its nodes: true when it should give up nodes that are down or, with REPLACE, in use.
 * `good`: the nodes that it keeps. */
bool resv_stale(const struct cluster *c, const struct resv *r, struct bitmap *good);

#endif
