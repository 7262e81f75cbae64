/* config_gres - devices and the cores they are near to; see config_gres.h. */
#include "ctl/config_gres.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "core/pbutil.h"
#include "text/array.h"
#include "text/gres.h"
#include "text/site_gres.h"

#define DEVICES_MAX 4096u
#define CORES_MAX 65536u

/* The cores of each device; false when none of them names any.  Sockets that they are on are added to `sockets`. */
static bool read_devices(const struct site *s, size_t node, const struct gres *g, Pb__GresDevices *out,
                         struct bitmap *sockets)
{
    const uint32_t n = (uint32_t)MIN(g->count, (uint64_t)DEVICES_MAX), per = MAX(s->node[node].cores, 1u);
    bool any = false;
    out->cores = mem_array(n + 1, sizeof(*out->cores));
    out->n_cores = n;
    for (uint32_t i = 0; i < n; i++) {
        auto_array struct array a = ARRAY_INIT;
        const char *text = site_gres_cores(s, node, g->name, g->type, i);
        if (str_empty(text) || array_parse(text, CORES_MAX, &a, NULL))
            continue;
        any = true;
        pb_from_bitmap(&out->cores[i], &a.tasks);
        bitmap_each (&a.tasks, core)
            bitmap_set(sockets, core / per);
    }
    return any;
}

static void free_devices(Pb__GresDevices *d)
{
    for (size_t i = 0; i < d->n_cores; i++)
        free(d->cores[i].data);
    free(d->cores);
    free(d->name);
    free(d->type);
    free(d);
}

static void add_devices(const struct site *s, size_t node, struct gres *g, Pb__NodeDef *d)
{
    auto_bitmap struct bitmap sockets = BITMAP_INIT;
    Pb__GresDevices *v = NEW(Pb__GresDevices);
    pb__gres_devices__init(v);
    v->name = mem_str(g->name);
    v->type = mem_str(g->type ? g->type : "");
    if (!read_devices(s, node, g, v, &sockets)) {
        free_devices(v);
        return;
    }
    d->devices = mem_grow(d->devices, d->n_devices + 1, sizeof(struct Pb__GresDevices *));
    d->devices[d->n_devices++] = v;
    auto_free char *list = array_text(&sockets, 0, 0);
    free(g->where);
    g->where = mem_printf("S:%s", list); /* as scontrol show node and sinfo tell it */
}

void config_gres(const struct site *s, size_t node, Pb__NodeDef *d)
{
    auto_gres struct gres_list list = GRES_INIT;
    if (!s->devices || !s->devices[node] || str_empty(s->node[node].gres) ||
        gres_parse_node(s->node[node].gres, &list, NULL))
        return;
    for (size_t i = 0; i < list.n; i++)
        add_devices(s, node, &list.at[i], d);
    if (d->n_devices)
        d->gres = gres_text(&list);
}

void config_gres_done(Pb__NodeDef *d)
{
    if (!d->n_devices)
        return;
    for (size_t i = 0; i < d->n_devices; i++)
        free_devices(d->devices[i]);
    free(d->devices);
    free(d->gres);
}
