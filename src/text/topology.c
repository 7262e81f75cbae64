/* topology - the description of a network, topology.conf, and what must hold of both files; see topology.h. */
#include "text/topology.h"

#include "base/map.h"
#include "base/str.h"
#include "text/conf.h"
#include "text/hostlist.h"

#define DEPTH_MAX 256 /* switches above one another */

/* ---- the description ---- */

struct topo_conf *topo_conf_new(const char *file)
{
    struct topo_conf *t = NEW(struct topo_conf);
    t->file = mem_str(file);
    return t;
}

static void net_clear(struct topo_conf_net *n)
{
    for (size_t i = 0; i < n->unit.n; i++) {
        struct topo_conf_unit *u = &n->unit.at[i];
        free(u->name);
        free(u->nodes);
        free(u->children);
        free(u->speed);
    }
    vec_clear(&n->unit);
    vec_clear(&n->size);
    free(n->name);
}

void topo_conf_free(struct topo_conf *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->net.n; i++)
        net_clear(&t->net.at[i]);
    vec_clear(&t->net);
    free(t->file);
    free(t);
}

struct topo_conf_net *topo_conf_add(struct topo_conf *t, const char *name, enum topo_kind kind, uint32_t line)
{
    vec_push(&t->net, ((struct topo_conf_net){ .name = mem_str(name), .kind = kind, .line = line }));
    return &t->net.at[t->net.n - 1];
}

struct topo_conf_unit *topo_conf_unit(struct topo_conf_net *n, const char *name, uint32_t line)
{
    vec_push(&n->unit, ((struct topo_conf_unit){ mem_str(name), mem_str(""), mem_str(""), mem_str(""), .line = line }));
    return &n->unit.at[n->unit.n - 1];
}

int topo_conf_size(struct topo_conf_net *n, const char *text, struct err *err)
{
    const char *pos = text;
    for (char *word; (word = str_next(&pos, ",")); free(word)) {
        uint64_t v;
        if (!str_u64(word, 1, UINT32_MAX / 2, &v)) {
            err_set(err, EINVAL, "Invalid BlockSizes value: %.60s", word);
            free(word);
            return EINVAL;
        }
        vec_push(&n->size, (uint32_t)v);
    }
    return n->size.n ? 0 : err_set(err, EINVAL, "Invalid BlockSizes value: %.60s", text);
}

/* ---- topology.conf ---- */

/* Which key names a unit, and which others stand on its line. */
static const struct grammar {
    const char *name, *keys[4];
} grammar[] = {
    [TOPO_TREE] = { "SwitchName", { "Switches", "Nodes", "LinkSpeed" } },
    [TOPO_BLOCK] = { "BlockName", { "Nodes" } },
};

static bool key_known(const struct grammar *g, const char *key)
{
    for (size_t i = 0; i < ARRAY_LEN(g->keys) && g->keys[i]; i++)
        if (str_ieq(g->keys[i], key))
            return true;
    return str_ieq(g->name, key);
}

static int unknown_key(const struct grammar *g, const char *key, struct err *err)
{
    static const char *const others[] = { "SwitchName", "BlockName", "RingName" };
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        if (str_ieq(others[i], key))
            return err_set(err, EINVAL, "%s belongs to another TopologyPlugin: this one has %s", others[i], g->name);
    return err_set(err, EINVAL, "unknown key %.60s", key);
}

static int unit_line(struct topo_conf_net *n, const struct conf *c, const struct conf_line *line, struct err *err)
{
    const struct grammar *g = &grammar[n->kind];
    const struct conf_pair *pair = &c->pair.at[line->first];
    if (n->unit.n >= TOPO_UNITS_MAX)
        return err_set(err, EINVAL, "more than %u lines of %s", TOPO_UNITS_MAX, g->name);
    struct topo_conf_unit *u = topo_conf_unit(n, pair[0].value, line->number);
    for (uint32_t i = 0; i < line->n; i++) {
        if (!key_known(g, pair[i].key))
            return unknown_key(g, pair[i].key, err);
        char **to = str_ieq(pair[i].key, "Nodes")       ? &u->nodes
                    : str_ieq(pair[i].key, "Switches")  ? &u->children
                    : str_ieq(pair[i].key, "LinkSpeed") ? &u->speed
                                                        : NULL;
        if (to)
            mem_set_str(to, pair[i].value);
    }
    return 0;
}

static int any_line(struct topo_conf_net *n, const struct conf *c, const struct conf_line *line, struct err *err)
{
    const char *key = c->pair.at[line->first].key;
    if (str_ieq(key, grammar[n->kind].name))
        return unit_line(n, c, line, err);
    if (n->kind == TOPO_BLOCK && str_ieq(key, "BlockSizes") && line->n == 1) {
        n->size.n = 0;
        return topo_conf_size(n, c->pair.at[line->first].value, err);
    }
    return key_known(&grammar[n->kind], key)
               ? err_set(err, EINVAL, "%s must be the first key of its line", grammar[n->kind].name)
               : unknown_key(&grammar[n->kind], key, err);
}

int topo_conf_parse(struct topo_conf *t, enum topo_kind kind, const char *text, size_t len, struct err *err)
{
    auto_conf struct conf c = CONF_INIT;
    int rc = conf_parse_text(&c, text, len, t->file, NULL, NULL, err);
    struct topo_conf_net *n = topo_conf_add(t, "default", kind, 1);
    n->is_default = true;
    for (size_t i = 0; i < c.line.n && !rc; i++) {
        rc = any_line(n, &c, &c.line.at[i], err);
        if (rc && err)
            err_prefix(err, "%s:%u", t->file, c.line.at[i].number);
    }
    return rc ? rc : topo_conf_check(t, err);
}

/* ---- what must hold ---- */

struct check {
    const struct topo_conf *t;
    const struct topo_conf_net *n;
    struct smap by_name; /* -> unit */
    uint32_t *parent;    /* by unit, plus one */
};

static const char *word_of(const struct check *k)
{
    return k->n->kind == TOPO_BLOCK ? "block" : "switch";
}

static int check_names(struct check *k, struct err *err)
{
    for (size_t i = 0; i < k->n->unit.n; i++) {
        struct topo_conf_unit *u = &k->n->unit.at[i];
        if (str_empty(u->name) || strlen(u->name) > TOPO_NAME_MAX)
            return err_set(err, EINVAL, "%s:%u: the name of a %s has 1 to %u characters", k->t->file, u->line,
                           word_of(k), TOPO_NAME_MAX);
        if (smap_put(&k->by_name, u->name, u))
            return err_set(err, EINVAL, "%s:%u: %s %s is there twice", k->t->file, u->line, word_of(k), u->name);
    }
    return 0;
}

static int check_child(struct check *k, uint32_t above, const char *name, struct err *err)
{
    const struct topo_conf_unit *u = &k->n->unit.at[above], *child = smap_get(&k->by_name, name);
    if (!child)
        return err_set(err, EINVAL, "%s:%u: Switches of %s: there is no switch %.60s", k->t->file, u->line, u->name,
                       name);
    uint32_t at = (uint32_t)(child - k->n->unit.at);
    if (k->parent[at])
        return err_set(err, EINVAL, "%s:%u: switch %.60s is below %s and below %s", k->t->file, u->line, name,
                       k->n->unit.at[k->parent[at] - 1].name, u->name);
    uint32_t depth = 0;
    for (uint32_t p = above + 1; p; p = k->parent[p - 1])
        if (p - 1 == at || ++depth > DEPTH_MAX)
            return err_set(err, EINVAL, "%s:%u: switch %.60s is %s", k->t->file, u->line, name,
                           depth > DEPTH_MAX ? "below too many others" : "below itself");
    k->parent[at] = above + 1;
    return 0;
}

static int check_lists(struct check *k, uint32_t i, struct err *err)
{
    const struct topo_conf_unit *u = &k->n->unit.at[i];
    auto_strs struct strs nodes = STRS_INIT;
    auto_strs struct strs below = STRS_INIT;
    if (hostlist_expand(u->nodes, &nodes, err) || hostlist_expand(u->children, &below, err))
        return err ? err_prefix(err, "%s:%u: %s %s", k->t->file, u->line, word_of(k), u->name) : EINVAL;
    if (nodes.n && below.n)
        return err_set(err, EINVAL, "%s:%u: switch %s has both Nodes and Switches", k->t->file, u->line, u->name);
    if (!nodes.n && !below.n)
        return err_set(err, EINVAL, "%s:%u: %s %s has no %s", k->t->file, u->line, word_of(k), u->name,
                       k->n->kind == TOPO_BLOCK ? "Nodes" : "Nodes and no Switches");
    int rc = 0;
    for (size_t c = 0; c < below.n && !rc; c++)
        rc = check_child(k, i, below.at[c], err);
    return rc;
}

static int check_sizes(const struct check *k, struct err *err)
{
    for (size_t i = 1; i < k->n->size.n; i++) {
        uint32_t base = k->n->size.at[0], v = k->n->size.at[i], times = v / base;
        if (v % base || (times & (times - 1)) || v <= k->n->size.at[i - 1])
            return err_set(err, EINVAL,
                           "%s: Invalid BlockSizes value: %u is not %u times a power of two, and more than %u",
                           k->t->file, v, base, k->n->size.at[i - 1]);
    }
    return 0;
}

static int check_net(const struct topo_conf *t, const struct topo_conf_net *n, struct err *err)
{
    struct check k = { .t = t, .n = n, .parent = mem_array(n->unit.n + 1, sizeof(uint32_t)) };
    int rc = check_names(&k, err);
    for (uint32_t i = 0; i < n->unit.n && !rc; i++)
        rc = check_lists(&k, i, err);
    if (!rc)
        rc = check_sizes(&k, err);
    if (!rc && n->kind != TOPO_FLAT && !n->unit.n)
        rc = err_set(err, EINVAL, "%s: topology %s has no %s", t->file, n->name, word_of(&k));
    smap_clear(&k.by_name);
    free(k.parent);
    return rc;
}

int topo_conf_check(const struct topo_conf *t, struct err *err)
{
    for (size_t i = 0; i < t->net.n; i++) {
        for (size_t k = 0; k < i; k++)
            if (str_eq(t->net.at[k].name, t->net.at[i].name))
                return err_set(err, EINVAL, "%s:%u: topology %s is there twice", t->file, t->net.at[i].line,
                               t->net.at[i].name);
        int rc = check_net(t, &t->net.at[i], err);
        if (rc)
            return rc;
    }
    return 0;
}
