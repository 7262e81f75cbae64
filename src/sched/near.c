/*
 * near - devices together with the cores that are near to them: --gres-flags=enforce-binding.
 *
 * Such a job gets cores of those sockets alone that its devices are near to, and a core on each of them.  On a node it
 * gets as few sockets as hold its devices.  What is free is looked at by name: now, at a later moment from what those
 * hold who will still run then, and with some of them thought away.  Which names a planned start will have is open, so
 * a node where one is planned is no place for another planned start of this kind; and the place of such a job is all of
 * the node, lest somebody who comes later takes the wrong socket.
 */
#include "sched/sched_priv.h"

#define SOCKETS_TRIED 8 /* with more of them one, or all, are tried */
#define SOCKETS_MAX 64
#define DEVICES_MAX 1024

struct view {
    uint32_t nsockets;
    uint32_t cores[SOCKETS_MAX]; /* free ones of each */
    uint64_t usable;             /* sockets with a free core and a free device */
    uint32_t ndevices;
    struct {
        uint32_t slot;
        uint64_t sockets;  /* that it is near to */
    } device[DEVICES_MAX]; /* free ones */
    bool bound[GRES_MAX];  /* slots whose devices have places */
};

static bool asked_for(const struct need *n, const struct gres_slot *slot)
{
    for (uint32_t i = 0; i < n->req->ngres; i++)
        if (n->req->gres[i].count && fit_slot_matches(slot, &n->req->gres[i]))
            return true;
    return false;
}

bool near_matters(const struct sched *s, const struct need *n, const struct node *node)
{
    const struct lane *l = &s->lane[node->index];
    if (!n->near || n->whole || n->req->core_spec || !l->named || l->ncores / l->per_socket > SOCKETS_MAX)
        return false;
    for (uint32_t i = 0; i < l->ngres; i++)
        if (node->gres[i].near && node->gres[i].count <= DEVICES_MAX / GRES_MAX && asked_for(n, &node->gres[i]))
            return true;
    return false;
}

/* ---- what is held, by name ---- */

struct held {
    struct bitmap cores, device[GRES_MAX];
};

static void held_clear(struct held *h)
{
    bitmap_clear(&h->cores);
    for (uint32_t g = 0; g < GRES_MAX; g++)
        bitmap_clear(&h->device[g]);
}

static void add_job(const struct cluster *c, uint32_t id, uint32_t node, struct held *out)
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

/* Does a start of this plan last beyond that moment?  Is one planned within the time? */
static bool plan_holds(const struct lane *l, int64_t now_s, int64_t at_s)
{
    for (size_t i = 0; i < l->resv.n; i++)
        if (l->resv.at[i].from_s <= now_s && l->resv.at[i].to_s > at_s)
            return true;
    return false;
}

static bool planned_within(const struct sched *s, const struct lane *l, int64_t from_s, int64_t to_s)
{
    for (size_t i = 0; i < l->resv.n; i++)
        if (l->resv.at[i].from_s > s->now_s && l->resv.at[i].from_s < to_s && l->resv.at[i].to_s > from_s)
            return true;
    return false;
}

static void held_now(const struct sched *s, const struct node *node, struct held *out)
{
    const struct lane *l = &s->lane[node->index];
    bitmap_copy(&out->cores, &node->cores_used);
    for (uint32_t g = 0; g < l->ngres; g++)
        bitmap_copy(&out->device[g], &node->gres[g].busy);
}

static void held_then(const struct sched *s, const struct cluster *c, uint32_t node, const struct near_when *w,
                      struct held *out)
{
    const struct lane *l = &s->lane[node];
    for (size_t i = 0; i < l->runs.n; i++)
        if (l->runs.at[i].to_s > w->at_s && !(w->gone && w->gone(w->arg, l->runs.at[i].id)))
            add_job(c, l->runs.at[i].id, node, out);
}

/* False: the names are not known. */
static bool find_held(const struct sched *s, const struct cluster *c, const struct need *n, uint32_t node,
                      const struct near_when *w, struct held *out)
{
    const struct lane *l = &s->lane[node];
    bool now = w->at_s <= s->now_s;
    if (l->spec)
        bitmap_or(&out->cores, &l->off);
    if (w->empty)
        return true;
    if (!now && planned_within(s, l, w->at_s, w->at_s + need_run_s(n)))
        return false;
    if (now && !w->gone)
        held_now(s, &c->node[node], out);
    else
        held_then(s, c, node, w, out);
    if (now || plan_holds(l, s->now_s, w->at_s)) {
        bitmap_or(&out->cores, &l->cores);
        for (uint32_t g = 0; g < l->ngres; g++)
            bitmap_or(&out->device[g], &l->gres_busy[g]);
    }
    if (s->shares && !w->gone) { /* cores are shared by rules of their own, devices never */
        bitmap_zero(&out->cores);
        share_cores(s, n, node, s->level, w->at_s, &out->cores);
        if (l->spec)
            bitmap_or(&out->cores, &l->off);
    }
    if (l->blocks.n)
        resv_cores_off(s, n, node, w->at_s, w->at_s + need_run_s(n), &out->cores);
    return true;
}

/* ---- what is free, by socket ---- */

static uint64_t sockets_of(const struct lane *l, const struct bitmap *cores)
{
    uint64_t mask = 0;
    bitmap_each (cores, i)
        if (i < l->ncores)
            mask |= 1ull << (i / l->per_socket);
    return mask ? mask : UINT64_MAX;
}

static uint64_t device_sockets(const struct lane *l, const struct gres_slot *slot, uint32_t i)
{
    return i < slot->nnear ? sockets_of(l, &slot->near[i]) : UINT64_MAX;
}

static void see_devices(const struct lane *l, const struct node *node, uint32_t slot, const struct bitmap *busy,
                        struct view *v)
{
    const struct gres_slot *g = &node->gres[slot];
    v->bound[slot] = true;
    for (uint32_t i = 0; i < g->count && v->ndevices < DEVICES_MAX; i++) {
        if (bitmap_has(busy, i))
            continue;
        v->device[v->ndevices].slot = slot;
        v->device[v->ndevices++].sockets = device_sockets(l, g, i);
    }
}

static bool see(const struct sched *s, const struct cluster *c, const struct need *n, uint32_t node,
                const struct near_when *w, struct view *v)
{
    const struct lane *l = &s->lane[node];
    struct held h = { 0 };
    *v = (struct view){ .nsockets = (l->ncores + l->per_socket - 1) / l->per_socket };
    bool known = find_held(s, c, n, node, w, &h);
    for (uint32_t i = 0; known && i < l->ncores; i++)
        v->cores[i / l->per_socket] += !bitmap_has(&h.cores, i);
    for (uint32_t g = 0; known && g < l->ngres; g++)
        if (c->node[node].gres[g].near && asked_for(n, &c->node[node].gres[g]))
            see_devices(l, &c->node[node], g, &h.device[g], v);
    held_clear(&h);
    uint64_t with_device = 0;
    for (uint32_t i = 0; i < v->ndevices; i++)
        with_device |= v->device[i].sockets;
    for (uint32_t i = 0; i < v->nsockets; i++)
        if (v->cores[i] && (with_device >> i & 1))
            v->usable |= 1ull << i;
    return known && v->usable;
}

/* The room that these sockets are. */
static void room_of(const struct lane *l, const struct view *v, uint64_t sockets, const struct room *r,
                    struct room *out)
{
    uint32_t cores = 0;
    uint64_t devices[GRES_MAX] = { 0 };
    *out = *r;
    for (uint32_t i = 0; i < v->nsockets; i++)
        cores += sockets >> i & 1 ? v->cores[i] : 0;
    for (uint32_t i = 0; i < v->ndevices; i++)
        devices[v->device[i].slot] += (v->device[i].sockets & sockets) != 0;
    out->cpus = MIN(r->cpus, cores * l->cpc);
    for (uint32_t g = 0; g < GRES_MAX; g++)
        if (v->bound[g])
            out->gres[g] = MIN(r->gres[g], devices[g]);
}

/* ---- which sockets ---- */

/* The next set of `size` sockets of those that can be used; 0: there are no more. */
static uint64_t next_set(const struct view *v, uint64_t after, int size)
{
    int all = __builtin_popcountll(v->usable);
    if (v->nsockets > SOCKETS_TRIED && size > 1)
        return !after && size == all ? v->usable : 0;
    uint64_t end = v->nsockets >= SOCKETS_MAX ? UINT64_MAX : (1ull << v->nsockets) - 1;
    if (size == 1 && v->nsockets > SOCKETS_TRIED) {
        uint64_t rest = after ? v->usable & ~(after | (after - 1)) : v->usable;
        return rest & -rest;
    }
    for (uint64_t m = after + 1; m <= end; m++)
        if (__builtin_popcountll(m) == size && !(m & ~v->usable))
            return m;
    return 0;
}

/* More sockets can hold more of a job whose devices come with its tasks. */
static bool grows(const struct need *n)
{
    for (uint32_t i = 0; i < n->req->ngres; i++)
        if (n->req->gres[i].count && n->req->gres[i].scope != REQ_PER_NODE && n->req->gres[i].scope != REQ_PER_SOCKET)
            return true;
    return false;
}

/* Devices with a place that it takes on a node. */
static uint64_t devices_taken(const struct need *n, const struct node *node, const struct view *v, uint32_t tasks,
                              uint32_t gpus)
{
    uint64_t taken = 0;
    for (uint32_t i = 0; i < n->req->ngres; i++)
        for (uint32_t slot = 0; slot < node->ngres && slot < GRES_MAX; slot++)
            if (v->bound[slot] && fit_slot_matches(&node->gres[slot], &n->req->gres[i])) {
                taken += fit_gres_ask(n, &n->req->gres[i], tasks, gpus);
                break;
            }
    return taken;
}

/* A device and a core on each socket, and memory for all of them. */
static bool reaches(const struct sched *s, const struct cluster *c, const struct need *n, const struct view *v,
                    const struct room *r, const struct hold *h, int sockets)
{
    if (devices_taken(n, &c->node[h->node], v, n->per_node ? n->per_node : h->tasks, h->gpus) < (uint64_t)sockets)
        return false;
    uint32_t cpus = (uint32_t)sockets * s->lane[h->node].cpc,
             gpus = fit_gpus(n, MAX(h->min_tasks, 1u), MIN(h->gpus, 1u));
    return r->cpus >= cpus && (!s->conf.by_memory || fit_mem(c, n, h->node, cpus, gpus) <= r->mem_mb);
}

/* A share of the job's devices is not known yet: it may be any part of this, which one socket holds, and several if it
 * is all. */
static bool divides(const struct need *n, const struct hold *h, int sockets)
{
    return !n->gpus || sockets == 1 || (n->target == 1 && h->gpus >= n->gpus && h->tasks >= n->tasks);
}

bool near_fit(const struct sched *s, const struct cluster *c, const struct need *n, uint32_t node,
              const struct near_when *w, const struct room *r, struct hold *out)
{
    struct view v;
    if (!near_matters(s, n, &c->node[node]))
        return true;
    if (!see(s, c, n, node, w, &v))
        return false;
    struct hold best = { 0 };
    for (int size = 1; size <= __builtin_popcountll(v.usable) && (!best.tasks || grows(n)); size++)
        for (uint64_t set = next_set(&v, 0, size); set; set = next_set(&v, set, size)) {
            struct room part;
            struct hold h;
            room_of(&s->lane[node], &v, set, r, &part);
            if (fit_node(s, c, n, node, &part, &h) && reaches(s, c, n, &v, &part, &h, size) && divides(n, &h, size) &&
                (h.tasks > best.tasks || h.gpus > best.gpus))
                best = h;
        }
    if (best.tasks)
        *out = best;
    return best.tasks > 0;
}

/* Devices asked for on this share of a node. */
static bool enough(const struct sched *s, const struct cluster *c, const struct need *n, const struct share *sh,
                   const struct room *part)
{
    for (uint32_t i = 0; i < n->req->ngres; i++) {
        const struct req_gres *g = &n->req->gres[i];
        uint64_t have = 0;
        for (uint32_t slot = 0; slot < s->lane[sh->node].ngres; slot++)
            have += fit_slot_matches(&c->node[sh->node].gres[slot], g) ? part->gres[slot] : 0;
        if (have < fit_gres_ask(n, g, n->per_node ? n->per_node : sh->tasks, sh->gpus))
            return false;
    }
    return part->cpus >= fit_cores(s, n, sh->node, sh->cpus) * s->lane[sh->node].cpc;
}

uint64_t near_choose(const struct sched *s, const struct cluster *c, const struct need *n, const struct share *sh,
                     struct room *r)
{
    struct view v;
    const struct near_when now = { .at_s = s->now_s };
    if (!near_matters(s, n, &c->node[sh->node]) || !see(s, c, n, sh->node, &now, &v))
        return 0;
    for (int size = 1; size <= __builtin_popcountll(v.usable); size++)
        for (uint64_t set = next_set(&v, 0, size); set; set = next_set(&v, set, size)) {
            struct room part;
            room_of(&s->lane[sh->node], &v, set, r, &part);
            if (!enough(s, c, n, sh, &part))
                continue;
            *r = part;
            return set;
        }
    return v.usable; /* it got less of the node than it could have: all of its cores are near to some device */
}

/* ---- what is given ---- */

void near_close(const struct lane *l, uint64_t sockets, struct bitmap *busy)
{
    for (uint32_t i = 0; i < l->ncores; i++)
        if (!(sockets >> (i / l->per_socket) & 1))
            bitmap_set(busy, i);
}

/* A socket of which it has devices and no core gives it one more. */
void near_reach(const struct sched *s, const struct cluster *c, const struct need *n, uint64_t sockets,
                const struct bitmap *busy, struct node_alloc *na)
{
    const struct lane *l = &s->lane[na->node];
    uint64_t has = bitmap_none(&na->cores) ? 0 : sockets_of(l, &na->cores);
    uint32_t more = 0;
    for (uint32_t i = 0; i < l->ncores; i++)
        if ((sockets & ~has) >> (i / l->per_socket) & 1 && !bitmap_has(busy, i) && !bitmap_has(&na->cores, i)) {
            bitmap_set(&na->cores, i);
            has |= 1ull << (i / l->per_socket);
            more += l->cpc;
        }
    if (!more)
        return;
    na->cpus += more;
    if (s->conf.by_memory && !n->mem_node_mb && n->mem_cpu_mb && !n->req->mem_all && !n->req->mem_per_gpu_mb)
        na->mem_mb = fit_mem(c, n, na->node, na->cpus, 0);
}

/* One of each of these sockets, as long as there are any to be had. */
static uint64_t one_of_each(const struct lane *l, const struct gres_slot *slot, const struct bitmap *off,
                            uint64_t sockets, uint64_t left, struct gres_share *out)
{
    for (uint32_t i = 0; i < slot->count && left && sockets; i++) {
        uint64_t its = device_sockets(l, slot, i);
        if (bitmap_has(off, i) || !(its & sockets))
            continue;
        bitmap_set(&out->index, i);
        sockets &= ~its;
        left--;
    }
    return left;
}

void near_devices(const struct lane *l, const struct gres_slot *slot, const struct bitmap *cores, uint64_t sockets,
                  const struct bitmap *off, struct gres_share *out)
{
    uint64_t left = one_of_each(l, slot, off, sockets, out->count, out), own = sockets_of(l, cores);
    for (int pass = 0; pass < 2 && left; pass++) /* those near to its cores come first */
        for (uint32_t i = 0; i < slot->count && left; i++) {
            if (bitmap_has(off, i) || bitmap_has(&out->index, i) || (pass == 0 && !(device_sockets(l, slot, i) & own)))
                continue;
            bitmap_set(&out->index, i);
            left--;
        }
}

bool near_any(const struct sched *s)
{
    for (size_t i = 0; s->nears && i < s->shapes.n; i++)
        if (s->shapes.at[i]->need.near && shape_count(s->shapes.at[i]))
            return true;
    return false;
}
