/* topology - the network in the state: made from names, the same after a snapshot, and proof against nonsense. */
#include "core/topology.h"

#include "../test.h"
#include "base/str.h"
#include "core/cluster.h"
#include "core/layout.h"

struct unit {
    const char *name, *nodes, *children;
};

/* A cluster of n1 to n8 with one network. */
static struct cluster *make(uint32_t kind, const struct unit *units, size_t n, const uint32_t *sizes, size_t nsizes)
{
    struct cluster *c = cluster_new();
    struct err err = ERR_INIT;
    Pb__NodeDef def[8], *defs[8];
    char names[8][4], all[] = "n[1-8]", net[] = "net", part_name[] = "p", cluster_name[] = "c";
    Pb__TopoUnit unit[8], *unit_at[8];
    Pb__Topology t = PB__TOPOLOGY__INIT, *ts[] = { &t };
    Pb__Part part = PB__PART__INIT, *parts[] = { &part };
    Pb__EvConfig e = PB__EV_CONFIG__INIT;
    Pb__Event ev = PB__EVENT__INIT;
    for (int i = 0; i < 8; i++) {
        pb__node_def__init(&def[i]);
        snprintf(names[i], sizeof(names[i]), "n%d", i + 1);
        def[i].name = names[i], defs[i] = &def[i];
    }
    for (size_t i = 0; i < n; i++) {
        pb__topo_unit__init(&unit[i]);
        unit[i].name = (char *)(uintptr_t)units[i].name, unit[i].nodes = (char *)(uintptr_t)units[i].nodes,
        unit[i].children = (char *)(uintptr_t)units[i].children, unit_at[i] = &unit[i];
    }
    t.name = net, t.kind = kind, t.is_default = true, t.units = unit_at, t.n_units = n;
    t.block_sizes = (uint32_t *)(uintptr_t)sizes, t.n_block_sizes = nsizes;
    part.name = part_name, part.nodes = all;
    e.cluster = cluster_name, e.nodes = defs, e.n_nodes = 8, e.parts = parts, e.n_parts = 1, e.topologies = ts,
    e.n_topologies = 1;
    e.topo_optional = true;
    ev.body_case = PB__EVENT__BODY_CONFIG, ev.config = &e;
    ok(!cluster_apply(c, &ev, &err), "a cluster with a network: %s", err.text);
    return c;
}

static struct cluster *again(struct cluster *c)
{
    auto_buf struct buf a = BUF_INIT, b = BUF_INIT;
    struct cluster *d = NULL;
    struct err err = ERR_INIT;
    cluster_encode(c, &a);
    if (!ok(!cluster_decode(&d, a.s, a.len, &err), "a snapshot of it is read: %s", err.text))
        exit(1);
    cluster_encode(d, &b);
    ok(a.len == b.len && !memcmp(a.s, b.s, a.len), "and is the same again");
    cluster_free(c);
    return d;
}

static const char *path(const struct topo *t, uint32_t node)
{
    static struct buf b;
    buf_reset(&b);
    return topo_path(t, node, &b) ? b.s : NULL;
}

static void test_tree(void)
{
    static const struct unit units[] = { { "top", "", "m,s3" },
                                         { "s1", "n[1-2]", "" },
                                         { "s2", "n[3-4],nosuch", "" },
                                         { "m", "", "s[1-2]" },
                                         { "s3", "n[5-6],n4", "" } };
    struct cluster *c = again(make(TOPO_TREE, units, ARRAY_LEN(units), NULL, 0));
    const struct topo *t = topo_of_part(c, c->part.at[0]);
    if (!ok(t && t == topo_find(c, "net") && !topo_find(c, "other") && c->topo_optional,
            "it is found by name and by partition"))
        exit(1);
    is_int(t->unit[0].level, 2, "the top is two levels up");
    is_int(t->unit[3].level, 1, "the middle one");
    is_int(bitmap_count(&t->unit[0].nodes), 6, "six nodes hang on it");
    is_str(path(t, 0), "top.m.s1", "the way to n1");
    is_str(path(t, 3), "top.m.s2", "a node that two name belongs to the first");
    ok(!path(t, 7), "n8 hangs on nothing");
    cluster_free(c);
}

static void test_blocks(void)
{
    static const struct unit units[] = { { "b1", "n[1-3]", "" }, { "b2", "n[4-5]", "" }, { "b3", "n[6-8]", "" } };
    static const uint32_t sizes[] = { 2, 4 };
    struct cluster *c = again(make(TOPO_BLOCK, units, ARRAY_LEN(units), sizes, 2));
    const struct topo *t = topo_find(c, NULL);
    ok(t && t->base == 2 && t->nlevels == 2 && t->span[1] == 2, "two levels");
    is_str(path(t, 5), "b3", "a block has nothing above it");
    cluster_free(c);
}

/* A log may hold anything that parses. */
static void test_nonsense(void)
{
    static const struct unit units[] = {
        { "a", "", "b" }, { "b", "", "c" }, { "c", "", "a,d,nosuch" }, { "d", "n[1-", "d" }, { "a", "n1", "" }
    };
    struct cluster *c = again(make(TOPO_TREE, units, ARRAY_LEN(units), NULL, 0));
    ok(topo_find(c, NULL)->nunits == 5, "circles, names twice and lists that do not parse do no harm");
    cluster_free(c);
    static const uint32_t sizes[] = { 0, 0, 1, 3 };
    c = again(make(TOPO_BLOCK, units, ARRAY_LEN(units), sizes, 4));
    ok(topo_find(c, NULL)->base >= 1, "nor do sizes of nothing");
    cluster_free(c);
    c = again(make(77, units, ARRAY_LEN(units), NULL, 0));
    ok(!topo_of_part(c, c->part.at[0]), "an unknown kind is none");
    cluster_free(c);
}

/* Tasks follow the switches where nothing else is said. */
static void test_layout(void)
{
    static const struct unit units[] = { { "s1", "n[2,4,6,8]", "" },
                                         { "s2", "n[1,3,5,7]", "" },
                                         { "top", "", "s[1-2]" } };
    static const uint32_t node[] = { 0, 1, 2, 3 }, room[] = { 1, 2, 1, 4 }, order[] = { 1, 3, 0, 2 },
                          rank[] = { 5, 0, 1, 6, 2, 3, 4 };
    struct cluster *c = make(TOPO_TREE, units, ARRAY_LEN(units), NULL, 0);
    auto_free uint32_t *got = layout_topo_order(topo_find(c, NULL), node, 4);
    ok(got && !memcmp(got, order, sizeof(order)), "n2 and n4 before n1 and n3");
    static const uint32_t even[] = { 1, 3 };
    ok(!layout_topo_order(topo_find(c, NULL), even, 2), "what is in order already stays");
    struct layout_ask ask = { .n = 4, .room = room, .tasks = 7 };
    struct layout l;
    struct err err = ERR_INIT;
    ok(!layout_make_ordered(&ask, got, &l, &err) && !memcmp(l.rank, rank, sizeof(rank)) && l.tasks[3] == 3 && !l.plain,
       "ranks begin at the first switch");
    layout_clear(&l);
    ask.dist.dist = LAYOUT_CYCLIC;
    ok(!layout_make_ordered(&ask, got, &l, &err) && l.rank[0] == 0, "a cyclic order goes by the numbers of the nodes");
    layout_clear(&l);
    cluster_free(c);
}

int main(void)
{
    test_tree();
    test_blocks();
    test_nonsense();
    test_layout();
    return test_done();
}
