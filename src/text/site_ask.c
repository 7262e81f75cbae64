/* site_ask - questions to a loaded site; see site.h. */
#include "base/str.h"
#include "text/site.h"

const char *site_find_conf(void)
{
    static const char *const places[] = { "/etc/slurm/slurm.conf", "/etc/spur/slurm.conf" };
    const char *told = getenv("SLURM_CONF");
    if (told && *told)
        return told;
    for (size_t i = 0; i < ARRAY_LEN(places); i++)
        if (!access(places[i], R_OK))
            return places[i];
    return NULL;
}

const char *site_value(const struct site *s, const char *key)
{
    size_t n;
    const struct conf_key *row = conf_key_find(CONF_GLOBAL, key);
    if (!row)
        return NULL;
    const char *value = s->value[row - conf_keys(CONF_GLOBAL, &n)];
    return value ? value : row->dflt;
}

const struct site_node *site_node(const struct site *s, const char *name)
{
    return smap_get(&s->node_by_name, name);
}

const struct site_part *site_part(const struct site *s, const char *name)
{
    for (size_t i = 0; i < s->nparts; i++)
        if (str_eq(s->part[i].name, name))
            return &s->part[i];
    return NULL;
}

char *site_node_path(const struct site *s, const char *pattern, const struct site_node *node)
{
    auto_buf struct buf out = BUF_INIT;
    (void)s;
    for (const char *p = pattern; *p; p++) {
        if (*p != '%' || !p[1]) {
            buf_addc(&out, *p);
            continue;
        }
        switch (*++p) {
        case 'n':
            buf_adds(&out, node->name);
            break;
        case 'h':
            buf_add(&out, node->hostname, strcspn(node->hostname, "."));
            break;
        case '%':
            buf_addc(&out, '%');
            break;
        default:
            buf_addc(&out, '%');
            buf_addc(&out, *p);
        }
    }
    return buf_take(&out);
}

const char *site_param(const char *list, const char *name)
{
    size_t k = strlen(name);
    while (list && *list) {
        size_t n = strcspn(list, ",");
        if (n >= k && !strncasecmp(list, name, k) && (n == k || list[k] == '='))
            return list + k + (n > k);
        list += n;
        list += *list == ',';
    }
    return NULL;
}

/* Report the row once. */
static void report_key(const struct conf_key *key, bool *seen, const struct conf_line *line, conf_unused_fn *each,
                       void *arg)
{
    if (!key || key->use == USED || *seen)
        return;
    *seen = true;
    each(arg, key->name, line->file, line->number);
}

void conf_unused(const struct site *s, conf_unused_fn *each, void *arg)
{
    bool seen[CONF_KINDS][CONF_KEYS_MAX] = { 0 };
    for (size_t i = 0; i < s->conf.line.n; i++) {
        const struct conf_line *line = &s->conf.line.at[i];
        const struct conf_pair *pair = &s->conf.pair.at[line->first];
        enum conf_kind kind = conf_line_kind(pair->key);
        size_t n;
        const struct conf_key *rows = conf_keys(kind, &n);
        for (uint32_t k = kind != CONF_GLOBAL; k < line->n; k++) {
            const struct conf_key *key = conf_key_find(kind, pair[k].key);
            report_key(key, key ? &seen[kind][key - rows] : NULL, line, each, arg);
        }
    }
}
