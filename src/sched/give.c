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
    if (n->whole && !s->conf.by_node) {
        memcpy(out, r->gres, GRES_MAX * sizeof(*out)); /* who is suspended keeps its own */
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

static void give_devices(const struct lane *l, const struct gres_slot *slot, uint32_t at, const struct bitmap *cores,
                         uint64_t sockets, struct gres_share *out)
{
    if (slot->count > INDEXED_MAX)
        return;
    if (slot->near && l->named) {
        auto_bitmap struct bitmap off = BITMAP_INIT;
        bitmap_copy(&off, &slot->busy);
        bitmap_or(&off, &l->gres_busy[at]);
        near_devices(l, slot, cores, sockets, &off, out);
        return;
    }
    uint64_t left = out->count;
    for (size_t i = 0; i < slot->count && left; i++)
        if (!bitmap_has(&slot->busy, i) && !bitmap_has(&l->gres_busy[at], i)) {
            bitmap_set(&out->index, i);
            left--;
        }
}

static void give_gres(const struct sched *s, const struct cluster *c, const struct need *n, const struct share *sh,
                      const struct room *r, uint64_t sockets, struct node_alloc *na)
{
    const struct lane *l = &s->lane[sh->node];
    uint64_t take[GRES_MAX];
    give_slots(s, c, n, sh, r, take);
    for (uint32_t slot = 0; slot < l->ngres; slot++) {
        if (!take[slot])
            continue;
        na->gres = mem_grow(na->gres, na->ngres + 1, sizeof(*na->gres));
        struct gres_share *g = &na->gres[na->ngres++];
        *g = (struct gres_share){ .slot = slot, .count = take[slot] };
        give_devices(l, &c->node[sh->node].gres[slot], slot, &na->cores, sockets, g);
    }
}

/* The lowest core of one socket at or after `from` that is not busy; BITMAP_END when there is none. */
static size_t next_core(const struct bitmap *busy, size_t from, size_t end)
{
    size_t i = bitmap_next_unset(busy, from);
    return i < end ? i : BITMAP_END;
}

static void give_spread(const struct bitmap *busy, const struct lane *l, uint32_t cores, struct bitmap *out)
{
    size_t per = l->per_socket, sockets = (l->ncores + per - 1) / per;
    auto_free size_t *at = mem_array(sockets, sizeof(*at));
    for (size_t i = 0; i < sockets; i++)
        at[i] = i * per;
    for (bool any = true; cores && any;) {
        any = false;
        for (size_t i = 0; i < sockets && cores; i++) {
            size_t core = next_core(busy, at[i], MIN((i + 1) * per, l->ncores));
            if (core == BITMAP_END)
                continue;
            bitmap_set(out, core);
            at[i] = core + 1;
            cores--;
            any = true;
        }
    }
}

/* Sockets of a node with so many idle cores, now. */
static uint32_t idle_sockets(const struct sched *s, const struct node *node, uint32_t cores)
{
    const struct lane *l = &s->lane[node->index];
    uint32_t n = 0;
    for (uint32_t from = 0; from < l->ncores; from += l->per_socket) {
        uint32_t idle = 0;
        for (uint32_t i = from; i < MIN(from + l->per_socket, l->ncores); i++)
            idle += !bitmap_has(&node->cores_used, i) && !bitmap_has(&l->cores, i);
        n += idle >= cores;
    }
    return n;
}

bool give_sockets(const struct sched *s, const struct cluster *c, const struct need *n, uint32_t node)
{
    const struct req *r = n->req;
    return idle_sockets(s, &c->node[node], r->cores_per_socket) >= MAX(r->sockets_per_node, 1u);
}

static uint32_t idle_in(const struct bitmap *busy, size_t from, size_t end)
{
    uint32_t n = 0;
    for (size_t i = from; i < end; i++)
        n += !bitmap_has(busy, i);
    return n;
}

/* Cores of as few sockets as can be: the smallest that is enough, or the largest and so on. */
static void give_block(struct bitmap *busy, const struct lane *l, uint32_t cores, struct bitmap *out)
{
    size_t per = l->per_socket;
    while (cores) {
        size_t best = SIZE_MAX;
        uint32_t have = 0;
        for (size_t from = 0; from < l->ncores; from += per) {
            uint32_t idle = idle_in(busy, from, MIN(from + per, l->ncores));
            if (idle && (best == SIZE_MAX || (have < cores ? idle > have : idle >= cores && idle < have)))
                best = from, have = idle;
        }
        if (best == SIZE_MAX)
            return;
        for (size_t i = best; i < MIN(best + per, l->ncores) && cores; i++)
            if (!bitmap_has(busy, i)) {
                bitmap_set(out, i);
                bitmap_set(busy, i);
                cores--;
            }
    }
}

static void give_lowest(const struct bitmap *busy, const struct lane *l, uint32_t cores, struct bitmap *out)
{
    for (size_t i = next_core(busy, 0, l->ncores); i != BITMAP_END && cores; i = next_core(busy, i + 1, l->ncores)) {
        bitmap_set(out, i);
        cores--;
    }
}

/* Cores that this need cannot have: in use, or where that depends on who asks, what share.c says. */
static void find_busy(const struct sched *s, const struct need *n, const struct node *node, uint32_t level,
                      struct bitmap *busy)
{
    const struct lane *l = &s->lane[node->index];
    if (s->shares) {
        share_cores(s, n, node->index, level, s->now_s, busy);
        return;
    }
    bitmap_copy(busy, &node->cores_used);
    bitmap_or(busy, &l->cores);
}

/* Few tasks of which each wants a socket of its own take the last ones, as Slurm does. */
static void leave_first_sockets(const struct lane *l, uint32_t cores, struct bitmap *busy)
{
    uint32_t sockets = l->ncores / l->per_socket, first = sockets - MIN(cores, sockets);
    for (uint32_t i = first; i < sockets; i++)
        if (!idle_in(busy, (size_t)i * l->per_socket, (size_t)(i + 1) * l->per_socket))
            return;
    bitmap_set_range(busy, 0, (size_t)first * l->per_socket);
}

static void give_cores(const struct sched *s, const struct cluster *c, const struct need *n, uint32_t level,
                       uint64_t sockets, struct node_alloc *na)
{
    const struct node *node = &c->node[na->node];
    const struct lane *l = &s->lane[na->node];
    if (!l->named)
        return; /* threads are counted, not named */
    auto_bitmap struct bitmap busy = BITMAP_INIT;
    find_busy(s, n, node, level, &busy);
    if (l->blocks.n)
        resv_cores_off(s, n, na->node, s->now_s, s->now_s + need_run_s(n), &busy);
    uint32_t cores = fit_cores(s, n, na->node, na->cpus);
    if (l->spec || n->req->core_spec)
        spec_cores_off(n, node, &busy);
    if (n->req->core_spec)
        cores = spec_cpus(n, node) / l->cpc;
    if (sockets)
        near_close(l, sockets, &busy);
    if (n->req->ntasks_per_socket == 1 && n->req->cpus_per_task == 1)
        leave_first_sockets(l, cores, &busy);
    if (cores > 1 && !s->conf.by_socket && s->conf.by_core && fit_spreads(s, n))
        give_spread(&busy, l, cores, &na->cores);
    else if ((s->conf.cores_in_blocks || !s->conf.by_core || n->req->core_dist == CORES_BLOCK) &&
             n->req->cpus_per_task == 1)
        give_block(&busy, l, cores, &na->cores);
    else
        give_lowest(&busy, l, cores, &na->cores);
    if (sockets)
        near_reach(s, c, n, sockets, &busy, na);
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
        struct room r; /* of several types that would do, none that is promised to somebody else */
        avail_over(s, n, sh->node, s->now_s, s->now_s + need_run_s(n), &r);
        uint64_t sockets = n->near ? near_choose(s, c, n, sh, &r) : 0;
        give_cores(s, c, n, p->level, sockets, na);
        give_gres(s, c, n, sh, &r, sockets, na);
    }
    qsort(out->at, out->n, sizeof(*out->at), by_node);
}
