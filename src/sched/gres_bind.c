/*
 * gres_bind - --gres-flags=enforce-binding: devices together with cores of the sockets that they are attached to.
 *
 * Such a job gets cores only of the sockets of its devices, and a core on each of them; on each node it gets as few
 * sockets as hold its devices.  Free cores and devices are known by number: now; at a later time, from the jobs that
 * still run then; and without some jobs, for preemption.  The numbers of a planned start are not known yet.  So a node
 * with a planned start takes no other planned start of this kind, and a planned start of this kind takes the whole
 * node.
 */
#include "sched/gres_bind.h"
#include "sched/fit.h"
#include "sched/need.h"
#include "sched/oversub.h"
#include "sched/queue.h"
#include "sched/resv_claim.h"

#define SOCKETS_TRIED 8 /* with more sockets, only one or all of them are tried */
#define SOCKETS_MAX 64
#define DEVICES_MAX 1024

struct gres_bind_view {
    uint32_t nsockets;
    uint32_t cores[SOCKETS_MAX]; /* free, by socket */
    uint64_t usable;             /* sockets with a free core and a free device */
    uint32_t ndevices;
    struct {
        uint32_t slot;
        uint64_t sockets;  /* that it is attached to */
    } device[DEVICES_MAX]; /* the free devices */
    bool bound[GRES_MAX];  /* slots whose devices have sockets */
};

static bool gres_requested(const struct need *n, const struct gres_slot *slot)
{
    for (uint32_t i = 0; i < n->req->ngres; i++)
        if (n->req->gres[i].count && fit_slot_matches(slot, &n->req->gres[i]))
            return true;
    return false;
}

bool gres_bind_applies(const struct sched *s, const struct need *n, const struct node *node)
{
    const struct node_profile *prof = &s->profile[node->index];
    if (!n->gres_bind || n->whole || n->req->core_spec || !prof->has_cores ||
        prof->ncores / prof->cores_per_socket > SOCKETS_MAX)
        return false;
    for (uint32_t i = 0; i < prof->ngres; i++)
        if (node->gres[i].local_cores && node->gres[i].count <= DEVICES_MAX / GRES_MAX &&
            gres_requested(n, &node->gres[i]))
            return true;
    return false;
}

/* ---- cores and devices in use, by number ---- */

struct gres_bind_held {
    struct bitmap cores, device[GRES_MAX];
};

static void held_clear(struct gres_bind_held *h)
{
    bitmap_clear(&h->cores);
    for (uint32_t g = 0; g < GRES_MAX; g++)
        bitmap_clear(&h->device[g]);
}

static void held_add_job(const struct cluster *c, uint32_t id, uint32_t node, struct gres_bind_held *out)
{
    const struct job *j = cluster_job(c, id);
    for (uint32_t i = 0; j && i < j->alloc.n; i++) {
        const struct node_alloc *na = &j->alloc.at[i];
        if (na->node != node || na->done)
            continue;
        if (!job_lends(j))
            bitmap_or(&out->cores, &na->cores);
        for (uint32_t g = 0; g < na->ngres; g++)
            if (na->gres[g].slot < GRES_MAX)
                bitmap_or(&out->device[na->gres[g].slot], &na->gres[g].index);
    }
}

/* Does a start of this cycle last beyond `at_s`? */
static bool trial_start_lasts(const struct node_profile *prof, int64_t now_s, int64_t at_s)
{
    for (size_t i = 0; i < prof->trials.n; i++)
        if (prof->trials.at[i].from_s <= now_s && prof->trials.at[i].to_s > at_s)
            return true;
    return false;
}

static bool trial_planned_within(const struct sched *s, const struct node_profile *prof, int64_t from_s, int64_t to_s)
{
    for (size_t i = 0; i < prof->trials.n; i++)
        if (prof->trials.at[i].from_s > s->now_s && prof->trials.at[i].from_s < to_s &&
            prof->trials.at[i].to_s > from_s)
            return true;
    return false;
}

static void held_now(const struct sched *s, const struct node *node, struct gres_bind_held *out)
{
    const struct node_profile *prof = &s->profile[node->index];
    bitmap_copy(&out->cores, &node->cores_used);
    for (uint32_t g = 0; g < prof->ngres; g++)
        bitmap_copy(&out->device[g], &node->gres[g].busy);
}

static void held_then(const struct sched *s, const struct cluster *c, uint32_t node, const struct gres_bind_when *when,
                      struct gres_bind_held *out)
{
    const struct node_profile *prof = &s->profile[node];
    for (size_t i = 0; i < prof->running.n; i++)
        if (prof->running.at[i].to_s > when->at_s && !(when->gone && when->gone(when->arg, prof->running.at[i].id)))
            held_add_job(c, prof->running.at[i].id, node, out);
}

/* False: the numbers are not known. */
static bool held_find(const struct sched_view *v, const struct cluster *c, const struct need *n, uint32_t node,
                      const struct gres_bind_when *when, struct gres_bind_held *out)
{
    const struct sched *s = v->s;
    const struct node_profile *prof = &s->profile[node];
    bool now = when->at_s <= s->now_s;
    if (prof->has_core_spec)
        bitmap_or(&out->cores, &prof->core_spec_cores);
    if (when->empty)
        return true;
    if (!now && trial_planned_within(s, prof, when->at_s, when->at_s + need_run_s(n)))
        return false;
    if (now && !when->gone)
        held_now(s, &c->node[node], out);
    else
        held_then(s, c, node, when, out);
    if (now || trial_start_lasts(prof, s->now_s, when->at_s)) {
        bitmap_or(&out->cores, &prof->taken_cores);
        for (uint32_t g = 0; g < prof->ngres; g++)
            bitmap_or(&out->device[g], &prof->taken_gres[g]);
    }
    if (s->oversub && !when->gone) { /* cores follow the rules of oversubscription, devices are never shared */
        bitmap_zero(&out->cores);
        oversub_cores(v, n, node, when->at_s, &out->cores);
        if (prof->has_core_spec)
            bitmap_or(&out->cores, &prof->core_spec_cores);
    }
    if (prof->claims.n)
        resv_add_busy_cores(s, n, node, when->at_s, when->at_s + need_run_s(n), &out->cores);
    return true;
}

/* ---- what is free, by socket ---- */

static uint64_t sockets_of(const struct node_profile *prof, const struct bitmap *cores)
{
    uint64_t mask = 0;
    bitmap_each (cores, i)
        if (i < prof->ncores)
            mask |= 1ull << (i / prof->cores_per_socket);
    return mask ? mask : UINT64_MAX;
}

static uint64_t device_sockets(const struct node_profile *prof, const struct gres_slot *slot, uint32_t i)
{
    return i < slot->nlocal ? sockets_of(prof, &slot->local_cores[i]) : UINT64_MAX;
}

static void view_add_devices(const struct node_profile *prof, const struct node *node, uint32_t slot,
                             const struct bitmap *busy, struct gres_bind_view *gv)
{
    const struct gres_slot *g = &node->gres[slot];
    gv->bound[slot] = true;
    for (uint32_t i = 0; i < g->count && gv->ndevices < DEVICES_MAX; i++) {
        if (bitmap_has(busy, i))
            continue;
        gv->device[gv->ndevices].slot = slot;
        gv->device[gv->ndevices++].sockets = device_sockets(prof, g, i);
    }
}

static bool view_init(const struct sched_view *v, const struct cluster *c, const struct need *n, uint32_t node,
                      const struct gres_bind_when *when, struct gres_bind_view *gv)
{
    const struct node_profile *prof = &v->s->profile[node];
    struct gres_bind_held h = { 0 };
    *gv = (struct gres_bind_view){ .nsockets = (prof->ncores + prof->cores_per_socket - 1) / prof->cores_per_socket };
    bool known = held_find(v, c, n, node, when, &h);
    for (uint32_t i = 0; known && i < prof->ncores; i++)
        gv->cores[i / prof->cores_per_socket] += !bitmap_has(&h.cores, i);
    for (uint32_t g = 0; known && g < prof->ngres; g++)
        if (c->node[node].gres[g].local_cores && gres_requested(n, &c->node[node].gres[g]))
            view_add_devices(prof, &c->node[node], g, &h.device[g], gv);
    held_clear(&h);
    uint64_t with_device = 0;
    for (uint32_t i = 0; i < gv->ndevices; i++)
        with_device |= gv->device[i].sockets;
    for (uint32_t i = 0; i < gv->nsockets; i++)
        if (gv->cores[i] && (with_device >> i & 1))
            gv->usable |= 1ull << i;
    return known && gv->usable;
}

/* What these sockets have free. */
static void view_avail(const struct node_profile *prof, const struct gres_bind_view *gv, uint64_t sockets,
                       const struct avail *av, struct avail *out)
{
    uint32_t cores = 0;
    uint64_t devices[GRES_MAX] = { 0 };
    *out = *av;
    for (uint32_t i = 0; i < gv->nsockets; i++)
        cores += sockets >> i & 1 ? gv->cores[i] : 0;
    for (uint32_t i = 0; i < gv->ndevices; i++)
        devices[gv->device[i].slot] += (gv->device[i].sockets & sockets) != 0;
    out->cpus = MIN(av->cpus, cores * prof->cpus_per_core);
    for (uint32_t g = 0; g < GRES_MAX; g++)
        if (gv->bound[g])
            out->gres[g] = MIN(av->gres[g], devices[g]);
}

/* ---- which sockets ---- */

/* The next set of `size` usable sockets after `after`; 0: no more. */
static uint64_t view_next_sockets(const struct gres_bind_view *gv, uint64_t after, int size)
{
    int all = __builtin_popcountll(gv->usable);
    if (gv->nsockets > SOCKETS_TRIED && size > 1)
        return !after && size == all ? gv->usable : 0;
    uint64_t end = gv->nsockets >= SOCKETS_MAX ? UINT64_MAX : (1ull << gv->nsockets) - 1;
    if (size == 1 && gv->nsockets > SOCKETS_TRIED) {
        uint64_t rest = after ? gv->usable & ~(after | (after - 1)) : gv->usable;
        return rest & -rest;
    }
    for (uint64_t m = after + 1; m <= end; m++)
        if (__builtin_popcountll(m) == size && !(m & ~gv->usable))
            return m;
    return 0;
}

/* Can more sockets hold more of the job, because devices are requested per task or per job? */
static bool gres_scales(const struct need *n)
{
    for (uint32_t i = 0; i < n->req->ngres; i++)
        if (n->req->gres[i].count && n->req->gres[i].scope != REQ_PER_NODE && n->req->gres[i].scope != REQ_PER_SOCKET)
            return true;
    return false;
}

/* Devices with sockets that the job takes on the node. */
static uint64_t bound_devices_taken(const struct need *n, const struct node *node, const struct gres_bind_view *gv,
                                    uint32_t tasks, uint32_t gpus)
{
    uint64_t taken = 0;
    for (uint32_t i = 0; i < n->req->ngres; i++)
        for (uint32_t slot = 0; slot < node->ngres && slot < GRES_MAX; slot++)
            if (gv->bound[slot] && fit_slot_matches(&node->gres[slot], &n->req->gres[i])) {
                taken += fit_gres_ask(n, &n->req->gres[i], tasks, gpus);
                break;
            }
    return taken;
}

/* Is there a device and a core for each of the sockets, and memory for them? */
static bool sockets_all_used(const struct sched *s, const struct cluster *c, const struct need *n,
                             const struct gres_bind_view *gv, const struct avail *av, const struct node_fit *nf,
                             int sockets)
{
    if (bound_devices_taken(n, &c->node[nf->node], gv, n->per_node ? n->per_node : nf->tasks, nf->gpus) <
        (uint64_t)sockets)
        return false;
    uint32_t cpus = (uint32_t)sockets * s->profile[nf->node].cpus_per_core,
             gpus = fit_gpus(n, MAX(nf->min_tasks, 1u), MIN(nf->gpus, 1u));
    return av->cpus >= cpus && (!s->conf.by_memory || fit_mem(c, n, nf->node, cpus, gpus) <= av->mem_mb);
}

/* How many of the per-job GPUs the node gets is open: any part of them fits on one socket; on several only if the node
 * gets all of them. */
static bool sockets_divide(const struct need *n, const struct node_fit *nf, int sockets)
{
    return !n->gpus || sockets == 1 || (n->target == 1 && nf->gpus >= n->gpus && nf->tasks >= n->tasks);
}

bool gres_bind_fit(const struct sched_view *v, const struct cluster *c, const struct need *n, uint32_t node,
                   const struct gres_bind_when *when, const struct avail *av, struct node_fit *out)
{
    const struct sched *s = v->s;
    struct gres_bind_view gv;
    if (!gres_bind_applies(s, n, &c->node[node]))
        return true;
    if (!view_init(v, c, n, node, when, &gv))
        return false;
    struct node_fit best = { 0 };
    for (int size = 1; size <= __builtin_popcountll(gv.usable) && (!best.tasks || gres_scales(n)); size++)
        for (uint64_t set = view_next_sockets(&gv, 0, size); set; set = view_next_sockets(&gv, set, size)) {
            struct avail part;
            struct node_fit nf;
            view_avail(&s->profile[node], &gv, set, av, &part);
            if (fit_node(s, c, n, node, &part, &nf) && sockets_all_used(s, c, n, &gv, &part, &nf, size) &&
                sockets_divide(n, &nf, size) && (nf.tasks > best.tasks || nf.gpus > best.gpus))
                best = nf;
        }
    if (best.tasks)
        *out = best;
    return best.tasks > 0;
}

/* Are the devices and cores for this part of the pick there? */
static bool sockets_enough(const struct sched *s, const struct cluster *c, const struct need *n,
                           const struct node_part *np, const struct avail *part)
{
    for (uint32_t i = 0; i < n->req->ngres; i++) {
        const struct req_gres *g = &n->req->gres[i];
        uint64_t have = 0;
        for (uint32_t slot = 0; slot < s->profile[np->node].ngres; slot++)
            have += fit_slot_matches(&c->node[np->node].gres[slot], g) ? part->gres[slot] : 0;
        if (have < fit_gres_ask(n, g, n->per_node ? n->per_node : np->tasks, np->gpus))
            return false;
    }
    return part->cpus >= fit_cores(s, n, np->node, np->cpus) * s->profile[np->node].cpus_per_core;
}

uint64_t gres_bind_sockets(const struct sched_view *v, const struct cluster *c, const struct need *n,
                           const struct node_part *np, struct avail *av)
{
    const struct sched *s = v->s;
    struct gres_bind_view gv;
    const struct gres_bind_when now = { .at_s = s->now_s };
    if (!gres_bind_applies(s, n, &c->node[np->node]) || !view_init(v, c, n, np->node, &now, &gv))
        return 0;
    for (int size = 1; size <= __builtin_popcountll(gv.usable); size++)
        for (uint64_t set = view_next_sockets(&gv, 0, size); set; set = view_next_sockets(&gv, set, size)) {
            struct avail part;
            view_avail(&s->profile[np->node], &gv, set, av, &part);
            if (!sockets_enough(s, c, n, np, &part))
                continue;
            *av = part;
            return set;
        }
    return gv.usable; /* the part is smaller than the node allows: any core is on the socket of some device */
}

/* ---- assignment ---- */

void gres_bind_mask_cores(const struct node_profile *prof, uint64_t sockets, struct bitmap *busy)
{
    for (uint32_t i = 0; i < prof->ncores; i++)
        if (!(sockets >> (i / prof->cores_per_socket) & 1))
            bitmap_set(busy, i);
}

void gres_bind_add_cores(const struct sched *s, const struct cluster *c, const struct need *n, uint64_t sockets,
                         const struct bitmap *busy, struct node_alloc *na)
{
    const struct node_profile *prof = &s->profile[na->node];
    uint64_t has = bitmap_none(&na->cores) ? 0 : sockets_of(prof, &na->cores);
    uint32_t more = 0;
    for (uint32_t i = 0; i < prof->ncores; i++)
        if ((sockets & ~has) >> (i / prof->cores_per_socket) & 1 && !bitmap_has(busy, i) &&
            !bitmap_has(&na->cores, i)) {
            bitmap_set(&na->cores, i);
            has |= 1ull << (i / prof->cores_per_socket);
            more += prof->cpus_per_core;
        }
    if (!more)
        return;
    na->cpus += more;
    if (s->conf.by_memory && !n->mem_node_mb && n->mem_cpu_mb && !n->req->mem_all && !n->req->mem_per_gpu_mb)
        na->mem_mb = fit_mem(c, n, na->node, na->cpus, 0);
}

/* One device of each of these sockets, while there are free ones. */
static uint64_t devices_one_per_socket(const struct node_profile *prof, const struct gres_slot *slot,
                                       const struct bitmap *off, uint64_t sockets, uint64_t left,
                                       struct gres_alloc *out)
{
    for (uint32_t i = 0; i < slot->count && left && sockets; i++) {
        uint64_t its = device_sockets(prof, slot, i);
        if (bitmap_has(off, i) || !(its & sockets))
            continue;
        bitmap_set(&out->index, i);
        sockets &= ~its;
        left--;
    }
    return left;
}

void gres_bind_devices(const struct node_profile *prof, const struct gres_slot *slot, const struct bitmap *cores,
                       uint64_t sockets, const struct bitmap *off, struct gres_alloc *out)
{
    uint64_t left = devices_one_per_socket(prof, slot, off, sockets, out->count, out), own = sockets_of(prof, cores);
    for (int pass = 0; pass < 2 && left; pass++) /* devices on the sockets of its cores come first */
        for (uint32_t i = 0; i < slot->count && left; i++) {
            if (bitmap_has(off, i) || bitmap_has(&out->index, i) ||
                (pass == 0 && !(device_sockets(prof, slot, i) & own)))
                continue;
            bitmap_set(&out->index, i);
            left--;
        }
}

bool gres_bind_any(const struct sched *s)
{
    for (size_t i = 0; s->gres_bind_seen && i < s->classes.n; i++)
        if (s->classes.at[i]->need.gres_bind && class_count(s->classes.at[i]))
            return true;
    return false;
}
