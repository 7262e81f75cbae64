/*
 * topology_yaml - topology.yaml: several networks, each with a name; see topology.h.
 *
 * The document is a list of networks.  What is read is walked by fixed paths, so neither depth nor aliases matter.
 */
#include <stdarg.h>
#include <yaml.h>

#include "base/str.h"
#include "text/topology.h"

struct walk {
    struct topo_conf *t;
    yaml_document_t *doc;
    struct err *err;
};

static int yaml_wrong(const struct walk *w, const yaml_node_t *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static uint32_t line_of(const yaml_node_t *n)
{
    return (uint32_t)n->start_mark.line + 1;
}

static int yaml_wrong(const struct walk *w, const yaml_node_t *at, const char *fmt, ...)
{
    char text[300];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    return err_set(w->err, EINVAL, "%s:%u: %s", w->t->file, line_of(at), text);
}

/* A text without NUL bytes; NULL when the node is something else. */
static const char *yaml_scalar(const yaml_node_t *n)
{
    if (n->type != YAML_SCALAR_NODE || strlen((const char *)n->data.scalar.value) != n->data.scalar.length)
        return NULL;
    return (const char *)n->data.scalar.value;
}

static int read_bool(const struct walk *w, const yaml_node_t *n, const char *key, bool *out)
{
    const char *s = yaml_scalar(n);
    bool yes = str_ieq(s, "true") || str_ieq(s, "yes") || str_ieq(s, "on");
    if (!yes && !str_ieq(s, "false") && !str_ieq(s, "no") && !str_ieq(s, "off"))
        return yaml_wrong(w, n, "%s is true or false", key);
    *out = yes;
    return 0;
}

/* ---- a mapping, by a table of keys ---- */

struct rule {
    const char *key;
    int (*fill)(const struct walk *w, const struct rule *r, const yaml_node_t *value, void *into);
    size_t at; /* of the field */
};

static int map_walk(const struct walk *w, const yaml_node_t *map, const struct rule *rules, size_t n, const char *what,
                    void *into)
{
    if (map->type != YAML_MAPPING_NODE)
        return yaml_wrong(w, map, "%s must be a mapping of keys and values", what);
    for (yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top; p++) {
        const yaml_node_t *k = yaml_document_get_node(w->doc, p->key);
        const yaml_node_t *v = yaml_document_get_node(w->doc, p->value);
        const char *key = k ? yaml_scalar(k) : NULL;
        size_t i = 0;
        while (i < n && !str_eq(rules[i].key, key))
            i++;
        if (!key || !v || i == n)
            return yaml_wrong(w, k ? k : map, "unknown key %.60s in %s", key ? key : "(not a word)", what);
        int rc = rules[i].fill(w, &rules[i], v, into);
        if (rc)
            return rc;
    }
    return 0;
}

static int list_walk(const struct walk *w, const yaml_node_t *list, const char *what,
                     int (*each)(const struct walk *w, const yaml_node_t *item, void *into), void *into)
{
    if (list->type != YAML_SEQUENCE_NODE)
        return yaml_wrong(w, list, "%s must be a list", what);
    int rc = 0;
    for (yaml_node_item_t *i = list->data.sequence.items.start; i < list->data.sequence.items.top && !rc; i++) {
        const yaml_node_t *item = yaml_document_get_node(w->doc, *i);
        rc = item ? each(w, item, into) : yaml_wrong(w, list, "%s has an empty item", what);
    }
    return rc;
}

static int take_text(const struct walk *w, const struct rule *r, const yaml_node_t *value, void *into)
{
    const char *s = yaml_scalar(value);
    if (!s)
        return yaml_wrong(w, value, "%s must be a text", r->key);
    mem_set_str((char **)(void *)((char *)into + r->at), s);
    return 0;
}

/* ---- switches and blocks ---- */

#define UNIT(field) offsetof(struct topo_conf_unit, field)

static int read_unit(const struct walk *w, const yaml_node_t *item, const struct rule *rules, size_t n,
                     struct topo_conf_net *net)
{
    if (net->unit.n >= TOPO_UNITS_MAX)
        return yaml_wrong(w, item, "more than %u of them", TOPO_UNITS_MAX);
    struct topo_conf_unit *u = topo_conf_unit(net, "", line_of(item));
    mem_set_str(&u->speed, "0"); /* what Slurm shows where nothing is said */
    return map_walk(w, item, rules, n, rules[0].key, u);
}

static int read_switch(const struct walk *w, const yaml_node_t *item, void *into)
{
    static const struct rule rules[] = { { "switch", take_text, UNIT(name) },
                                         { "children", take_text, UNIT(children) },
                                         { "nodes", take_text, UNIT(nodes) },
                                         { "link_speed", take_text, UNIT(speed) } };
    return read_unit(w, item, rules, ARRAY_LEN(rules), into);
}

static int read_block(const struct walk *w, const yaml_node_t *item, void *into)
{
    static const struct rule rules[] = { { "block", take_text, UNIT(name) }, { "nodes", take_text, UNIT(nodes) } };
    return read_unit(w, item, rules, ARRAY_LEN(rules), into);
}

static int take_switches(const struct walk *w, const struct rule *r, const yaml_node_t *value, void *into)
{
    return list_walk(w, value, r->key, read_switch, into);
}

static int take_blocks(const struct walk *w, const struct rule *r, const yaml_node_t *value, void *into)
{
    return list_walk(w, value, r->key, read_block, into);
}

static int read_size(const struct walk *w, const yaml_node_t *item, void *into)
{
    const char *s = yaml_scalar(item);
    struct err why = ERR_INIT;
    return s && !topo_conf_size(into, s, &why) ? 0
                                               : yaml_wrong(w, item, "%s", s ? why.text : "a block size is a number");
}

static int take_sizes(const struct walk *w, const struct rule *r, const yaml_node_t *value, void *into)
{
    return list_walk(w, value, r->key, read_size, into);
}

/* ---- one network ---- */

static int set_kind(const struct walk *w, const yaml_node_t *value, struct topo_conf_net *net, enum topo_kind kind)
{
    if (net->line)
        return yaml_wrong(w, value, "topology %s has two types", net->name);
    net->kind = kind;
    net->line = line_of(value);
    return 0;
}

static int take_tree(const struct walk *w, const struct rule *r, const yaml_node_t *value, void *into)
{
    static const struct rule rules[] = { { "switches", take_switches, 0 } };
    int rc = set_kind(w, value, into, TOPO_TREE);
    return rc ? rc : map_walk(w, value, rules, ARRAY_LEN(rules), r->key, into);
}

static int take_block(const struct walk *w, const struct rule *r, const yaml_node_t *value, void *into)
{
    static const struct rule rules[] = { { "block_sizes", take_sizes, 0 }, { "blocks", take_blocks, 0 } };
    int rc = set_kind(w, value, into, TOPO_BLOCK);
    return rc ? rc : map_walk(w, value, rules, ARRAY_LEN(rules), r->key, into);
}

static int take_flat(const struct walk *w, const struct rule *r, const yaml_node_t *value, void *into)
{
    bool yes = false;
    if (value->type == YAML_MAPPING_NODE)
        return yaml_wrong(w, value, "options of a flat topology (alpha_step_rank) are not supported");
    int rc = set_kind(w, value, into, TOPO_FLAT);
    if (!rc)
        rc = read_bool(w, value, r->key, &yes);
    return rc || yes ? rc : yaml_wrong(w, value, "flat can only be true");
}

static int take_unsupported(const struct walk *w, const struct rule *r, const yaml_node_t *value, void *into)
{
    return yaml_wrong(w, value, "topology/%s is not supported", r->key);
}

static int take_default(const struct walk *w, const struct rule *r, const yaml_node_t *value, void *into)
{
    return read_bool(w, value, r->key, &((struct topo_conf_net *)into)->is_default);
}

static int read_net(const struct walk *w, const yaml_node_t *item, void *into)
{
    static const struct rule rules[] = { { "topology", take_text, offsetof(struct topo_conf_net, name) },
                                         { "cluster_default", take_default, 0 },
                                         { "tree", take_tree, 0 },
                                         { "block", take_block, 0 },
                                         { "flat", take_flat, 0 },
                                         { "ring", take_unsupported, 0 },
                                         { "torus3d", take_unsupported, 0 } };
    struct topo_conf_net *net = topo_conf_add(w->t, "", TOPO_FLAT, 0);
    int rc = map_walk(w, item, rules, ARRAY_LEN(rules), "a topology", net);
    if (!rc && str_empty(net->name))
        rc = yaml_wrong(w, item, "a topology has no name (topology: NAME)");
    if (!rc && !net->line)
        rc = yaml_wrong(w, item, "topology %s has no type: tree, block or flat", net->name);
    return rc;
}

/* The first one that says so is the cluster's. */
static void one_default(struct topo_conf *t)
{
    bool seen = false;
    for (size_t i = 0; i < t->net.n; i++) {
        t->net.at[i].is_default &= !seen;
        seen |= t->net.at[i].is_default;
    }
}

static int read_document(struct topo_conf *t, yaml_parser_t *parser, struct err *err)
{
    yaml_document_t doc;
    if (!yaml_parser_load(parser, &doc))
        return err_set(err, EINVAL, "%s:%zu: %s", t->file, parser->problem_mark.line + 1,
                       parser->problem ? parser->problem : "this is no YAML");
    struct walk w = { t, &doc, err };
    const yaml_node_t *root = yaml_document_get_root_node(&doc);
    int rc = root ? list_walk(&w, root, "the document", read_net, NULL)
                  : err_set(err, EINVAL, "%s: there is no topology in it", t->file);
    yaml_document_delete(&doc);
    return rc;
}

int topo_yaml_parse(struct topo_conf *t, const char *text, size_t len, struct err *err)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return err_set(err, ENOMEM, "%s: no memory for a YAML parser", t->file);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
    int rc = read_document(t, &parser, err);
    yaml_parser_delete(&parser);
    if (rc)
        return rc;
    one_default(t);
    return topo_conf_check(t, err);
}
