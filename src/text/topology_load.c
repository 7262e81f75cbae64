/* topology_load - which file describes the network, and what slurm.conf adds to it; see topology.h. */
#include <sys/stat.h>

#include "base/map.h"
#include "base/str.h"
#include "text/conf.h"
#include "text/hostlist.h"
#include "text/site.h"
#include "text/topology.h"

/* ---- which file ---- */

static char *path_beside(const struct site *s, const char *name)
{
    const char *slash = s->path ? strrchr(s->path, '/') : NULL;
    if (!s->path)
        return NULL;
    return slash ? mem_printf("%.*s/%s", (int)(slash - s->path), s->path, name) : mem_str(name);
}

static bool file_exists(const char *path)
{
    struct stat st;
    return path && !stat(path, &st);
}

static int plugin_kind(const struct site *s, enum topo_kind *out, struct err *err)
{
    static const struct {
        const char *name;
        enum topo_kind kind;
    } known[] = { { "topology/flat", TOPO_FLAT }, { "topology/default", TOPO_FLAT }, { "topology/none", TOPO_FLAT },
                  { "topology/tree", TOPO_TREE }, { "topology/block", TOPO_BLOCK },  { "", TOPO_FLAT } };
    const char *name = s->topology_plugin ? s->topology_plugin : "";
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (str_ieq(known[i].name, name)) {
            *out = known[i].kind;
            return 0;
        }
    return err_set(err, EINVAL,
                   "TopologyPlugin=%.60s is not supported: topology/tree, topology/block and topology/flat are", name);
}

static int read_file(struct topo_conf *t, bool yaml, enum topo_kind kind, struct err *err)
{
    auto_buf struct buf text = BUF_INIT;
    int rc = buf_read_file(&text, t->file, CONF_FILE_MAX);
    if (rc)
        return err_set(err, rc, "cannot read %s: %s", t->file, err_text(rc));
    const char *s = text.s ? text.s : "";
    return yaml ? topo_yaml_parse(t, s, text.len, err) : topo_conf_parse(t, kind, s, text.len, err);
}

/* ---- Topology= of nodes and partitions ---- */

static struct topo_conf_net *net_named(struct topo_conf *t, const char *name)
{
    for (size_t i = 0; t && i < t->net.n; i++)
        if (str_eq(t->net.at[i].name, name))
            return &t->net.at[i];
    return NULL;
}

static int parts_known(const struct site *s, struct err *err)
{
    for (size_t i = 0; i < s->nparts; i++)
        if (!str_empty(s->part[i].topology) && !net_named(s->topo, s->part[i].topology))
            return err_set(err, EINVAL, "PartitionName=%s: there is no topology %.60s", s->part[i].name,
                           s->part[i].topology);
    return 0;
}

static void list_add(char **list, const char *name)
{
    char *more = str_empty(*list) ? mem_str(name) : mem_printf("%s,%s", *list, name);
    free(*list);
    *list = more;
}

static void list_remove(char **list, const char *name)
{
    auto_strs struct strs names = STRS_INIT;
    struct strs kept = STRS_INIT;
    if (hostlist_expand(*list, &names, NULL) || !strs_has(&names, name))
        return;
    for (size_t i = 0; i < names.n; i++)
        if (!str_eq(names.at[i], name))
            strs_add(&kept, names.at[i]);
    free(*list);
    *list = hostlist_compress(kept.at, kept.n);
    strs_clear(&kept);
}

static struct topo_conf_unit *unit_named(struct topo_conf_net *n, const char *name, const char *above)
{
    for (size_t i = 0; i < n->unit.n; i++)
        if (str_eq(n->unit.at[i].name, name))
            return &n->unit.at[i];
    struct topo_conf_unit *u = topo_conf_unit(n, name, 0);
    for (size_t i = 0; above && i < n->unit.n; i++)
        if (str_eq(n->unit.at[i].name, above))
            list_add(&n->unit.at[i].children, name);
    return u;
}

/* "name:s0:s1": the node hangs on s1 there, whatever the file says; switches that are not there are made. */
static int place_node(struct site *s, const struct site_node *node, const char *pair, struct err *err)
{
    auto_strs struct strs word = STRS_INIT;
    strs_split(&word, pair, ":");
    struct topo_conf_net *n = word.n ? net_named(s->topo, word.at[0]) : NULL;
    if (!n || word.n < 2)
        return err_set(err, EINVAL, "NodeName=%s: Topology=%.100s names no unit of a topology", node->name, pair);
    if (n->kind == TOPO_BLOCK && word.n > 2)
        return err_set(err, EINVAL, "NodeName=%s: Topology=%.100s: blocks have no blocks above them", node->name, pair);
    for (size_t i = 0; i < n->unit.n; i++)
        list_remove(&n->unit.at[i].nodes, node->name);
    for (size_t i = 1; i + 1 < word.n; i++)
        unit_named(n, word.at[i], i > 1 ? word.at[i - 1] : NULL);
    list_add(&unit_named(n, word.at[word.n - 1], word.n > 2 ? word.at[word.n - 2] : NULL)->nodes, node->name);
    return 0;
}

static int place_nodes(struct site *s, struct err *err)
{
    int rc = 0;
    for (size_t i = 0; i < s->nnodes && !rc; i++) {
        const char *pos = s->node[i].topology ? s->node[i].topology : "";
        for (char *pair; !rc && (pair = str_next(&pos, ",")); free(pair))
            rc = place_node(s, &s->node[i], pair, err);
    }
    return rc;
}

/* Units that lost their last node to another say nothing any more. */
static void drop_empty(struct topo_conf *t)
{
    for (size_t k = 0; k < t->net.n; k++)
        for (size_t i = t->net.at[k].unit.n; i-- > 0;) {
            struct topo_conf_unit *u = &t->net.at[k].unit.at[i];
            if (!str_empty(u->nodes) || !str_empty(u->children))
                continue;
            for (size_t p = 0; p < t->net.at[k].unit.n; p++)
                list_remove(&t->net.at[k].unit.at[p].children, u->name);
            free(u->name), free(u->nodes), free(u->children), free(u->speed);
            vec_remove(&t->net.at[k].unit, i);
        }
}

static int topology_check(struct site *s, struct err *err)
{
    bool placed = false;
    for (size_t i = 0; i < s->nnodes; i++)
        placed |= !str_empty(s->node[i].topology);
    int rc = parts_known(s, err);
    if (rc || !placed)
        return rc;
    rc = place_nodes(s, err);
    if (rc)
        return rc;
    drop_empty(s->topo);
    return topo_conf_check(s->topo, err);
}

int topo_load(struct site *s, struct err *err)
{
    enum topo_kind kind = TOPO_FLAT;
    auto_free char *yaml = path_beside(s, "topology.yaml"), *conf = path_beside(s, "topology.conf");
    bool by_yaml = file_exists(yaml);
    int rc = by_yaml ? 0 : plugin_kind(s, &kind, err);
    if (rc)
        return rc;
    if (strcasestr(s->topology_param ? s->topology_param : "", "Dragonfly"))
        return err_set(err, EINVAL, "TopologyParam=Dragonfly is not supported");
    if (!by_yaml && kind == TOPO_FLAT)
        return parts_known(s, err);
    if (!by_yaml && !file_exists(conf))
        return err_set(err, ENOENT, "TopologyPlugin=%s needs %s, which is not there", s->topology_plugin,
                       conf ? conf : "a topology.conf beside slurm.conf");
    struct topo_conf *t = topo_conf_new(by_yaml ? yaml : conf);
    t->optional = s->topology_param && site_param(s->topology_param, "TopoOptional");
    rc = read_file(t, by_yaml, kind, err);
    topo_conf_free(s->topo);
    s->topo = t;
    return rc ? rc : topology_check(s, err);
}

/* ---- warnings ---- */

struct warnings {
    const struct site *s;
    topo_warning_fn *each;
    void *arg;
};

static void warn_sentence(const struct warnings *d, char *sentence)
{
    d->each(d->arg, sentence);
    free(sentence);
}

static void warn_net(const struct warnings *d, const struct topo_conf_net *n)
{
    struct smap seen = { 0 };
    size_t have = 0;
    for (size_t i = 0; i < n->unit.n; i++) {
        struct strs names = STRS_INIT;
        (void)hostlist_expand(n->unit.at[i].nodes, &names, NULL);
        for (size_t k = 0; k < names.n; k++) {
            const struct site_node *node = site_node(d->s, names.at[k]);
            if (!node)
                warn_sentence(d, mem_printf("%s:%u: %s names the node %s, which is not configured", d->s->topo->file,
                                            n->unit.at[i].line, n->unit.at[i].name, names.at[k]));
            else if (!smap_put(&seen, node->name, (void *)(uintptr_t)node))
                have++;
        }
        strs_clear(&names);
    }
    if (have < d->s->nnodes)
        warn_sentence(d, mem_printf("%s: topology %s does not reach %zu nodes: no job will run on them there",
                                    d->s->topo->file, n->name, d->s->nnodes - have));
    smap_clear(&seen);
}

static void warn_words(const struct warnings *d)
{
    static const char *const ignored[] = { "RoutePart",       "RouteTree",         "SwitchAsNodeRank",
                                           "BlockAsNodeRank", "TopoMaxSizeUnroll", "Dragonfly" };
    for (size_t i = 0; d->s->topology_param && i < ARRAY_LEN(ignored); i++)
        if (site_param(d->s->topology_param, ignored[i]))
            warn_sentence(d, mem_printf("TopologyParam=%s is not acted on", ignored[i]));
}

void topo_warnings(const struct site *s, topo_warning_fn *each, void *arg)
{
    struct warnings d = { s, each, arg };
    warn_words(&d);
    for (size_t i = 0; s->topo && i < s->topo->net.n; i++)
        if (s->topo->net.at[i].kind != TOPO_FLAT)
            warn_net(&d, &s->topo->net.at[i]);
}
