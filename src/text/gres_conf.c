/* gres_conf - gres.conf; see gres_conf.h. */
#include "text/gres_conf.h"

#include <sys/stat.h>

#include "base/str.h"
#include "text/hostlist.h"

#define DEVICES_MAX 4096u /* of one node: a longer list is a mistake */

static const char *const known[] = { "AutoDetect", "Cores", "CPUs",          "Count", "File",     "Files",
                                     "Flags",      "Links", "MultipleFiles", "Name",  "NodeName", "Type" };

static int at_line(const struct conf_line *line, struct err *err)
{
    return err ? err_prefix(err, "%s:%u", line->file, line->number) : EINVAL;
}

static int check_keys(const struct conf *c, const struct conf_line *line, struct err *err)
{
    for (uint32_t k = 0; k < line->n; k++) {
        const char *key = c->pair.at[line->first + k].key;
        size_t i = 0;
        while (i < ARRAY_LEN(known) && !str_ieq(known[i], key))
            i++;
        if (i == ARRAY_LEN(known))
            return err_set(err, EINVAL, "unknown key %.60s", key);
    }
    return 0;
}

static int is_for(const char *nodes, const char *node, bool *is, struct err *err)
{
    auto_strs struct strs names = STRS_INIT;
    *is = !nodes;
    int rc = nodes ? hostlist_expand(nodes, &names, err) : 0;
    for (size_t i = 0; !rc && i < names.n; i++)
        *is |= str_eq(names.at[i], node);
    return rc;
}

static const char *line_value(const struct conf *c, const struct conf_line *line, const char *key)
{
    const char *v = conf_line_value(c, line, key);
    return v ? v : "";
}

static void add_device(struct gres_conf *g, const struct conf *c, const struct conf_line *line, const char *name,
                       const char *file)
{
    struct gres_device d = { mem_str(name),
                             mem_str(line_value(c, line, "Type")),
                             mem_str(file),
                             mem_str(str_or(line_value(c, line, "Cores"), line_value(c, line, "CPUs"))),
                             mem_str(line_value(c, line, "Links")),
                             mem_str(line_value(c, line, "Flags")) };
    vec_push(&g->device, d);
}

/* Count= without files: so many that have none.  MultipleFiles= is one device of several: its first speaks for it. */
static int add_line(struct gres_conf *g, const struct conf *c, const struct conf_line *line, struct err *err)
{
    const char *name = conf_line_value(c, line, "Name");
    const char *several = conf_line_value(c, line, "MultipleFiles");
    const char *files = str_or(line_value(c, line, "File"), line_value(c, line, "Files"));
    const char *count = conf_line_value(c, line, "Count");
    auto_strs struct strs list = STRS_INIT;
    uint64_t n = 1;
    if (!name)
        return conf_line_value(c, line, "AutoDetect") ? 0 : err_set(err, EINVAL, "Name is missing");
    int rc = str_empty(several ? several : files) ? 0 : hostlist_expand(several ? several : files, &list, err);
    if (rc)
        return rc;
    if (list.n > DEVICES_MAX || g->device.n + list.n > DEVICES_MAX)
        return err_set(err, EINVAL, "more than %u devices", DEVICES_MAX);
    for (size_t i = 0; i < (several ? MIN(list.n, 1u) : list.n); i++)
        add_device(g, c, line, name, list.at[i]);
    if (list.n)
        return 0;
    if (count && !str_u64(count, 0, UINT64_MAX, &n))
        return 0; /* "16G" of a thing that is counted and has no devices */
    for (uint64_t i = 0; i < MIN(n, 64u) && g->device.n < DEVICES_MAX; i++)
        add_device(g, c, line, name, "");
    return 0;
}

static int read_lines(struct gres_conf *g, const char *node, struct err *err)
{
    for (size_t i = 0; i < g->conf.line.n; i++) {
        const struct conf_line *line = &g->conf.line.at[i];
        bool is;
        int rc = check_keys(&g->conf, line, err);
        if (!rc)
            rc = is_for(conf_line_value(&g->conf, line, "NodeName"), node, &is, err);
        const char *detect = conf_line_value(&g->conf, line, "AutoDetect");
        if (!rc && is && detect)
            g->auto_detect = detect;
        if (!rc && is)
            rc = add_line(g, &g->conf, line, err);
        if (rc)
            return at_line(line, err);
    }
    return 0;
}

int gres_conf_add(struct gres_conf *g, const struct conf *c, const struct conf_line *line, struct err *err)
{
    int rc = check_keys(c, line, err);
    if (!rc)
        rc = add_line(g, c, line, err);
    return rc ? at_line(line, err) : 0;
}

int gres_conf_load(struct gres_conf *g, const char *dir, const char *node, struct err *err)
{
    *g = (struct gres_conf){ 0 };
    auto_free char *path = dir ? mem_printf("%s/gres.conf", dir) : NULL;
    struct stat st;
    int rc = !path || (stat(path, &st) && errno == ENOENT) ? 0 : conf_read(&g->conf, path, err);
    return rc ? rc : read_lines(g, node, err);
}

int gres_conf_parse(struct gres_conf *g, const char *text, size_t len, const char *node, struct err *err)
{
    *g = (struct gres_conf){ 0 };
    int rc = conf_parse_text(&g->conf, text, len, "gres.conf", NULL, NULL, err);
    return rc ? rc : read_lines(g, node, err);
}

void gres_conf_clear(struct gres_conf *g)
{
    for (size_t i = 0; i < g->device.n; i++) {
        struct gres_device *d = &g->device.at[i];
        char *texts[] = { d->name, d->type, d->file, d->cores, d->links, d->flags };
        for (size_t k = 0; k < ARRAY_LEN(texts); k++)
            free(texts[k]);
    }
    vec_clear(&g->device);
    conf_clear(&g->conf);
}

const struct gres_device *gres_conf_device(const struct gres_conf *g, const char *name, const char *type,
                                           uint32_t index)
{
    for (size_t i = 0; i < g->device.n; i++) {
        const struct gres_device *d = &g->device.at[i];
        if (str_eq(d->name, name) && (str_empty(type) || str_eq(d->type, type)) && index-- == 0)
            return d;
    }
    return NULL;
}
