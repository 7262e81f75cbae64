/*
 * trial - what a cycle writes to the node profiles: starts, and planned starts that are being tried.
 *
 * Trials are removed when the next cycle begins.  A planned start that is kept moves its spans out of the trials
 * (planned_start.c).
 */
#include "sched/fit.h"
#include "sched/fit_cache.h"
#include "sched/gres_bind.h"
#include "sched/license.h"
#include "sched/need.h"
#include "sched/oversub.h"
#include "sched/profile.h"
#include "sched/topo.h"

void trial_add(struct sched *s, const struct cluster *c, const struct need *n, const struct pick *p, int64_t at_s,
               uint32_t id)
{
    const struct sched_view v = view_now(s);
    if (n->req->licenses.n)
        license_trial_add(s, c, n, at_s, id);
    if (n->topo_exclusive) {
        auto_bitmap struct bitmap own = BITMAP_INIT;
        for (size_t i = 0; i < p->at.n; i++)
            bitmap_set(&own, p->at.at[i].node);
        topo_exclude_trial(s, c, n, &own, at_s, id);
    }
    for (size_t i = 0; i < p->at.n; i++) {
        const struct node_part *np = &p->at.at[i];
        struct node_profile *prof = &s->profile[np->node];
        struct avail av;
        avail_over(&v, n, np->node, at_s, at_s + need_run_s(n), &av);
        struct span sp = { .from_s = at_s,
                           .to_s = at_s + need_run_s(n),
                           .id = id,
                           .resv = need_resv_id(n),
                           .cpus = MAX(s->conf.by_core ? np->cpus
                                                       : fit_cores(s, n, np->node, np->cpus) * prof->cpus_per_core,
                                       n->req->mincpus),
                           .exclusive = n->exclusive || (n->gres_bind && gres_bind_applies(s, n, &c->node[np->node])),
                           .mem_mb = s->conf.by_memory ? np->mem_mb : 0 };
        if (s->oversub) {
            sp.held = sp.cpus, sp.cpus = 0, sp.part = n->part, sp.uid = n->uid, sp.oversub = n->oversub,
            sp.owner = n->owner;
            sp.qos = n->qos;
            sp.cores = oversub_trial_cores(s, n, np, p->level, at_s);
        }
        assign_gres_counts(s, c, n, np, &av, sp.gres);
        vec_push(&prof->trials, sp);
        vec_push(&s->touched, np->node);
        point_add_end(s, np->node, sp.to_s);
    }
}

/* Remove the last trial from the node; false when it belongs to another job. */
static bool trial_undo(struct sched *s, uint32_t node, uint32_t id, int64_t to_s)
{
    struct node_profile *prof = &s->profile[node];
    if (!prof->trials.n || prof->trials.at[prof->trials.n - 1].id != id || !s->touched.n)
        return false;
    prof->trials.n--;
    s->touched.n--;
    for (size_t m = s->points.n; m-- > 0;)
        if (s->points.at[m].at_s == to_s && s->points.at[m].node == node) {
            vec_remove(&s->points, m);
            break;
        }
    return true;
}

void trial_remove(struct sched *s, const struct need *n, const struct pick *p, int64_t at_s, uint32_t id)
{
    int64_t to_s = at_s + need_run_s(n);
    if (n->req->licenses.n)
        license_trial_undo(s, id);
    for (size_t i = p->at.n; i-- > 0;)
        trial_undo(s, p->at.at[i].node, id, to_s);
    while (n->topo_exclusive && s->touched.n && trial_undo(s, s->touched.at[s->touched.n - 1], id, to_s))
        ; /* exclusions of its blocks were added before its own nodes */
}

/* A start of the last cycle may not have happened: what it took is free again. */
static void profile_reread(struct sched *s, const struct cluster *c, uint32_t node)
{
    struct avail was = s->profile[node].now;
    profile_refresh(s, c, node);
    const struct avail *is = &s->profile[node].now;
    bool more = is->cpus > was.cpus || is->mem_mb > was.mem_mb || is->jobs < was.jobs || is->exclusive < was.exclusive;
    for (uint32_t g = 0; g < GRES_MAX; g++)
        more |= is->gres[g] > was.gres[g];
    s->free_count += more;
    if (more)
        fit_cache_note_freed(s, node);
}

void trials_reset(struct sched *s, const struct cluster *c)
{
    for (size_t i = 0; i < s->touched.n; i++)
        if (s->touched.at[i] < c->nnodes && s->touched.at[i] < s->nprofiles)
            profile_reread(s, c, s->touched.at[i]);
    s->touched.n = s->points.n = 0;
    licenses_reset(s);
    if (s->trial_cores.n)
        oversub_drop_trials(s);
    s->planned_queue_valid = false;
    s->planned_ahead = s->node_tests = 0;
    s->full_test_nodes = s->planned_kept = 0;
    s->planned_pass++;
}
