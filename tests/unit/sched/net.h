/*
 * net - networks for the scheduler's tests, from the text of a topology.conf.
 */
#ifndef SPUR_TEST_SCHED_NET_H
#define SPUR_TEST_SCHED_NET_H

#include "rig.h"
#include "text/topology.h"

static struct topo_conf *net_conf;

static inline void net_down(void)
{
    for (size_t i = 0; i < rig_ntopologies; i++) {
        for (size_t u = 0; u < rig_topologies[i]->n_units; u++)
            free(rig_topologies[i]->units[u]);
        free(rig_topologies[i]->units);
        free(rig_topologies[i]);
    }
    free(rig_topologies);
    rig_topologies = NULL;
    rig_ntopologies = 0;
    topo_conf_free(net_conf);
    net_conf = NULL;
}

/* Clusters created from now on have this network. */
static inline void net_up(enum topo_kind kind, const char *text)
{
    struct err err = ERR_INIT;
    net_down();
    net_conf = topo_conf_new("topology.conf");
    if (topo_conf_parse(net_conf, kind, text, strlen(text), &err)) {
        printf("Bail out! %s\n", err.text);
        exit(1);
    }
    const struct topo_conf_net *n = &net_conf->net.at[0];
    Pb__Topology *pb = NEW(Pb__Topology);
    pb__topology__init(pb);
    pb->name = n->name, pb->kind = (Pb__TopologyKind)n->kind, pb->is_default = true;
    pb->n_block_sizes = n->size.n, pb->block_sizes = n->size.at;
    pb->n_units = n->unit.n, pb->units = mem_array(n->unit.n, sizeof(*pb->units));
    for (size_t i = 0; i < n->unit.n; i++) {
        pb->units[i] = NEW(Pb__TopoUnit);
        pb__topo_unit__init(pb->units[i]);
        pb->units[i]->name = n->unit.at[i].name, pb->units[i]->nodes = n->unit.at[i].nodes,
        pb->units[i]->children = n->unit.at[i].children;
    }
    rig_topologies = mem_array(1, sizeof(*rig_topologies));
    rig_topologies[0] = pb;
    rig_ntopologies = 1;
}

#endif
