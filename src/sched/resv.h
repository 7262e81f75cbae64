/*
 * resv - which nodes and cores a reservation gets: a pure function over the cluster.
 */
#ifndef SPUR_SCHED_RESV_H
#define SPUR_SCHED_RESV_H

#include "core/cluster.h"

/*
 * Fill `r->node` for `r` (its times, flags, partition, features, node_cnt, core_cnt, gres and tres_per_node are said).
 * `named`: these very nodes, NULL: so many as it asks for.  `keep`: those it has, preferred; NULL: none.
 * 0, or ESLURM_RESERVATION_OVERLAP, ESLURM_NODES_BUSY, ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE...
 * The nodes are yours: resv_nodes_free().
 */
int resv_pick(const struct cluster *c, Pb__Resv *r, const struct bitmap *named, const struct bitmap *keep,
              int64_t now_s, struct err *err);
void resv_nodes_free(Pb__Resv *r); /* what resv_pick() made, or unpacking did */

/* One that replaces its nodes: which of those it has should it give up now?  Down ones, or with REPLACE used ones. */
bool resv_stale(const struct cluster *c, const struct resv *r, struct bitmap *good);

#endif
