/* site_part - NodeSet and PartitionName lines become partitions over the nodes. */
#include "base/bitmap.h"
#include "base/buf.h"
#include "base/str.h"
#include "text/hostlist.h"
#include "text/site_lines.h"
#include "text/strs.h"

#define PARTS_MAX 2000 /* each is a row in every answer about partitions */

/* ---- which nodes are meant ---- */

static void with_feature(const struct site *s, const char *feature, struct bitmap *out)
{
    for (size_t i = 0; i < s->nnodes; i++)
        if (str_in_list(s->node[i].features, feature))
            bitmap_set(out, i);
}

static int add_hosts(const struct site *s, const char *expr, struct bitmap *out, struct err *err)
{
    auto_strs struct strs names = STRS_INIT;
    int rc = hostlist_expand(expr, &names, err);
    for (size_t i = 0; i < names.n && !rc; i++) {
        const struct site_node *node = site_node(s, names.at[i]);
        if (!node)
            return err_set(err, EINVAL, "node %.60s is not configured", names.at[i]);
        bitmap_set(out, (size_t)(node - s->node));
    }
    return rc;
}

/* A set's own nodes are plain host lists: sets do not hold sets. */
static int add_set(const struct site *s, const struct site_nodeset *set, struct bitmap *out, struct err *err)
{
    if (set->feature)
        with_feature(s, set->feature, out);
    if (str_ieq(set->nodes, "ALL"))
        bitmap_set_range(out, 0, s->nnodes);
    else if (set->nodes && add_hosts(s, set->nodes, out, err))
        return err ? err_prefix(err, "NodeSet=%.60s", set->name) : EINVAL;
    return 0;
}

static const struct site_nodeset *find_set(const struct site *s, const char *name)
{
    for (size_t i = 0; i < s->nnodesets; i++)
        if (str_eq(s->nodeset[i].name, name))
            return &s->nodeset[i];
    return NULL;
}

/* One piece between top-level commas: ALL, feature{f}, a set or a host list. */
static int add_piece(const struct site *s, char *piece, bool sets, struct bitmap *out, struct err *err)
{
    size_t n = strlen(piece);
    const struct site_nodeset *set = sets ? find_set(s, piece) : NULL;
    if (str_ieq(piece, "ALL"))
        bitmap_set_range(out, 0, s->nnodes);
    else if (str_has_iprefix(piece, "feature{") && piece[n - 1] == '}') {
        piece[n - 1] = '\0';
        with_feature(s, piece + strlen("feature{"), out);
    } else
        return set ? add_set(s, set, out, err) : add_hosts(s, piece, out, err);
    return 0;
}

/* How long the piece at `p` is: to the next comma outside brackets and braces. */
static size_t piece_len(const char *p)
{
    int depth = 0;
    const char *start = p;
    for (; *p && (depth > 0 || *p != ','); p++)
        depth += (*p == '[' || *p == '{') - (*p == ']' || *p == '}');
    return (size_t)(p - start);
}

int site_find_nodes(const struct site *s, const char *expr, bool sets, uint32_t **out, size_t *n, struct err *err)
{
    auto_bitmap struct bitmap found = BITMAP_INIT;
    for (const char *p = expr; *p;) {
        size_t len = piece_len(p);
        auto_free char *piece = mem_strn(p, len);
        int rc = *str_trim(piece) ? add_piece(s, str_trim(piece), sets, &found, err) : 0;
        if (rc)
            return rc;
        p += len + (p[len] == ',');
    }
    uint32_t *at = mem_array(bitmap_count(&found) + 1, sizeof(*at));
    size_t k = 0;
    bitmap_each(&found, i) at[k++] = (uint32_t)i;
    *out = at;
    *n = k;
    return 0;
}

static int load_sets(struct site *s, struct err *err)
{
    VEC(struct site_nodeset) sets = { 0 };
    int rc = 0;
    for (size_t i = 0; i < s->conf.line.n && !rc; i++) {
        const struct conf_line *at = &s->conf.line.at[i];
        const struct conf_pair *pair = &s->conf.pair.at[at->first];
        if (conf_line_kind(pair->key) != CONF_NODESET)
            continue;
        struct site_nodeset set = { .name = (char *)pair->value, .line = (uint32_t)i };
        rc = site_line_set(s, at, CONF_NODESET, &set, err);
        if (!rc && site_node(s, set.name)) {
            err_set(err, EINVAL, "NodeSet=%.60s: there is a node of that name", set.name);
            rc = site_at(at, err);
        }
        vec_push(&sets, set);
    }
    s->nodeset = sets.at;
    s->nnodesets = sets.n;
    return rc;
}

/* ---- one partition ---- */

/* NO, YES[:n], FORCE[:n], and the old EXCLUSIVE; the count that Slurm shows is four. */
static int settle_oversubscribe(struct site *s, struct site_part *p, struct err *err)
{
    static const char *const words[] = { "NO", "YES", "FORCE", "EXCLUSIVE" };
    const char *value = p->oversubscribe ? p->oversubscribe : "NO", *colon = strchr(value, ':');
    size_t n = strcspn(value, ":"), w = 0;
    uint64_t count = 4;
    while (w < ARRAY_LEN(words) && (strlen(words[w]) != n || strncasecmp(words[w], value, n)))
        w++;
    bool counted = w == 1 || w == 2;
    if (w == ARRAY_LEN(words) || (colon && (!counted || !str_u64(colon + 1, 1, 32767, &count))))
        return err_set(err, EINVAL, "OverSubscribe=%.60s: not one of NO, YES, YES:COUNT, FORCE, FORCE:COUNT", value);
    auto_free char *text = counted ? mem_printf("%s:%u", words[w], (unsigned)count) : mem_str(words[w]);
    p->oversubscribe = site_str(s, text);
    if (w == 3 && !p->exclusive)
        p->exclusive = "NODE";
    return 0;
}

/* The old words ExclusiveUser and ExclusiveTopo, and Exclusive that took their place, say the same thing. */
static void settle_exclusive(struct site_part *p)
{
    if (!p->exclusive)
        p->exclusive = p->exclusive_topo ? "TOPO" : p->exclusive_user ? "USER" : "NO";
    p->exclusive_user = str_eq(p->exclusive, "USER");
    p->exclusive_topo = str_eq(p->exclusive, "TOPO");
    if (str_eq(p->exclusive, "NODE"))
        p->oversubscribe = "EXCLUSIVE";
    else if (p->exclusive_topo)
        p->oversubscribe = "NO";
}

static void all_is_unset(char **list)
{
    if (str_ieq(*list, "ALL"))
        *list = NULL;
}

static void settle_lists(struct site_part *p)
{
    all_is_unset(&p->allow_groups);
    all_is_unset(&p->allow_accounts);
    all_is_unset(&p->allow_qos);
    all_is_unset(&p->alloc_nodes);
    if (p->allow_accounts)
        p->deny_accounts = NULL;
    if (p->allow_qos)
        p->deny_qos = NULL;
}

static void settle_numbers(const struct site *s, const struct conf_line *at, struct site_part *p)
{
    if (p->def_mem_per_node_mb)
        p->def_mem_per_cpu_mb = 0;
    if (p->max_mem_per_node_mb)
        p->max_mem_per_cpu_mb = 0;
    if (p->priority_both != SITE_NONE16 && !conf_line_value(&s->conf, at, "PriorityTier"))
        p->priority_tier = p->priority_both;
    if (p->priority_both != SITE_NONE16 && !conf_line_value(&s->conf, at, "PriorityJobFactor"))
        p->priority_job_factor = p->priority_both;
    if (p->default_time_min != SITE_NONE && p->default_time_min > p->max_time_min)
        p->default_time_min = p->max_time_min;
}

static int check_preempt(const struct site_part *p, struct err *err)
{
    static const char *const words[] = { "OFF", "CANCEL", "REQUEUE", "SUSPEND", "GANG", "PRIORITY", "WITHIN" };
    for (const char *pos = str_or(p->preempt_mode, "");;) {
        auto_free char *word = str_next(&pos, ",");
        size_t i = 0;
        while (word && i < ARRAY_LEN(words) && !str_ieq(word, words[i]))
            i++;
        if (i == ARRAY_LEN(words))
            return err_set(err, EINVAL, "PreemptMode=%.60s: \"%.60s\" is not a preemption mode", p->preempt_mode, word);
        if (!word)
            return 0;
    }
}

static int part_check(struct site *s, const struct conf_line *at, struct site_part *p, struct err *err)
{
    int rc = settle_oversubscribe(s, p, err);
    if (!rc)
        rc = check_preempt(p, err);
    if (rc)
        return rc;
    settle_exclusive(p);
    settle_lists(p);
    settle_numbers(s, at, p);
    if (p->min_nodes > p->max_nodes)
        return err_set(err, EINVAL, "MinNodes=%u: greater than MaxNodes=%u", p->min_nodes, p->max_nodes);
    return 0;
}

/* ---- all of them ---- */

struct part_list {
    VEC(struct site_part) part;
};

static int check_new(const struct site *s, const struct part_list *list, const char *name, struct err *err)
{
    for (size_t i = 0; i < list->part.n; i++) {
        if (!str_eq(list->part.at[i].name, name))
            continue;
        const struct conf_line *first = &s->conf.line.at[list->part.at[i].line];
        return err_set(err, EINVAL, "duplicate partition %.60s, already at %s:%u", name, first->file, first->number);
    }
    return 0;
}

/* One line may name several partitions, which share their nodes; the last Default=YES wins. */
static int add_parts(struct site *s, const struct strs *names, const struct site_part *made, struct part_list *list,
                     struct err *err)
{
    for (size_t i = 0; i < names->n; i++) {
        struct site_part p = *made;
        int rc = check_new(s, list, names->at[i], err);
        if (rc)
            return rc;
        p.name = site_str(s, names->at[i]);
        for (size_t k = 0; p.is_default && k < list->part.n; k++)
            list->part.at[k].is_default = false;
        vec_push(&list->part, p);
    }
    return 0;
}

/* Which pieces of its nodes are sets. */
static void name_sets(struct site *s, struct site_part *p)
{
    auto_buf struct buf b = BUF_INIT;
    const char *pos = str_or(p->nodes, "");
    for (char *piece; (piece = str_next(&pos, ",")); free(piece))
        if (find_set(s, str_trim(piece)))
            buf_addf(&b, "%s%s", b.len ? "," : "", str_trim(piece));
    p->node_sets = b.len ? site_str(s, b.s) : NULL;
}

static int set_nodes(struct site *s, struct site_part *p, struct err *err)
{
    auto_free uint32_t *node = NULL;
    int rc = site_find_nodes(s, str_or(p->nodes, ""), true, &node, &p->nnodes, err);
    if (rc)
        return rc;
    name_sets(s, p);
    p->node = site_room(s, (p->nnodes + 1) * sizeof(*node));
    memcpy(p->node, node, p->nnodes * sizeof(*node));
    return 0;
}

static int part_names(const char *expr, size_t have, struct strs *names, struct err *err)
{
    size_t n;
    struct err why = ERR_INIT;
    if (hostlist_count(expr, &n, &why))
        return err_set(err, EINVAL, "PartitionName=%.100s: %s", expr, why.text);
    if (!n)
        return err_set(err, EINVAL, "PartitionName=%.100s: no name", expr);
    if (have + n > PARTS_MAX)
        return err_set(err, EINVAL, "PartitionName=%.100s: more than %d partitions", expr, PARTS_MAX);
    return hostlist_expand(expr, names, err);
}

static int part_line(struct site *s, uint32_t index, struct site_part *defaults, struct part_list *list,
                     struct err *err)
{
    const struct conf_line *at = &s->conf.line.at[index];
    const char *expr = s->conf.pair.at[at->first].value;
    bool is_default = str_ieq(expr, "DEFAULT");
    struct site_part p = *defaults;
    int rc = site_line_set(s, at, CONF_PART, is_default ? defaults : &p, err);
    if (rc || is_default)
        return rc;
    p.line = index;
    auto_strs struct strs names = STRS_INIT;
    rc = part_names(expr, list->part.n, &names, err);
    if (!rc)
        rc = part_check(s, at, &p, err);
    if (!rc)
        rc = set_nodes(s, &p, err);
    if (!rc)
        rc = add_parts(s, &names, &p, list, err);
    if (!rc)
        return 0;
    if (err && !strstr(err->text, "PartitionName"))
        err_prefix(err, "PartitionName=%.60s", expr);
    return site_at(at, err);
}

int site_load_parts(struct site *s, struct err *err)
{
    struct part_list list = { 0 };
    struct site_part defaults = { .default_time_min = SITE_NONE, .disable_root_jobs = s->disable_root_jobs };
    site_line_defaults(CONF_PART, &defaults);
    int rc = load_sets(s, err);
    for (size_t i = 0; i < s->conf.line.n && !rc; i++)
        if (conf_line_kind(s->conf.pair.at[s->conf.line.at[i].first].key) == CONF_PART)
            rc = part_line(s, (uint32_t)i, &defaults, &list, err);
    s->part = list.part.at;
    s->nparts = list.part.n;
    return rc;
}
