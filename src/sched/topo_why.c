/* topo_why - why a job waits although enough nodes are free: its switches and blocks by name. */
#include "sched/fit.h"
#include "sched/topo.h"

#define NAMED_MAX 3 /* switches or blocks named in a sentence */

struct topo_avail {
    uint32_t from, to; /* consecutive leaves */
    uint32_t nodes;    /* that fit now */
};

static uint32_t topo_count_fits(const struct sched *s, const struct cluster *c, const struct need *n, uint32_t from,
                                uint32_t to)
{
    uint32_t nodes = 0;
    for (uint32_t u = from; u < to; u++)
        bitmap_each (&n->topo->unit[u].nodes, i) {
            struct node_fit nf;
            if (i < s->nprofiles && s->profile[i].usable && bitmap_has(&n->allowed, i))
                nodes += fit_node(s, c, n, (uint32_t)i, &s->profile[i].now, &nf);
        }
    return nodes;
}

static int cmp_nodes(const void *a, const void *b)
{
    const struct topo_avail *x = a, *y = b;
    if (x->nodes != y->nodes)
        return x->nodes > y->nodes ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

/* "s2 has 3, s3 2": the units with the most nodes that fit, for the job or for a segment. */
static void explain_units(const struct sched *s, const struct cluster *c, const struct need *n, uint32_t span,
                          struct buf *b)
{
    VEC(struct topo_avail) units = { 0 };
    for (uint32_t u = 0; u < n->topo->nunits; u += span) {
        uint32_t to = MIN(u + span, n->topo->nunits);
        if (!n->topo->unit[u].level)
            vec_push(&units, ((struct topo_avail){ u, to, topo_count_fits(s, c, n, u, to) }));
    }
    if (units.n)
        qsort(units.at, units.n, sizeof(*units.at), cmp_nodes);
    for (size_t i = 0; i < units.n && i < NAMED_MAX && units.at[i].nodes; i++) {
        buf_addf(b, "%s%s", i ? ", " : "", n->topo->unit[units.at[i].from].name);
        if (units.at[i].to - units.at[i].from > 1)
            buf_addf(b, "-%s", n->topo->unit[units.at[i].to - 1].name);
        buf_addf(b, "%s %u", i ? "" : " has", units.at[i].nodes);
    }
    vec_clear(&units);
}

static void explain_switches(struct sched *s, const struct cluster *c, const struct need *n, struct buf *b)
{
    int64_t left = n->switch_until_s - s->now_s;
    buf_addf(b, "; they must be under %u switch%s: ", n->switches, n->switches == 1 ? "" : "es");
    explain_units(s, c, n, 1, b);
    if (left >= 120)
        buf_addf(b, "; waits up to %lld more minutes for that, then takes any", (long long)(left + 59) / 60);
    else
        buf_addf(b, "; waits up to %lld more seconds for that, then takes any", (long long)left);
}

static void explain_blocks(struct sched *s, const struct cluster *c, const struct need *n, struct buf *b)
{
    const struct topo *t = n->topo;
    uint32_t nodes = n->segment ? n->segment : n->min_nodes, level = 0;
    while (level + 1 < t->nlevels && t->base * t->span[level] < nodes)
        level++;
    uint32_t size = t->base * t->span[level], most = (nodes + size - 1) / size;
    if (n->segment)
        buf_addf(b, "; each %u of them must be in one block of %u: ", n->segment, size);
    else if (most == 1)
        buf_addf(b, "; they must be in one block of %u: ", size);
    else
        buf_addf(b, "; they must be in %u blocks of %u: ", most, size);
    explain_units(s, c, n, t->span[level], b);
}

static bool fits_now_with(struct sched *s, const struct cluster *c, const struct need *n)
{
    struct pick p = { 0 };
    bool fits = fits_now(s, c, n, &p);
    vec_clear(&p.at);
    return fits;
}

/* The largest segment size with which the job would start. */
static void hint_segment(struct sched *s, const struct cluster *c, const struct need *n, struct why_text *out)
{
    struct need m = *n;
    for (m.segment = n->segment ? n->segment - 1 : n->min_nodes / 2; m.segment; m.segment--)
        if (n->min_nodes % m.segment == 0 && fits_now_with(s, c, &m)) {
            vec_push(&out->hints, mem_printf("would start now with --segment=%u", m.segment));
            return;
        }
}

void topo_explain(struct sched *s, const struct cluster *c, const struct need *n, struct buf *b, struct why_text *out)
{
    if (n->topo->kind == TOPO_BLOCK && !n->topo_exclusive) {
        explain_blocks(s, c, n, b);
        hint_segment(s, c, n, out);
    } else if (n->topo->kind == TOPO_TREE && n->switch_until_s > s->now_s) {
        struct need m = *n;
        m.switch_until_s = 0;
        explain_switches(s, c, n, b);
        if (fits_now_with(s, c, &m))
            vec_push(&out->hints, mem_printf("would start now without --switches"));
    }
    if (n->topo_exclusive)
        buf_adds(b, "; it wants its blocks exclusively");
}
