/*
 * assign - core and device numbers for the nodes of a pick.
 *
 * The lowest free numbers are taken.  Single-CPU tasks are distributed cyclically over the sockets, as in Slurm; tasks
 * with several CPUs, and a fixed number of tasks per node, are kept together.
 */
#include "sched/fit.h"
#include "sched/gres_bind.h"
#include "sched/need.h"
#include "sched/oversub.h"
#include "sched/profile.h"
#include "sched/resv_claim.h"

#define INDEXED_MAX 4096 /* a larger count is an amount without device numbers */

void assign_gres_counts(const struct sched *s, const struct cluster *c, const struct need *n,
                        const struct node_part *np, const struct avail *av, uint64_t out[static GRES_MAX])
{
    const struct node_profile *prof = &s->profile[np->node];
    memset(out, 0, GRES_MAX * sizeof(*out));
    if (n->whole && !s->conf.by_node) {
        memcpy(out, av->gres, GRES_MAX * sizeof(*out)); /* suspended jobs keep their devices */
        return;
    }
    uint32_t tasks = n->per_node ? n->per_node : np->tasks;
    for (uint32_t i = 0; i < n->req->ngres; i++) {
        const struct req_gres *g = &n->req->gres[i];
        uint64_t ask = fit_gres_ask(n, g, tasks, np->gpus);
        for (uint32_t slot = 0; slot < prof->ngres && ask; slot++) {
            if (!fit_slot_matches(&c->node[np->node].gres[slot], g))
                continue;
            uint64_t got = MIN(ask, av->gres[slot] - MIN(out[slot], av->gres[slot]));
            out[slot] += got;
            ask -= got;
        }
    }
}

static void assign_devices(const struct node_profile *prof, const struct gres_slot *slot, uint32_t at,
                           const struct bitmap *cores, uint64_t sockets, struct gres_alloc *out)
{
    if (slot->count > INDEXED_MAX)
        return;
    if (slot->local_cores && prof->has_cores) {
        auto_bitmap struct bitmap off = BITMAP_INIT;
        bitmap_copy(&off, &slot->busy);
        bitmap_or(&off, &prof->taken_gres[at]);
        gres_bind_devices(prof, slot, cores, sockets, &off, out);
        return;
    }
    uint64_t left = out->count;
    for (size_t i = 0; i < slot->count && left; i++)
        if (!bitmap_has(&slot->busy, i) && !bitmap_has(&prof->taken_gres[at], i)) {
            bitmap_set(&out->index, i);
            left--;
        }
}

static void assign_gres(const struct sched *s, const struct cluster *c, const struct need *n,
                        const struct node_part *np, const struct avail *av, uint64_t sockets, struct node_alloc *na)
{
    const struct node_profile *prof = &s->profile[np->node];
    uint64_t take[GRES_MAX];
    assign_gres_counts(s, c, n, np, av, take);
    for (uint32_t slot = 0; slot < prof->ngres; slot++) {
        if (!take[slot])
            continue;
        na->gres = mem_grow(na->gres, na->ngres + 1, sizeof(*na->gres));
        struct gres_alloc *g = &na->gres[na->ngres++];
        *g = (struct gres_alloc){ .slot = slot, .count = take[slot] };
        assign_devices(prof, &c->node[np->node].gres[slot], slot, &na->cores, sockets, g);
    }
}

/* The lowest core of one socket at or after `from` that is not busy; BITMAP_END when there is none. */
static size_t next_core(const struct bitmap *busy, size_t from, size_t end)
{
    size_t i = bitmap_next_unset(busy, from);
    return i < end ? i : BITMAP_END;
}

static void assign_cores_cyclic(const struct bitmap *busy, const struct node_profile *prof, uint32_t cores,
                                struct bitmap *out)
{
    size_t per = prof->cores_per_socket, sockets = (prof->ncores + per - 1) / per;
    auto_free size_t *at = mem_array(sockets, sizeof(*at));
    for (size_t i = 0; i < sockets; i++)
        at[i] = i * per;
    for (bool any = true; cores && any;) {
        any = false;
        for (size_t i = 0; i < sockets && cores; i++) {
            size_t core = next_core(busy, at[i], MIN((i + 1) * per, prof->ncores));
            if (core == BITMAP_END)
                continue;
            bitmap_set(out, core);
            at[i] = core + 1;
            cores--;
            any = true;
        }
    }
}

/* Sockets of a node with at least `cores` idle cores now. */
static uint32_t idle_sockets(const struct sched *s, const struct node *node, uint32_t cores)
{
    const struct node_profile *prof = &s->profile[node->index];
    uint32_t n = 0;
    for (uint32_t from = 0; from < prof->ncores; from += prof->cores_per_socket) {
        uint32_t idle = 0;
        for (uint32_t i = from; i < MIN(from + prof->cores_per_socket, prof->ncores); i++)
            idle += !bitmap_has(&node->cores_used, i) && !bitmap_has(&prof->taken_cores, i);
        n += idle >= cores;
    }
    return n;
}

bool assign_sockets_idle(const struct sched *s, const struct cluster *c, const struct need *n, uint32_t node)
{
    const struct req *r = n->req;
    return idle_sockets(s, &c->node[node], r->cores_per_socket) >= MAX(r->sockets_per_node, 1u);
}

static uint32_t idle_cores(const struct bitmap *busy, size_t from, size_t end)
{
    uint32_t n = 0;
    for (size_t i = from; i < end; i++)
        n += !bitmap_has(busy, i);
    return n;
}

/* Cores of as few sockets as possible: the smallest socket that is sufficient, else the largest, then the next. */
static void assign_cores_block(struct bitmap *busy, const struct node_profile *prof, uint32_t cores, struct bitmap *out)
{
    size_t per = prof->cores_per_socket;
    while (cores) {
        size_t best = SIZE_MAX;
        uint32_t have = 0;
        for (size_t from = 0; from < prof->ncores; from += per) {
            uint32_t idle = idle_cores(busy, from, MIN(from + per, prof->ncores));
            if (idle && (best == SIZE_MAX || (have < cores ? idle > have : idle >= cores && idle < have)))
                best = from, have = idle;
        }
        if (best == SIZE_MAX)
            return;
        for (size_t i = best; i < MIN(best + per, prof->ncores) && cores; i++)
            if (!bitmap_has(busy, i)) {
                bitmap_set(out, i);
                bitmap_set(busy, i);
                cores--;
            }
    }
}

static void assign_cores_lowest(const struct bitmap *busy, const struct node_profile *prof, uint32_t cores,
                                struct bitmap *out)
{
    for (size_t i = next_core(busy, 0, prof->ncores); i != BITMAP_END && cores;
         i = next_core(busy, i + 1, prof->ncores)) {
        bitmap_set(out, i);
        cores--;
    }
}

/* Cores that are not free for this need; with oversubscription, oversub.c says which. */
static void assign_busy_cores(const struct sched *s, const struct need *n, const struct node *node, uint32_t level,
                              struct bitmap *busy)
{
    const struct node_profile *prof = &s->profile[node->index];
    if (s->oversub) {
        struct sched_view v = view_now(s);
        v.oversub_level = level;
        oversub_cores(&v, n, node->index, s->now_s, busy);
        return;
    }
    bitmap_copy(busy, &node->cores_used);
    bitmap_or(busy, &prof->taken_cores);
}

/* A job with one task per socket, and fewer tasks than sockets, gets the last sockets, as in Slurm. */
static void leave_first_sockets(const struct node_profile *prof, uint32_t cores, struct bitmap *busy)
{
    uint32_t sockets = prof->ncores / prof->cores_per_socket, first = sockets - MIN(cores, sockets);
    for (uint32_t i = first; i < sockets; i++)
        if (!idle_cores(busy, (size_t)i * prof->cores_per_socket, (size_t)(i + 1) * prof->cores_per_socket))
            return;
    bitmap_set_range(busy, 0, (size_t)first * prof->cores_per_socket);
}

static void assign_cores(const struct sched *s, const struct cluster *c, const struct need *n, uint32_t level,
                         uint64_t sockets, struct node_alloc *na)
{
    const struct node *node = &c->node[na->node];
    const struct node_profile *prof = &s->profile[na->node];
    if (!prof->has_cores)
        return; /* CPUs are counted, they have no numbers */
    auto_bitmap struct bitmap busy = BITMAP_INIT;
    assign_busy_cores(s, n, node, level, &busy);
    if (prof->claims.n)
        resv_add_busy_cores(s, n, na->node, s->now_s, s->now_s + need_run_s(n), &busy);
    uint32_t cores = fit_cores(s, n, na->node, na->cpus);
    if (prof->has_core_spec || n->req->core_spec)
        core_spec_add_busy(n, node, &busy);
    if (n->req->core_spec)
        cores = core_spec_cpus(n, node) / prof->cpus_per_core;
    if (sockets)
        gres_bind_mask_cores(prof, sockets, &busy);
    if (n->req->ntasks_per_socket == 1 && n->req->cpus_per_task == 1)
        leave_first_sockets(prof, cores, &busy);
    if (cores > 1 && !s->conf.by_socket && s->conf.by_core && fit_spreads(s, n))
        assign_cores_cyclic(&busy, prof, cores, &na->cores);
    else if ((s->conf.cores_in_blocks || !s->conf.by_core || n->req->core_dist == CORES_BLOCK) &&
             n->req->cpus_per_task == 1)
        assign_cores_block(&busy, prof, cores, &na->cores);
    else
        assign_cores_lowest(&busy, prof, cores, &na->cores);
    if (sockets)
        gres_bind_add_cores(s, c, n, sockets, &busy, na);
}

static int cmp_node(const void *a, const void *b)
{
    const struct node_alloc *x = a, *y = b;
    return x->node < y->node ? -1 : x->node > y->node;
}

void assign_alloc(struct sched *s, const struct cluster *c, const struct need *n, const struct pick *p,
                  struct alloc *out)
{
    const struct sched_view v = view_now(s);
    *out = (struct alloc){ .n = (uint32_t)p->at.n, .at = mem_array(p->at.n, sizeof(*out->at)) };
    for (size_t i = 0; i < p->at.n; i++) {
        const struct node_part *np = &p->at.at[i];
        struct node_alloc *na = &out->at[i];
        *na = (struct node_alloc){
            .node = np->node, .cpus = np->cpus, .tasks = np->tasks, .mem_mb = s->conf.by_memory ? np->mem_mb : 0
        };
        struct avail av; /* of several gres types that match, take none that a planned start needs */
        avail_over(&v, n, np->node, s->now_s, s->now_s + need_run_s(n), &av);
        uint64_t sockets = n->gres_bind ? gres_bind_sockets(&v, c, n, np, &av) : 0;
        assign_cores(s, c, n, p->level, sockets, na);
        assign_gres(s, c, n, np, &av, sockets, na);
    }
    qsort(out->at, out->n, sizeof(*out->at), cmp_node);
}
