/*
 * give - the very cores and devices that a share of a node is made of.
 *
 * Lowest free numbers first.  Single-CPU tasks are dealt round over the sockets, as Slurm
 * does; tasks of several CPUs, and a fixed number of tasks per node, are kept together.
 */
#include "sched/sched_priv.h"

#define INDEXED_MAX 4096 /* a larger count is an amount, not so many devices */

void give_slots(const struct sched *s, const struct cluster *c, const struct need *n, const struct share *sh,
                const struct room *r, uint64_t out[static GRES_MAX])
{
    const struct lane *l = &s->lane[sh->node];
    memset(out, 0, GRES_MAX * sizeof(*out));
    if (n->req->exclusive) {
        memcpy(out, l->all.gres, GRES_MAX * sizeof(*out));
        return;
    }
    uint32_t tasks = n->per_node ? n->per_node : sh->tasks;
    for (uint32_t i = 0; i < n->req->ngres; i++) {
        const struct req_gres *g = &n->req->gres[i];
        uint64_t ask = fit_gres_ask(n, g, tasks, sh->gpus);
        for (uint32_t slot = 0; slot < l->ngres && ask; slot++) {
            if (!fit_slot_matches(&c->node[sh->node].gres[slot], g))
                continue;
            uint64_t got = MIN(ask, r->gres[slot] - MIN(out[slot], r->gres[slot]));
            out[slot] += got;
            ask -= got;
        }
    }
}

static void give_devices(const struct lane *l, const struct gres_slot *slot, uint32_t at, struct gres_share *out)
{
    if (slot->count > INDEXED_MAX)
        return;
    uint64_t left = out->count;
    for (size_t i = 0; i < slot->count && left; i++)
        if (!bitmap_has(&slot->busy, i) && !bitmap_has(&l->gres_busy[at], i)) {
            bitmap_set(&out->index, i);
            left--;
        }
}

static void give_gres(const struct sched *s, const struct cluster *c, const struct need *n, const struct share *sh,
                      struct node_alloc *na)
{
    const struct lane *l = &s->lane[sh->node];
    uint64_t take[GRES_MAX];
    struct room r; /* of several types that would do, none that is promised to somebody else */
    avail_over(s, sh->node, s->now_s, s->now_s + need_run_s(n), &r);
    give_slots(s, c, n, sh, &r, take);
    for (uint32_t slot = 0; slot < l->ngres; slot++) {
        if (!take[slot])
            continue;
        na->gres = mem_grow(na->gres, na->ngres + 1, sizeof(*na->gres));
        struct gres_share *g = &na->gres[na->ngres++];
        *g = (struct gres_share){ .slot = slot, .count = take[slot] };
        give_devices(l, &c->node[sh->node].gres[slot], slot, g);
    }
}

static bool core_free(const struct lane *l, const struct node *node, size_t core)
{
    return !bitmap_has(&node->cores_used, core) && !bitmap_has(&l->cores, core);
}

/* The lowest free core of one socket at or after `from`; BITMAP_END when there is none. */
static size_t next_core(const struct lane *l, const struct node *node, size_t from, size_t end)
{
    for (size_t i = from; i < end; i++)
        if (core_free(l, node, i))
            return i;
    return BITMAP_END;
}

static void give_spread(const struct lane *l, const struct node *node, uint32_t cores, size_t usable,
                        struct bitmap *out)
{
    uint32_t sockets = MAX(node->sockets * node->boards, 1u), per = MAX(node->cores, 1u);
    auto_free size_t *at = mem_array(sockets, sizeof(*at));
    for (uint32_t i = 0; i < sockets; i++)
        at[i] = (size_t)i * per;
    for (bool any = true; cores && any;) {
        any = false;
        for (uint32_t i = 0; i < sockets && cores; i++) {
            size_t core = next_core(l, node, at[i], MIN((size_t)(i + 1) * per, usable));
            if (core == BITMAP_END)
                continue;
            bitmap_set(out, core);
            at[i] = core + 1;
            cores--;
            any = true;
        }
    }
}

static void give_cores(const struct sched *s, const struct need *n, const struct node *node, struct node_alloc *na)
{
    const struct lane *l = &s->lane[na->node];
    size_t total = (size_t)node->boards * node->sockets * node->cores;
    if (!s->conf.by_core && node->threads > 1)
        return; /* threads are counted, not named */
    uint32_t spec = node->def ? node->def->core_spec : 0;
    size_t usable = total - MIN((size_t)spec, total);
    uint32_t cores = (na->cpus + l->tpc - 1) / l->tpc;
    if (n->req->cpus_per_task == 1 && !n->per_node && cores > 1) {
        give_spread(l, node, cores, usable, &na->cores);
        return;
    }
    for (size_t i = 0; i < usable && cores; i++)
        if (core_free(l, node, i)) {
            bitmap_set(&na->cores, i);
            cores--;
        }
}

static int by_node(const void *a, const void *b)
{
    const struct node_alloc *x = a, *y = b;
    return x->node < y->node ? -1 : x->node > y->node;
}

void give_alloc(struct sched *s, const struct cluster *c, const struct need *n, const struct pick *p, struct alloc *out)
{
    *out = (struct alloc){ .n = (uint32_t)p->at.n, .at = mem_array(p->at.n, sizeof(*out->at)) };
    for (size_t i = 0; i < p->at.n; i++) {
        const struct share *sh = &p->at.at[i];
        struct node_alloc *na = &out->at[i];
        *na = (struct node_alloc){
            .node = sh->node, .cpus = sh->cpus, .tasks = sh->tasks, .mem_mb = s->conf.by_memory ? sh->mem_mb : 0
        };
        give_cores(s, n, &c->node[sh->node], na);
        give_gres(s, c, n, sh, na);
    }
    qsort(out->at, out->n, sizeof(*out->at), by_node);
}
