/* topology - the network at the controller; see topology.h. */
#include "ctl/topology.h"

#include "ctl/request.h"

#include "core/req.h"
#include "text/hostlist.h"
#include "text/time.h"

#define SWITCH_WAIT_S 300 /* when the configuration does not say */

/* ---- told ---- */

struct told {
    const struct cluster *c;
    const struct topo *t;
    VEC(Pb__TopoUnit *) unit;
    struct strs keep;
};

static char *nodes_text(struct told *d, const struct bitmap *nodes)
{
    struct strs names = STRS_INIT;
    bitmap_each (nodes, i)
        strs_add(&names, d->c->node[i].name);
    strs_take(&d->keep, hostlist_compress_sorted(names.at, names.n));
    strs_clear(&names);
    return d->keep.at[d->keep.n - 1];
}

static Pb__TopoUnit *add_unit(struct told *d)
{
    Pb__TopoUnit *u = NEW(Pb__TopoUnit);
    pb__topo_unit__init(u);
    vec_push(&d->unit, u);
    return u;
}

static void tell_units(struct told *d)
{
    for (uint32_t i = 0; i < d->t->nunits; i++) {
        const Pb__TopoUnit *as = d->t->pb->units[i];
        Pb__TopoUnit *u = add_unit(d);
        u->name = as->name, u->children = as->children, u->speed = as->speed;
        u->level = d->t->unit[i].level;
        u->size = d->t->base;
        u->nodes = nodes_text(d, &d->t->unit[i].nodes);
    }
}

/* Blocks of the higher levels have no names of their own: they are named by the blocks they consist of. */
static void tell_level(struct told *d, uint32_t level)
{
    uint32_t span = d->t->span[level];
    for (uint32_t from = 0; from + span <= d->t->nunits; from += span) { /* what is left over has no name */
        Pb__TopoUnit *u = add_unit(d);
        auto_bitmap struct bitmap nodes = BITMAP_INIT;
        struct strs names = STRS_INIT;
        for (uint32_t i = from; i < from + span; i++) {
            strs_add(&names, d->t->unit[i].name);
            bitmap_or(&nodes, &d->t->unit[i].nodes);
        }
        strs_take(&d->keep, hostlist_compress(names.at, names.n));
        u->name = d->keep.at[d->keep.n - 1];
        u->nodes = nodes_text(d, &nodes);
        u->level = level, u->aggregated = true, u->size = d->t->base * span;
        strs_clear(&names);
    }
}

void ctl_topology(const struct ctl_call *call)
{
    const Pb__TopologyQuery *q = (Pb__TopologyQuery *)call->m;
    struct told d = { .c = call->t->c, .t = topo_find(call->t->c, q->name) };
    Pb__TopologyList list = PB__TOPOLOGY_LIST__INIT;
    Pb__Topology pb = PB__TOPOLOGY__INIT, *one[] = { &pb };
    if (d.t) {
        tell_units(&d);
        for (uint32_t level = 1; level < d.t->nlevels; level++)
            tell_level(&d, level);
        pb.name = d.t->pb->name, pb.kind = (Pb__TopologyKind)d.t->kind, pb.is_default = d.t->pb->is_default;
        pb.units = d.unit.at, pb.n_units = d.unit.n;
        pb.block_sizes = d.t->pb->block_sizes, pb.n_block_sizes = d.t->pb->n_block_sizes;
        list.topologies = one, list.n_topologies = 1;
    } else if (!call->t->c->topo.n && (str_empty(q->name) || str_eq(q->name, "default"))) {
        list.topologies = one, list.n_topologies = 1; /* nodes in a row: nothing to tell */
    }
    ctl_reply(call, MSG_TOPOLOGY_REPLY, &list.base);
    for (size_t i = 0; i < d.unit.n; i++)
        free(d.unit.at[i]);
    vec_clear(&d.unit);
    strs_clear(&d.keep);
}

/* ---- to a job's own nodes ---- */

size_t topo_tell(const struct ctl *t, const struct job *j, Pb__TopoSpan ***spans, protobuf_c_boolean *blocks)
{
    const struct topo *net = topo_find(t->c, NULL); /* the cluster's own, whatever placed the job: as Slurm does */
    VEC(Pb__TopoSpan *) out = { 0 };
    uint32_t last = TOPO_NONE;
    for (uint32_t i = 0; net && i < j->alloc.n; i++) {
        uint32_t leaf = topo_leaf(net, j->alloc.at[i].node);
        if (!out.n || leaf != last) {
            Pb__TopoSpan *s = NEW(Pb__TopoSpan);
            struct buf path = BUF_INIT;
            pb__topo_span__init(s);
            topo_path(net, j->alloc.at[i].node, &path);
            s->path = path.len ? buf_take(&path) : mem_str("");
            vec_push(&out, s);
        }
        out.at[out.n - 1]->count++;
        last = leaf;
    }
    *spans = out.at;
    *blocks = net && net->kind == TOPO_BLOCK;
    return out.n;
}

void topo_tell_free(Pb__TopoSpan **spans, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(spans[i]->path);
        free(spans[i]);
    }
    free(spans);
}

/* ---- submission ---- */

/* With segments the nodes by name are all there are. */
static int segments_possible(const struct ctl *t, const Pb__JobSpec *spec, struct err *err)
{
    size_t named = 0;
    if (!t->c->topo.n || !spec->segment || spec->segment >= spec->min_nodes || str_empty(spec->nodelist))
        return 0;
    if (!hostlist_count(spec->nodelist, &named, NULL) && named >= spec->min_nodes)
        return 0;
    return err_set(err, ESLURM_REQUESTED_TOPO_CONFIG_UNAVAILABLE, "%s",
                   err_text(ESLURM_REQUESTED_TOPO_CONFIG_UNAVAILABLE));
}

int64_t topo_switch_wait(const struct site *s)
{
    const char *said = s->scheduler_parameters ? site_param(s->scheduler_parameters, "max_switch_wait") : NULL;
    return said ? (int64_t)strtoul(said, NULL, 10) : SWITCH_WAIT_S;
}

int topo_submit(const struct ctl *t, Pb__JobSpec *spec, struct err *err)
{
    uint32_t count;
    int64_t wait_s, most = topo_switch_wait(t->site);
    char text[TIME_TEXT];
    if (!str_empty(spec->switches)) {
        if (req_switches(spec->switches, &count, &wait_s))
            return err_set(err, EINVAL, "--switches=%.60s is no number of switches", spec->switches);
        time_secs_text(text, (uint64_t)(wait_s < 0 ? most : MIN(wait_s, most)));
        auto_free char *said = mem_printf("%u@%s", count, text);
        pb_set_text(&spec->switches, said);
    }
    return segments_possible(t, spec, err);
}

/* ---- changes ---- */

static int job_update_switches(struct job_update *c, uint32_t count, int64_t wait_s)
{
    int64_t most = topo_switch_wait(c->call->t->site);
    char text[TIME_TEXT];
    time_secs_text(text, (uint64_t)(wait_s < 0 ? most : MIN(wait_s, most)));
    auto_free char *said = count ? mem_printf("%u@%s", count, text) : mem_str("");
    return job_update_text(c, &c->spec->switches, said);
}

int topo_set_switches(struct job_update *c, char *v)
{
    uint32_t count = 0;
    int64_t wait_s = -1;
    if (job_update_pending(c))
        return c->err->code;
    if (!str_eq(v, "0") && req_switches(v, &count, &wait_s))
        return err_set(c->err, EINVAL, "Invalid Switches value: %.60s", v);
    return job_update_switches(c, count, wait_s);
}

int topo_set_wait(struct job_update *c, char *v)
{
    uint32_t count = 0;
    int64_t was;
    uint64_t wait_s;
    if (job_update_pending(c))
        return c->err->code;
    if (!str_u64(v, 0, INT32_MAX, &wait_s))
        return err_set(c->err, EINVAL, "Invalid wait-for-switch value: %.60s", v);
    if (str_empty(c->spec->switches) || req_switches(c->spec->switches, &count, &was))
        return err_set(c->err, EINVAL, "the job asks for no number of switches: Switches=COUNT says it");
    return job_update_switches(c, count, (int64_t)wait_s);
}
