/* topology - topology.conf and topology.yaml: what they say, and what is wrong with them. */
#include "text/topology.h"

#include <sys/stat.h>

#include "../test.h"
#include "base/str.h"
#include "text/site.h"

static struct topo_conf *read_conf(enum topo_kind kind, const char *text, struct err *err)
{
    struct topo_conf *t = topo_conf_new("topology.conf");
    if (!topo_conf_parse(t, kind, text, strlen(text), err))
        return t;
    topo_conf_free(t);
    return NULL;
}

static void test_tree(void)
{
    struct err err = ERR_INIT;
    struct topo_conf *t = read_conf(
        TOPO_TREE,
        "# two leaves\nSwitchName=s1 Nodes=n[1-2]\nswitchname=s2 nodes=n3 \\\n LinkSpeed=10\n"
        "SwitchName=top Switches=s[1-2]\n",
        &err);
    if (!ok(t != NULL, "a tree is read: %s", err.text))
        return;
    const struct topo_conf_net *n = &t->net.at[0];
    is_int(n->unit.n, 3, "three switches");
    ok(n->is_default && str_eq(n->name, "default"), "it is the cluster's own");
    is_str(n->unit.at[1].speed, "10", "with its speed");
    is_str(n->unit.at[2].children, "s[1-2]", "and its children");
    is_int(n->unit.at[2].line, 5, "and its line");
    topo_conf_free(t);
}

static void test_blocks(void)
{
    struct err err = ERR_INIT;
    struct topo_conf *t = read_conf(TOPO_BLOCK,
                                    "BlockName=b1 Nodes=n[1-4]\nBlockName=b2 Nodes=n[5-8]\nBlockSizes=3,6,12\n", &err);
    if (!ok(t != NULL, "blocks are read: %s", err.text))
        return;
    ok(t->net.at[0].size.n == 3 && t->net.at[0].size.at[2] == 12, "with their sizes");
    topo_conf_free(t);
}

static void test_wrong(void)
{
    static const struct {
        enum topo_kind kind;
        const char *text, *says;
    } cases[] = {
        { TOPO_TREE, "SwitchName=s1 Nodes=n1\nSwitchName=s1 Nodes=n2\n", "topology.conf:2: switch s1 is there twice" },
        { TOPO_TREE, "SwitchName=s1\n", "topology.conf:1: switch s1 has no Nodes and no Switches" },
        { TOPO_TREE, "SwitchName=s1 Nodes=n1 Switches=s2\nSwitchName=s2 Nodes=n2\n", "has both Nodes and Switches" },
        { TOPO_TREE, "SwitchName=s1 Switches=s2\n", "topology.conf:1: Switches of s1: there is no switch s2" },
        { TOPO_TREE, "SwitchName=a Switches=b\nSwitchName=b Switches=a\n", "below itself" },
        { TOPO_TREE, "SwitchName=a Switches=a\n", "below itself" },
        { TOPO_TREE, "SwitchName=a Nodes=n1\nSwitchName=b Switches=a\nSwitchName=c Switches=a\n",
          "is below b and below c" },
        { TOPO_TREE, "SwitchName=s1 Nodes=n[1-\n", "topology.conf:1: switch s1" },
        { TOPO_TREE, "SwitchName=s1 Nods=n1\n", "topology.conf:1: unknown key Nods" },
        { TOPO_TREE, "Nodes=n1 SwitchName=s1\n", "SwitchName must be the first key" },
        { TOPO_TREE, "BlockName=b1 Nodes=n1\n", "BlockName belongs to another TopologyPlugin" },
        { TOPO_TREE, "RingName=b1 Nodes=n1\n", "RingName belongs to another TopologyPlugin" },
        { TOPO_TREE, "", "topology default has no switch" },
        { TOPO_BLOCK, "SwitchName=b1 Nodes=n1\n", "SwitchName belongs to another TopologyPlugin" },
        { TOPO_BLOCK, "BlockName=b1 Nodes=n1\nBlockSizes=0\n", "topology.conf:2: Invalid BlockSizes value: 0" },
        { TOPO_BLOCK, "BlockName=b1 Nodes=n1\nBlockSizes=2,x\n", "Invalid BlockSizes value: x" },
        { TOPO_BLOCK, "BlockName=b1 Nodes=n1\nBlockSizes=2,6\n", "6 is not 2 times a power of two" },
        { TOPO_BLOCK, "BlockName=b1 Nodes=n1\nBlockSizes=4,2\n", "Invalid BlockSizes value" },
        { TOPO_BLOCK, "BlockName=b1\n", "block b1 has no Nodes" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err err = ERR_INIT;
        struct topo_conf *t = read_conf(cases[i].kind, cases[i].text, &err);
        ok(!t && strstr(err.text, cases[i].says), "refused: %s", err.text);
        topo_conf_free(t);
    }
    char long_name[100];
    snprintf(long_name, sizeof(long_name), "SwitchName=%065d Nodes=n1\n", 0);
    struct err err = ERR_INIT;
    ok(!read_conf(TOPO_TREE, long_name, &err) && strstr(err.text, "1 to 64 characters"), "refused: %s", err.text);
}

static void test_yaml(void)
{
    static const char text[] =
        "---\n- topology: topo1\n  cluster_default: true\n  tree:\n    switches:\n      - switch: root\n"
        "        children: s[1-2]\n      - switch: s1\n        nodes: node[01-02]\n      - switch: s2\n"
        "        nodes: node[03-04]\n- topology: topo2\n  cluster_default: true\n  block:\n    block_sizes:\n"
        "      - 4\n      - 16\n    blocks:\n      - block: b1\n        nodes: node[01-04]\n- topology: topo3\n"
        "  cluster_default: false\n  flat: true\n";
    struct err err = ERR_INIT;
    struct topo_conf *t = topo_conf_new("topology.yaml");
    if (ok(!topo_yaml_parse(t, text, strlen(text), &err), "three networks are read: %s", err.text)) {
        ok(t->net.n == 3 && t->net.at[0].kind == TOPO_TREE && t->net.at[1].kind == TOPO_BLOCK &&
               t->net.at[2].kind == TOPO_FLAT,
           "a tree, blocks, nothing");
        ok(t->net.at[0].is_default && !t->net.at[1].is_default, "the first that says so is the cluster's");
        is_str(t->net.at[0].unit.at[2].nodes, "node[03-04]", "nodes of a switch");
        is_int(t->net.at[1].size.at[1], 16, "sizes of blocks");
    }
    topo_conf_free(t);
}

static void test_wrong_yaml(void)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        { "a: [", "topology.yaml:" },
        { "", "there is no topology in it" },
        { "a: b\n", "topology.yaml:1: the document must be a list" },
        { "- x\n", "topology.yaml:1: a topology must be a mapping" },
        { "- topology: a\n  tre:\n    switches: []\n", "topology.yaml:2: unknown key tre in a topology" },
        { "- topology: a\n", "topology a has no type" },
        { "- tree:\n    switches: []\n", "a topology has no name" },
        { "- topology: a\n  ring:\n    rings: []\n", "topology/ring is not supported" },
        { "- topology: a\n  torus3d:\n    toruses: []\n", "topology/torus3d is not supported" },
        { "- topology: a\n  flat: true\n  tree:\n    switches: []\n", "topology a has two types" },
        { "- topology: a\n  flat: maybe\n", "flat is true or false" },
        { "- topology: a\n  flat:\n    alpha_step_rank: true\n", "alpha_step_rank) are not supported" },
        { "- topology: a\n  tree:\n    switches:\n      - switch: s1\n        node: n1\n",
          "topology.yaml:5: unknown key node in switch" },
        { "- topology: a\n  tree:\n    switches:\n      - switch: s1\n        nodes: [n1]\n",
          "topology.yaml:5: nodes must be a text" },
        { "- topology: a\n  block:\n    block_sizes: 4\n", "topology.yaml:3: block_sizes must be a list" },
        { "- topology: a\n  block:\n    block_sizes: [x]\n", "Invalid BlockSizes value: x" },
        { "- topology: a\n  flat: true\n- topology: a\n  flat: true\n", "topology a is there twice" },
        { "- topology: a\n  tree:\n    switches:\n      - switch: s1\n        children: s2\n",
          "there is no switch s2" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err err = ERR_INIT;
        struct topo_conf *t = topo_conf_new("topology.yaml");
        ok(topo_yaml_parse(t, cases[i].text, strlen(cases[i].text), &err) && strstr(err.text, cases[i].says),
           "refused: %s", err.text);
        topo_conf_free(t);
    }
}

/* ---- beside a slurm.conf ---- */

static char dir[] = "/tmp/topo-test-XXXXXX";

static void put(const char *name, const char *text)
{
    auto_free char *path = mem_printf("%s/%s", dir, name);
    auto_file FILE *f = fopen(path, "w");
    fputs(text, f);
}

static int load(struct site **s, const char *more, struct err *err)
{
    auto_free char *text = mem_printf("ClusterName=c\nSlurmctldHost=h\nNodeName=n[1-3] CPUs=1\n%s", more);
    auto_free char *path = mem_printf("%s/slurm.conf", dir);
    put("slurm.conf", text);
    int rc = site_load(s, path, err);
    return rc ? rc : topo_load(*s, err);
}

static void count(void *arg, const char *sentence)
{
    struct buf *b = arg;
    buf_addf(b, "%s\n", sentence);
}

static void test_beside(void)
{
    struct site *s = NULL;
    struct err err = ERR_INIT;
    auto_buf struct buf warnings = BUF_INIT;
    ok(!load(&s, "PartitionName=p Nodes=ALL\n", &err) && !s->topo, "no plugin, no network");
    site_free(s), s = NULL;
    ok(load(&s, "TopologyPlugin=topology/tree\n", &err) == ENOENT && strstr(err.text, "topology.conf"), "%s", err.text);
    site_free(s), s = NULL;
    ok(load(&s, "TopologyPlugin=topology/3d_torus\n", &err) && strstr(err.text, "topology/3d_torus is not supported"),
       "%s", err.text);
    site_free(s), s = NULL;
    put("topology.conf", "SwitchName=s1 Nodes=n1,n9\nSwitchName=s2 Nodes=n2\nSwitchName=top Switches=s[1-2]\n");
    ok(load(&s, "TopologyPlugin=topology/tree\nTopologyParam=Dragonfly\n", &err) && strstr(err.text, "Dragonfly"), "%s",
       err.text);
    site_free(s), s = NULL;
    ok(!load(&s, "TopologyPlugin=topology/tree\nTopologyParam=TopoOptional,RoutePart\n", &err) && s->topo &&
           s->topo->optional,
       "a tree, on demand: %s", err.text);
    topo_warnings(s, count, &warnings);
    ok(strstr(warnings.s, "s1 names the node n9") && strstr(warnings.s, "does not reach 1 nodes") &&
           strstr(warnings.s, "RoutePart"),
       "warnings: %s", warnings.s);
    site_free(s), s = NULL;
    ok(load(&s, "TopologyPlugin=topology/tree\nPartitionName=p Nodes=ALL Topology=x\n", &err) &&
           strstr(err.text, "PartitionName=p: there is no topology x"),
       "%s", err.text);
    site_free(s), s = NULL;
    ok(!load(&s,
             "TopologyPlugin=topology/tree\nNodeName=n4 CPUs=1 Topology=default:top:s3\nNodeName=n5 CPUs=1 "
             "Topology=default:s2\n",
             &err),
       "nodes say themselves where they are: %s", err.text);
    if (s && s->topo) {
        const struct topo_conf_net *n = &s->topo->net.at[0];
        is_str(n->unit.at[1].nodes, "n2,n5", "one more on a switch");
        is_str(n->unit.at[3].nodes, "n4", "one on a new switch");
        is_str(n->unit.at[2].children, "s[1-2],s3", "below the one it names");
    }
    site_free(s), s = NULL;
    put("topology.yaml", "- topology: row\n  cluster_default: true\n  flat: true\n");
    ok(!load(&s, "TopologyPlugin=topology/tree\nPartitionName=p Nodes=ALL Topology=row\n", &err) &&
           s->topo->net.at[0].kind == TOPO_FLAT,
       "topology.yaml wins: %s", err.text);
    site_free(s);
}

int main(void)
{
    test_tree();
    test_blocks();
    test_wrong();
    test_yaml();
    test_wrong_yaml();
    if (mkdtemp(dir))
        test_beside();
    static const char *const files[] = { "slurm.conf", "topology.conf", "topology.yaml" };
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        auto_free char *path = mem_printf("%s/%s", dir, files[i]);
        unlink(path);
    }
    rmdir(dir);
    return test_done();
}
