/* limits_tres - what a job holds, as limits and accounts count it; see limits.h. */
#include <stdlib.h>

#include "base/str.h"
#include "core/cluster.h"
#include "core/limits_priv.h"

static void add_alloc(const struct cluster *c, const struct node_alloc *na, struct tres_list *out)
{
    const struct node *n = &c->node[na->node];
    tres_add(out, "cpu", na->cpus);
    tres_add(out, "mem", na->mem_mb);
    tres_add(out, "node", 1);
    for (uint32_t i = 0; i < na->ngres; i++) {
        const struct gres_alloc *g = &na->gres[i];
        if (g->slot >= n->ngres)
            continue;
        auto_free char *name = mem_printf("gres/%s", n->gres[g->slot].name);
        tres_add(out, name, g->count);
        if (str_empty(n->gres[g->slot].type))
            continue;
        auto_free char *typed = mem_printf("%s:%s", name, n->gres[g->slot].type);
        tres_add(out, typed, g->count);
    }
}

/* ---- what a second costs ---- */

static double tres_unit(const char *suffix, bool memory)
{
    if (!memory)
        return 1;
    switch (*suffix | 0x20) {
    case 't': return 1024.0 * 1024;
    case 'g': return 1024;
    case 'k': return 1.0 / 1024;
    default: return 1;
    }
}

static double tres_weighed(const char *word, const struct tres_list *tres)
{
    const char *equal = strchr(word, '=');
    if (!equal)
        return 0;
    auto_free char *name = mem_strn(word, (size_t)(equal - word));
    char *end;
    double weight = strtod(equal + 1, &end);
    for (size_t i = 0; i < tres->n; i++)
        if (str_ieq(tres->at[i].name, name))
            return weight * (double)tres->at[i].count / tres_unit(end, str_ieq(name, "mem"));
    return 0;
}

/* Tied to nodes, as licences are not: of such the dearest alone may count. */
static bool on_nodes(const char *word)
{
    return !str_has_iprefix(word, "license/") && !str_has_iprefix(word, "bb/");
}

double limits_rate(const char *weights, const struct tres_list *tres, Pb__Billing how)
{
    double sum = 0, most = 0;
    if (str_empty(weights))
        return (double)tres_get(tres, "cpu", 0);
    const char *pos = weights;
    for (char *next; (next = str_next(&pos, ","));) {
        auto_free char *word = next;
        bool adds = how == PB__BILLING__BILLING_SUM || !on_nodes(word) ||
                    (how == PB__BILLING__BILLING_MAX_GRES && str_has_iprefix(word, "gres/"));
        double one = tres_weighed(word, tres);
        sum += adds ? one : 0;
        most = adds ? most : MAX(most, one);
    }
    return sum + most;
}

uint64_t limits_billing(const struct cluster *c, const struct part *p, const struct tres_list *tres)
{
    return (uint64_t)MAX(limits_rate(p ? p->pb->tres_billing_weights : NULL, tres, c->billing), 0.0);
}

void limits_tres(const struct cluster *c, const struct part *p, const struct alloc *a, struct tres_list *out)
{
    for (uint32_t i = 0; i < a->n; i++)
        add_alloc(c, &a->at[i], out);
    tres_set(out, "billing", limits_billing(c, p, out));
}

void limits_node_tres(const struct cluster *c, const struct alloc *a, struct tres_list *out)
{
    for (uint32_t i = 0; i < a->n; i++) {
        auto_tres struct tres_list one = TRES_INIT;
        add_alloc(c, &a->at[i], &one);
        for (size_t k = 0; k < one.n; k++)
            if (one.at[k].count > tres_get(out, one.at[k].name, 0))
                tres_set(out, one.at[k].name, one.at[k].count);
    }
}

/* ---- percents of what? ---- */

static void add_node(const struct node *n, struct tres_list *out)
{
    tres_add(out, "cpu", n->cpus);
    tres_add(out, "mem", n->mem_mb);
    tres_add(out, "node", 1);
    for (uint32_t i = 0; i < n->ngres; i++) {
        auto_free char *name = mem_printf("gres/%s", n->gres[i].name);
        tres_add(out, name, n->gres[i].count);
        if (str_empty(n->gres[i].type))
            continue;
        auto_free char *typed = mem_printf("%s:%s", name, n->gres[i].type);
        tres_add(out, typed, n->gres[i].count);
    }
}

static void whole_of(const struct cluster *c, struct qos *q)
{
    const struct part *p = NULL;
    for (size_t i = 0; i < c->part.n && !p; i++)
        p = limits_qos(c, c->part.at[i]->pb->qos) == q ? c->part.at[i] : NULL;
    tres_clear(&q->whole);
    for (size_t i = 0; i < c->nnodes; i++)
        if (p ? bitmap_has(&p->nodes, i) : node_base(&c->node[i]) != NODE_FUTURE)
            add_node(&c->node[i], &q->whole);
    tres_set(&q->whole, "billing", limits_billing(c, p, &q->whole));
}

void limits_stale(struct cluster *c)
{
    if (c->limits)
        c->limits->whole_stale = true;
}

uint64_t limits_whole(const struct cluster *c, const struct qos *q, const char *tres)
{
    struct limits *l = c->limits;
    size_t pos = 0;
    for (struct qos *one; l->whole_stale && (one = smap_next(&l->qos, &pos, NULL));)
        if (one->pb->flags & QOS_RELATIVE)
            whole_of(c, one);
    l->whole_stale = false;
    return tres_get(&q->whole, tres, 0);
}
