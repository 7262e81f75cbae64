/* config_topo - the network of the site's files becomes part of the configuration that the state knows. */
#include "ctl/config_topo.h"

#include "text/topology.h"

static Pb__TopoUnit *unit_pb(const struct topo_conf_unit *u)
{
    Pb__TopoUnit *pb = NEW(Pb__TopoUnit);
    pb__topo_unit__init(pb);
    pb->name = u->name, pb->nodes = u->nodes, pb->children = u->children, pb->speed = u->speed;
    return pb;
}

static Pb__Topology *net_pb(const struct topo_conf_net *n)
{
    Pb__Topology *pb = NEW(Pb__Topology);
    pb__topology__init(pb);
    pb->name = n->name, pb->kind = (Pb__TopologyKind)n->kind, pb->is_default = n->is_default;
    pb->n_block_sizes = n->size.n, pb->block_sizes = n->size.at;
    pb->n_units = n->unit.n, pb->units = mem_array(n->unit.n + 1, sizeof(*pb->units));
    for (size_t i = 0; i < n->unit.n; i++)
        pb->units[i] = unit_pb(&n->unit.at[i]);
    return pb;
}

void config_topo_begin(const struct site *s, Pb__EvConfig *out)
{
    if (!s->topo)
        return;
    out->topo_optional = s->topo->optional;
    out->n_topologies = s->topo->net.n;
    out->topologies = mem_array(s->topo->net.n + 1, sizeof(*out->topologies));
    for (size_t i = 0; i < s->topo->net.n; i++)
        out->topologies[i] = net_pb(&s->topo->net.at[i]);
}

void config_topo_done(Pb__EvConfig *c)
{
    for (size_t i = 0; i < c->n_topologies; i++) {
        for (size_t k = 0; k < c->topologies[i]->n_units; k++)
            free(c->topologies[i]->units[k]);
        free(c->topologies[i]->units);
        free(c->topologies[i]);
    }
    free(c->topologies);
}
