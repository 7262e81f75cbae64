/* site_node - NodeName and DownNodes lines become nodes. */
#include "base/str.h"
#include "text/array.h"
#include "text/hostlist.h"
#include "text/site_lines.h"
#include "text/strs.h"

#define CPUS_MAX 65533u /* the largest that is not one of Slurm's special values */

struct node_list {
    VEC(struct site_node) node;
};

/* A list beside NodeName's: as many as there are names, or one for all. */
struct beside {
    const char *key;
    struct strs names;
};

static int read_beside(struct beside *b, const char *expr, size_t want, struct err *err)
{
    if (!expr)
        return 0;
    struct err why = ERR_INIT;
    if (hostlist_expand(expr, &b->names, &why))
        return err_set(err, EINVAL, "%s=%.100s: %s", b->key, expr, why.text);
    if (b->names.n == want || b->names.n == 1)
        return 0;
    return err_set(err, EINVAL, "%s=%.100s: %zu for %zu nodes; say one, or one for each", b->key, expr, b->names.n,
                   want);
}

static const char *beside_at(const struct beside *b, size_t i)
{
    return b->names.n == 0 ? NULL : b->names.at[b->names.n == 1 ? 0 : i];
}

/* The same text for many nodes is kept once. */
static char *keep_shared(struct site *s, const struct beside *b, size_t i, char **shared)
{
    const char *text = beside_at(b, i);
    if (!text || b->names.n > 1)
        return text ? site_str(s, text) : NULL;
    if (!*shared)
        *shared = site_str(s, text);
    return *shared;
}

/* Sockets, cores and threads as Slurm completes them.  Nothing said at all: the node will tell. */
static void settle_cpus(const struct node_line *line, struct site_node *node)
{
    uint32_t boards = MAX(line->boards, 1), cores = MAX(line->cores, 1), threads = MAX(line->threads, 1);
    uint32_t a_board = line->sockets_per_board ? line->sockets_per_board : line->sockets;
    if (!line->cpus && !line->boards && !a_board && !line->cores && !line->threads)
        return;
    uint32_t sockets = boards * a_board;
    if (!sockets)
        sockets = MAX(line->cpus / (cores * threads), 1);
    uint32_t all_cores = sockets * cores, all = all_cores * threads;
    bool fits = line->cpus == all || line->cpus == all_cores || line->cpus == sockets;
    node->boards = boards;
    node->sockets = sockets;
    node->cores = cores;
    node->threads = threads;
    node->cpus = fits ? line->cpus : all; /* CPUs that match no level of the hardware are reset, as in Slurm */
}

static int check_line(const struct node_line *line, struct err *err)
{
    const struct site_node *n = &line->node;
    uint64_t boards = MAX(line->boards, 1), sockets = MAX(MAX(line->sockets, line->sockets_per_board), 1);
    uint64_t cores = MAX(line->cores, 1), threads = MAX(line->threads, 1);
    if (boards * sockets * cores * threads > CPUS_MAX)
        return err_set(err, EINVAL, "more than %u CPUs in one node", CPUS_MAX);
    if (line->sockets && line->sockets_per_board)
        return err_set(err, EINVAL, "Sockets and SocketsPerBoard are mutually exclusive");
    if (n->core_spec && n->cpu_spec_list)
        return err_set(err, EINVAL, "CoreSpecCount and CpuSpecList are mutually exclusive");
    auto_array struct array cpus = ARRAY_INIT;
    bool known = line->cpus || line->boards || line->sockets || line->sockets_per_board || line->cores || line->threads;
    uint64_t most = known ? MAX(boards * sockets * cores * threads, line->cpus) : CPUS_MAX;
    if (n->cpu_spec_list && array_parse(n->cpu_spec_list, (uint32_t)most, &cpus, NULL))
        return err_set(err, EINVAL, "CpuSpecList=%.60s: not a list of the node's CPUs", n->cpu_spec_list);
    if (n->mem_spec_mb && n->mem_mb && n->mem_spec_mb >= n->mem_mb)
        return err_set(err, EINVAL, "MemSpecLimit=%llu: must be less than RealMemory=%llu",
                       (unsigned long long)n->mem_spec_mb, (unsigned long long)n->mem_mb);
    return 0;
}

static int node_port(const struct site *s, const struct beside *ports, size_t i, uint16_t *out, struct err *err)
{
    const char *text = beside_at(ports, i);
    uint64_t port = s->node_port;
    if (text && !str_u64(text, 1, 65535, &port))
        return err_set(err, EINVAL, "Port=%.60s: not a port", text);
    *out = (uint16_t)port;
    return 0;
}

static int expand_nodes(struct site *s, struct node_line *line, const struct strs *names, struct beside b[static 4],
                        struct node_list *out, struct err *err)
{
    char *host = NULL, *addr = NULL, *bcast = NULL;
    settle_cpus(line, &line->node);
    line->node.tmp_mb = line->tmp_mb;
    for (size_t i = 0; i < names->n; i++) {
        struct site_node node = line->node;
        int rc = node_port(s, &b[3], i, &node.port, err);
        if (rc)
            return rc;
        node.name = site_str(s, names->at[i]);
        node.hostname = keep_shared(s, &b[0], i, &host);
        node.addr = keep_shared(s, &b[1], i, &addr);
        node.bcast_addr = keep_shared(s, &b[2], i, &bcast);
        if (!node.hostname)
            node.hostname = node.name;
        if (!node.addr)
            node.addr = node.hostname;
        vec_push(&out->node, node);
    }
    return 0;
}

static int add_nodes(struct site *s, const char *expr, struct node_line *line, struct node_list *out, struct err *err)
{
    auto_strs struct strs names = STRS_INIT;
    struct err why = ERR_INIT;
    struct beside b[4] = { { "NodeHostname" }, { "NodeAddr" }, { "BcastAddr" }, { "Port" } };
    const char *exprs[4] = { line->hostnames, line->addrs, line->bcast_addrs, line->ports };
    if (hostlist_expand(expr, &names, &why))
        return err_set(err, EINVAL, "NodeName=%.100s: %s", expr, why.text);
    if (out->node.n + names.n > HOSTLIST_MAX)
        return err_set(err, EINVAL, "NodeName=%.100s: more than %d nodes", expr, HOSTLIST_MAX);
    int rc = names.n ? check_line(line, err) : err_set(err, EINVAL, "NodeName is empty");
    for (size_t i = 0; i < ARRAY_LEN(b) && !rc; i++)
        rc = read_beside(&b[i], exprs[i], names.n, err);
    if (!rc)
        rc = expand_nodes(s, line, &names, b, out, err);
    for (size_t i = 0; i < ARRAY_LEN(b); i++)
        strs_clear(&b[i].names);
    return rc;
}

/* What the line says itself puts away what DEFAULT said in the other word. */
static void choose_sockets(const struct site *s, const struct conf_line *at, struct node_line *line)
{
    const char *all = conf_line_value(&s->conf, at, "Sockets"),
               *a_board = conf_line_value(&s->conf, at, "SocketsPerBoard");
    if (all && !a_board)
        line->sockets_per_board = 0;
    if (a_board && !all)
        line->sockets = 0;
}

static int node_line(struct site *s, uint32_t index, struct node_line *defaults, struct node_list *out, struct err *err)
{
    const struct conf_line *at = &s->conf.line.at[index];
    const char *expr = s->conf.pair.at[at->first].value;
    bool is_default = str_ieq(expr, "DEFAULT");
    struct node_line line = *defaults;
    int rc = site_line_set(s, at, CONF_NODE, is_default ? defaults : &line, err);
    if (rc)
        return rc;
    if (is_default && (defaults->hostnames || defaults->addrs || defaults->bcast_addrs))
        rc = err_set(err, EINVAL, "%s not allowed with NodeName=DEFAULT",
                     defaults->hostnames ? "NodeHostname"
                     : defaults->addrs   ? "NodeAddr"
                                         : "BcastAddr");
    else if (str_ieq(expr, "ALL"))
        rc = err_set(err, EINVAL, "NodeName=ALL: ALL is a reserved word");
    choose_sockets(s, at, is_default ? defaults : &line);
    line.node.line = index;
    if (!rc && !is_default)
        rc = add_nodes(s, expr, &line, out, err);
    return rc ? site_at(at, err) : 0;
}

static int index_nodes(struct site *s, struct err *err)
{
    for (size_t i = 0; i < s->nnodes; i++) {
        const struct site_node *was = smap_put(&s->node_by_name, s->node[i].name, &s->node[i]);
        if (!was)
            continue;
        const struct conf_line *first = &s->conf.line.at[was->line];
        err_set(err, EINVAL, "duplicate node %s, already at %s:%u", was->name, first->file, first->number);
        return site_at(&s->conf.line.at[s->node[i].line], err);
    }
    return 0;
}

static int down_line(struct site *s, const struct conf_line *at, struct err *err)
{
    struct down_line line = { 0 };
    site_line_defaults(CONF_DOWN, &line);
    int rc = site_line_set(s, at, CONF_DOWN, &line, err);
    if (rc)
        return rc;
    uint32_t *node = NULL;
    size_t n = 0;
    rc = site_find_nodes(s, s->conf.pair.at[at->first].value, false, &node, &n, err);
    if (rc) {
        if (err)
            err_prefix(err, "DownNodes");
        return site_at(at, err);
    }
    for (size_t i = 0; i < n; i++) {
        s->node[node[i]].state = line.state;
        if (line.reason)
            s->node[node[i]].reason = line.reason;
    }
    free(node);
    return 0;
}

static enum conf_kind kind_of(const struct site *s, size_t i)
{
    return conf_line_kind(s->conf.pair.at[s->conf.line.at[i].first].key);
}

int site_load_nodes(struct site *s, struct err *err)
{
    struct node_list list = { 0 };
    struct node_line defaults = { 0 };
    int rc = 0;
    site_line_defaults(CONF_NODE, &defaults);
    for (size_t i = 0; i < s->conf.line.n && !rc; i++)
        if (kind_of(s, i) == CONF_NODE)
            rc = node_line(s, (uint32_t)i, &defaults, &list, err);
    s->node = list.node.at;
    s->nnodes = list.node.n;
    if (!rc)
        rc = index_nodes(s, err);
    for (size_t i = 0; i < s->conf.line.n && !rc; i++)
        if (kind_of(s, i) == CONF_DOWN)
            rc = down_line(s, &s->conf.line.at[i], err);
    return rc;
}
