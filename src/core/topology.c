/* topology - the network between the nodes; see topology.h. */
#include "core/topology.h"

#include "base/str.h"
#include "core/cluster.h"
#include "core/pbutil.h"
#include "text/hostlist.h"

static void topo_free(struct topo *t)
{
    for (uint32_t i = 0; i < t->nunits; i++)
        bitmap_clear(&t->unit[i].nodes);
    free(t->unit);
    free(t->leaf);
    pb__topology__free_unpacked(t->pb, NULL);
    free(t);
}

/* ---- from names to numbers ---- */

static void add_nodes(const struct cluster *c, struct topo *t, uint32_t u, const char *text)
{
    auto_strs struct strs names = STRS_INIT;
    if (str_empty(text) || hostlist_expand(text, &names, NULL))
        return;
    for (size_t i = 0; i < names.n; i++) {
        const struct node *n = cluster_node(c, names.at[i]);
        if (!n)
            continue;
        bitmap_set(&t->unit[u].nodes, n->index);
        if (t->leaf[n->index] == TOPO_NONE)
            t->leaf[n->index] = u;
    }
}

/* Would `above` stand below itself? */
static bool unit_circles(const struct topo *t, uint32_t above, uint32_t u)
{
    for (uint32_t p = above; p != TOPO_NONE; p = t->unit[p].parent)
        if (p == u)
            return true;
    return false;
}

static void add_children(struct topo *t, const struct smap *by_name, uint32_t u, const char *text)
{
    auto_strs struct strs names = STRS_INIT;
    if (str_empty(text) || hostlist_expand(text, &names, NULL))
        return;
    for (size_t i = 0; i < names.n; i++) {
        const struct topo_unit *child = smap_get(by_name, names.at[i]);
        uint32_t k = child ? (uint32_t)(child - t->unit) : TOPO_NONE;
        if (child && child->parent == TOPO_NONE && !unit_circles(t, u, k))
            t->unit[k].parent = u;
    }
}

/* What is below a switch is all that is below its children. */
static void spread_up(struct topo *t)
{
    for (uint32_t u = 0; u < t->nunits; u++) {
        uint32_t level = 1;
        for (uint32_t p = t->unit[u].parent; p != TOPO_NONE; p = t->unit[p].parent, level++) {
            t->unit[p].level = MAX(t->unit[p].level, level);
            bitmap_or(&t->unit[p].nodes, &t->unit[u].nodes);
        }
        t->nroots += t->unit[u].parent == TOPO_NONE;
    }
}

static void set_sizes(struct topo *t)
{
    const Pb__Topology *pb = t->pb;
    uint32_t least = UINT32_MAX;
    for (uint32_t u = 0; u < t->nunits; u++)
        least = MIN(least, (uint32_t)bitmap_count(&t->unit[u].nodes));
    t->base = MAX(pb->n_block_sizes ? pb->block_sizes[0] : least, 1u);
    t->span[t->nlevels++] = 1;
    for (size_t i = 1; i < pb->n_block_sizes && t->nlevels < TOPO_LEVELS; i++) {
        uint32_t span = pb->block_sizes[i] / t->base;
        if (span > t->span[t->nlevels - 1])
            t->span[t->nlevels++] = span;
    }
}

static struct topo *topo_make(const struct cluster *c, const Pb__Topology *pb)
{
    struct topo *t = NEW(struct topo);
    struct smap by_name = { 0 };
    t->pb = PB_DUP(Pb__Topology, pb);
    t->kind = (enum topo_kind)(pb->kind <= PB__TOPOLOGY_KIND__TOPOLOGY_BLOCK ? pb->kind
                                                                             : PB__TOPOLOGY_KIND__TOPOLOGY_FLAT);
    t->nunits = (uint32_t)t->pb->n_units;
    t->unit = mem_array(MAX(t->nunits, 1u), sizeof(*t->unit));
    t->nleaf = c->nnodes;
    t->leaf = mem_array(MAX(c->nnodes, (size_t)1), sizeof(*t->leaf));
    memset(t->leaf, 0xff, c->nnodes * sizeof(*t->leaf));
    for (uint32_t u = 0; u < t->nunits; u++) {
        t->unit[u].name = t->pb->units[u]->name;
        t->unit[u].parent = TOPO_NONE;
        smap_put(&by_name, t->unit[u].name, &t->unit[u]);
    }
    for (uint32_t u = 0; u < t->nunits; u++) {
        add_nodes(c, t, u, t->pb->units[u]->nodes);
        add_children(t, &by_name, u, t->pb->units[u]->children);
    }
    spread_up(t);
    if (t->kind == TOPO_BLOCK)
        set_sizes(t);
    smap_clear(&by_name);
    return t;
}

void topo_take(struct cluster *c, Pb__Topology *const *pb, size_t n, bool optional)
{
    VEC(struct topo *) made = { 0 };
    for (size_t i = 0; i < n; i++) /* first: the records may be those that go */
        vec_push(&made, topo_make(c, pb[i]));
    for (size_t i = 0; i < c->topo.n; i++)
        topo_free(c->topo.at[i]);
    c->topo.n = 0;
    for (size_t i = 0; i < made.n; i++)
        vec_push(&c->topo, made.at[i]);
    c->topo_optional = optional;
    vec_clear(&made);
    if (!n)
        vec_clear(&c->topo);
}

/* ---- looking ---- */

const struct topo *topo_find(const struct cluster *c, const char *name)
{
    for (size_t i = 0; i < c->topo.n; i++) {
        const struct topo *t = c->topo.at[i];
        if (str_empty(name) ? t->pb->is_default : str_eq(t->pb->name, name))
            return t;
    }
    return NULL;
}

const struct topo *topo_of_part(const struct cluster *c, const struct part *p)
{
    if (!c->topo.n)
        return NULL;
    const struct topo *t = topo_find(c, p->pb->topology);
    return t && t->kind != TOPO_FLAT && t->nunits ? t : NULL;
}

static void path_down(const struct topo *t, uint32_t u, struct buf *out)
{
    if (t->unit[u].parent != TOPO_NONE)
        path_down(t, t->unit[u].parent, out);
    buf_addf(out, "%s%s", out->len ? "." : "", t->unit[u].name);
}

bool topo_path(const struct topo *t, uint32_t node, struct buf *out)
{
    uint32_t leaf = topo_leaf(t, node);
    if (leaf == TOPO_NONE)
        return false;
    path_down(t, leaf, out);
    return true;
}
