/* site_gres - gres.conf for all nodes, read once; see site_gres.h. */
#include "text/site_gres.h"

#include <sys/stat.h>

#include "base/str.h"
#include "text/array.h"
#include "text/hostlist.h"

#define CORES_MAX 65536u

static bool names_cores(const struct conf *c, const struct conf_line *line)
{
    return conf_line_value(c, line, "Cores") || conf_line_value(c, line, "CPUs");
}

/* The line counts for the nodes that it names, or for all. */
static int add_line(struct site *s, const struct conf *c, const struct conf_line *line, struct err *err)
{
    const char *nodes = conf_line_value(c, line, "NodeName"), *cores = conf_line_value(c, line, "Cores");
    auto_strs struct strs names = STRS_INIT;
    auto_array struct array some = ARRAY_INIT;
    if (cores && array_parse(cores, CORES_MAX, &some, NULL))
        return err_set(err, EINVAL, "%s:%u: Cores=%.60s is no list of cores", line->file, line->number, cores);
    int rc = nodes ? hostlist_expand(nodes, &names, err) : 0;
    if (rc)
        return err_prefix(err, "%s:%u", line->file, line->number);
    for (size_t i = 0; !rc && i < (nodes ? names.n : s->nnodes); i++) {
        const struct site_node *n = nodes ? site_node(s, names.at[i]) : &s->node[i];
        if (!n)
            continue; /* one file may serve several clusters */
        struct gres_conf **g = &s->devices[n - s->node];
        *g = *g ? *g : NEW(struct gres_conf);
        rc = gres_conf_add(*g, c, line, err);
    }
    return rc;
}

int site_gres_load(struct site *s, struct err *err)
{
    const char *slash = s->path ? strrchr(s->path, '/') : NULL;
    auto_free char *path = slash ? mem_printf("%.*s/gres.conf", (int)(slash - s->path), s->path) : NULL;
    struct stat st;
    struct conf c = { 0 };
    if (!path || s->client || (stat(path, &st) && errno == ENOENT))
        return 0;
    int rc = conf_read(&c, path, err);
    bool any = false;
    for (size_t i = 0; !rc && i < c.line.n; i++)
        any |= names_cores(&c, &c.line.at[i]);
    site_gres_free(s);
    s->devices = any ? mem_array(s->nnodes + 1, sizeof(*s->devices)) : NULL;
    for (size_t i = 0; !rc && any && i < c.line.n; i++)
        rc = add_line(s, &c, &c.line.at[i], err);
    conf_clear(&c);
    return rc;
}

void site_gres_free(struct site *s)
{
    for (size_t i = 0; s->devices && i < s->nnodes; i++)
        if (s->devices[i]) {
            gres_conf_clear(s->devices[i]);
            free(s->devices[i]);
        }
    free(s->devices);
    s->devices = NULL;
}

const char *site_gres_cores(const struct site *s, size_t node, const char *name, const char *type, uint32_t index)
{
    const struct gres_conf *g = s->devices ? s->devices[node] : NULL;
    const struct gres_device *d = g ? gres_conf_device(g, name, type, index) : NULL;
    return d ? d->cores : "";
}
