/*
 * node_profile - what each node has, kept beside the cluster so that a cycle can take from it.
 *
 * A profile is read again from the cluster when a job on its node changed, when a cycle wrote to it, or when anything
 * may have changed.  It holds nothing that the cluster does not say.
 */
#include "core/core_spec.h"
#include "sched/license.h"
#include "sched/need.h"
#include "sched/planned.h"
#include "sched/profile.h"
#include "sched/resv_claim.h"
#include "sched/topo.h"

static void profile_read_units(const struct sched *s, struct node_profile *prof, const struct node *n)
{
    uint32_t cores = n->boards * n->sockets * n->cores;
    prof->cpus_per_core = MAX(n->cpus / MAX(cores, 1u), 1u);
    prof->alloc_unit_cpus = s->conf.by_socket ? prof->cpus_per_core * MAX(n->cores, 1u) : prof->cpus_per_core;
    prof->has_cores = cores > 0;
    prof->cores_per_socket = MAX(n->cores, 1u);
    prof->ncores = cores;
    prof->has_core_spec = n->def && n->def->core_spec;
    if (prof->has_core_spec) {
        bitmap_zero(&prof->core_spec_cores);
        core_spec_of_node(n, &prof->core_spec_cores);
    }
}

static void profile_read_capacity(struct sched *s, struct node_profile *prof, const struct node *n)
{
    profile_read_units(s, prof, n);
    prof->ngres = MIN(n->ngres, (uint32_t)GRES_MAX);
    prof->usable = node_usable(n);
    uint32_t spec = n->def ? n->def->core_spec * prof->cpus_per_core : 0;
    uint64_t mem_spec = n->def ? n->def->mem_spec_mb : 0;
    prof->total = (struct avail){ .cpus = n->cpus - MIN(spec, n->cpus),
                                  .mem_mb = n->mem_mb - MIN(mem_spec, n->mem_mb) };
    for (uint32_t g = 0; g < prof->ngres; g++)
        prof->total.gres[g] = n->gres[g].count;
}

static void profile_read_use(struct sched *s, struct node_profile *prof, const struct node *n)
{
    prof->now = prof->total;
    prof->oversubscribed = n->more > 0;
    uint32_t used = node_busy_cpus(n);
    if (!n->more)
        used = MAX(used, (uint32_t)bitmap_count(&n->cores_used) * prof->cpus_per_core);
    if (!s->oversub) /* else it depends on the need */
        prof->now.cpus -= MIN(used, prof->now.cpus);
    prof->now.mem_mb -= MIN(n->mem_used_mb, prof->now.mem_mb);
    prof->now.jobs = n->jobs - n->lent_jobs;
    prof->now.exclusive = n->exclusive_jobs;
    if (s->ntopo_exclusive)
        topo_exclude_now(prof);
    for (uint32_t g = 0; g < prof->ngres; g++)
        prof->now.gres[g] -= MIN(n->gres[g].used, prof->now.gres[g]);
}

/* The larger of what is free now and what the running jobs and trials leave. */
static void profile_read_headroom(struct sched *s, uint32_t i)
{
    const struct node_profile *prof = &s->profile[i];
    struct avail left = prof->total;
    for (size_t k = 0; k < prof->running.n; k++)
        avail_subtract(&left, &prof->running.at[k]);
    for (size_t k = 0; k < prof->trials.n; k++)
        if (prof->trials.at[k].from_s <= s->now_s)
            avail_subtract(&left, &prof->trials.at[k]);
    struct headroom now = headroom_of(prof->now.cpus, prof->now.mem_mb, prof->now.gres),
                    known = headroom_of(left.cpus, left.mem_mb, left.gres);
    s->headroom[i] = (struct headroom){ MAX(now.cpus, known.cpus), MAX(now.gres, known.gres),
                                        MAX(now.mem_mb, known.mem_mb) };
}

static void profile_mark_open(struct sched *s, uint32_t i)
{
    profile_read_headroom(s, i);
    const struct node_profile *prof = &s->profile[i];
    if (prof->usable && prof->now.cpus && (!prof->now.exclusive || s->oversub))
        bitmap_set(&s->open, i);
    else
        bitmap_unset(&s->open, i);
}

void profile_refresh(struct sched *s, const struct cluster *c, uint32_t i)
{
    struct node_profile *prof = &s->profile[i];
    profile_read_capacity(s, prof, &c->node[i]);
    profile_read_use(s, prof, &c->node[i]);
    bitmap_zero(&prof->taken_cores);
    for (uint32_t g = 0; g < GRES_MAX; g++)
        bitmap_zero(&prof->taken_gres[g]);
    prof->trials.n = 0;
    profile_mark_open(s, i);
}

static void profile_free(struct node_profile *prof)
{
    bitmap_clear(&prof->taken_cores);
    bitmap_clear(&prof->core_spec_cores);
    for (uint32_t g = 0; g < GRES_MAX; g++)
        bitmap_clear(&prof->taken_gres[g]);
    resv_claims_clear(prof);
    vec_clear(&prof->running);
    vec_clear(&prof->trials);
    vec_clear(&prof->planned);
}

void profiles_clear(struct sched *s)
{
    for (size_t i = 0; i < s->nprofiles; i++)
        profile_free(&s->profile[i]);
    free(s->profile);
    free(s->headroom);
    s->profile = NULL;
    s->headroom = NULL;
    s->nprofiles = 0;
    running_clear(s);
    licenses_clear(s);
    bitmap_clear(&s->open);
    vec_clear(&s->touched);
    vec_clear(&s->points);
    vec_clear(&s->freed_nodes);
    bitmap_clear(&s->freed_node_set);
}

void profiles_sync(struct sched *s, const struct cluster *c)
{
    if (s->nprofiles < c->nnodes) {
        s->profile = mem_grow(s->profile, c->nnodes, sizeof(*s->profile));
        memset(s->profile + s->nprofiles, 0, (c->nnodes - s->nprofiles) * sizeof(*s->profile));
        s->headroom = mem_grow(s->headroom, c->nnodes, sizeof(*s->headroom));
        s->nprofiles = c->nnodes;
    }
    licenses_sync(s, c);
    s->same_weight = true;
    for (uint32_t i = 0; i < c->nnodes; i++) {
        profile_refresh(s, c, i);
        s->same_weight &= c->node[i].weight == c->node[0].weight;
    }
    if (s->nresv || c->resv.n)
        resv_sync(s, c);
}

/* ---- starts of this cycle ---- */

uint32_t profile_cpus_taken(const struct sched *s, const struct node_profile *prof, const struct node_alloc *na)
{
    return s->conf.by_core ? na->cpus : MAX(na->cpus, (uint32_t)bitmap_count(&na->cores) * prof->cpus_per_core);
}

struct span profile_span(const struct sched *s, const struct node_alloc *na, const struct need *n, int64_t from_s,
                         uint32_t id)
{
    struct span sp = { .from_s = from_s,
                       .to_s = from_s + need_run_s(n),
                       .id = id,
                       .resv = need_resv_id(n),
                       .cpus = profile_cpus_taken(s, &s->profile[na->node], na),
                       .mem_mb = na->mem_mb,
                       .exclusive = n->exclusive };
    sp.cores = &na->cores;
    if (s->oversub) {
        sp.held = sp.cpus, sp.cpus = 0, sp.part = n->part, sp.uid = n->uid, sp.oversub = n->oversub,
        sp.owner = n->owner;
        sp.qos = n->qos;
    }
    for (uint32_t g = 0; g < na->ngres; g++)
        sp.gres[na->gres[g].slot] += na->gres[g].count;
    return sp;
}

void profile_start(struct sched *s, const struct alloc *a, const struct need *n, int64_t from_s, uint32_t id)
{
    if (n->req->licenses.n)
        license_trial_add(s, s->cluster, n, from_s, id);
    for (uint32_t i = 0; i < a->n; i++) {
        const struct node_alloc *na = &a->at[i];
        struct node_profile *prof = &s->profile[na->node];
        struct span sp = profile_span(s, na, n, from_s, id);
        prof->now.cpus -= MIN(sp.cpus, prof->now.cpus);
        prof->now.mem_mb -= MIN(na->mem_mb, prof->now.mem_mb);
        prof->now.jobs++;
        prof->now.exclusive += n->exclusive;
        bitmap_or(&prof->taken_cores, &na->cores);
        for (uint32_t g = 0; g < na->ngres; g++) {
            uint32_t slot = na->gres[g].slot;
            prof->now.gres[slot] -= MIN(na->gres[g].count, prof->now.gres[slot]);
            bitmap_or(&prof->taken_gres[slot], &na->gres[g].index);
        }
        vec_push(&prof->trials, sp);
        vec_push(&s->touched, na->node);
        point_add_release(s, na->node, &sp);
        profile_mark_open(s, na->node);
        planned_check_node(s, na->node, s->planned_ahead);
    }
    if (n->topo_exclusive) {
        auto_bitmap struct bitmap own = BITMAP_INIT;
        for (uint32_t i = 0; i < a->n; i++)
            bitmap_set(&own, a->at[i].node);
        topo_exclude_trial(s, s->cluster, n, &own, from_s, id);
    }
}
