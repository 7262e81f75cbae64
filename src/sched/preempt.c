/*
 * preempt - which jobs must be preempted so that a more important one can start.
 *
 * Candidates are ordered: the lowest tier (or QOS priority) first, then the smaller job, then the one that started
 * last; with youngest_first, the one that started last comes first.  The shortest prefix of that order that frees
 * enough is found by bisection; then every job in it that turns out not to be needed is spared.  No job is preempted
 * for one that would not start then.  For a heterogeneous job all components must fit, on nodes of their own.
 */
#include "base/str.h"
#include "core/het.h"
#include "core/limits.h"
#include "sched/fit.h"
#include "sched/gres_bind.h"
#include "sched/license.h"
#include "sched/need.h"
#include "sched/oversub.h"
#include "sched/profile.h"
#include "sched/resv_claim.h"
#include "sched/why.h"

struct victim {
    const struct job *job;
    uint32_t importance, size; /* tier or QOS priority; nodes */
    bool young_first;
};

struct preempt_want { /* a job, or a component */
    const struct need *need;
    struct need own; /* for a further component */
    struct pick pick;
};

struct preempt_search {
    struct sched *s;
    const struct cluster *c;
    struct preempt_want want[HET_MAX];
    uint32_t nwant, tier;
    bool for_licenses;       /* licences are lacking: preempt jobs for them, too */
    const struct need *need; /* of the component being tested */
    VEC(struct victim) v;
    struct map index;            /* job id -> 1 + index in v */
    size_t prefix;               /* victims before this index are removed ... */
    const struct victim *spared; /* ... except this one */
};

/* ---- candidates ---- */

static uint32_t tier_of(const struct cluster *c, const struct job *j)
{
    const struct part *p = cluster_part(c, j->partition);
    return p ? p->pb->priority_tier : 0;
}

static const struct qos *qos_of(const struct cluster *c, const struct job *j)
{
    return limits_qos(c, j->spec->qos);
}

const char *preempt_mode(const struct sched *s, const struct cluster *c, const struct job *v)
{
    const struct part *p = cluster_part(c, v->partition);
    const struct qos *q = s->conf.preempt_qos ? qos_of(c, v) : NULL;
    if (s->conf.preempt_qos)
        return q && !str_empty(q->pb->preempt_mode) && !str_ieq(q->pb->preempt_mode, "cluster") ? q->pb->preempt_mode
                                                                                                : s->conf.preempt_mode;
    return p && !str_empty(p->pb->preempt_mode) ? p->pb->preempt_mode : s->conf.preempt_mode;
}

static bool victim_may_go(const struct sched *s, const struct cluster *c, const struct job *v)
{
    const char *mode = preempt_mode(s, c, v);
    return strcasestr(mode, "CANCEL") || strcasestr(mode, "REQUEUE");
}

/* By QOS: the job's QOS lists the victim's; or both have the same QOS and the job has the higher priority, with WITHIN.
 */
static bool qos_preempts(const struct sched *s, const struct cluster *c, const struct job *j, const struct job *v)
{
    const struct qos *qos = qos_of(c, j), *victim_qos = qos_of(c, v);
    if (!qos || !victim_qos)
        return false;
    if (qos != victim_qos)
        return str_in_list(str_or(qos->pb->preempt, ""), victim_qos->pb->name);
    bool within = strcasestr(s->conf.preempt_mode, "WITHIN") ||
                  strcasestr(str_or(victim_qos->pb->preempt_mode, ""), "WITHIN");
    return within && job_priority(j) > job_priority(v);
}

static int64_t exempt_s(const struct sched *s, const struct cluster *c, const struct job *v)
{
    const struct qos *q = qos_of(c, v);
    return q && q->pb->has_exempt ? q->pb->exempt_s : s->conf.preempt_exempt_s;
}

/* A node of one user stays so; but a job that holds its node exclusively can be preempted. */
static bool users_conflict(const struct need *n, const struct job *v)
{
    return (n->owner || v->user_exclusive) && v->uid != n->uid && !(job_alone(v) && !v->user_exclusive);
}

/* The reservation admitted the victim on condition that it leaves when a job of the reservation needs the nodes. */
static bool victim_gives_way(const struct need *n, const struct job *v)
{
    return n->resv && !v->resv && resv_admits_preemptible(n->resv, &v->spec->req);
}

static bool victim_eligible(const struct preempt_search *f, const struct job *j, const struct job *v)
{
    const struct sched *s = f->s;
    if (v->state != JOB_RUNNING || users_conflict(f->need, v))
        return false;
    if (victim_gives_way(f->need, v))
        return true;
    if (!victim_may_go(s, f->c, v))
        return false;
    if (s->conf.preempt_qos ? !qos_preempts(s, f->c, j, v) : tier_of(f->c, v) >= f->tier)
        return false;
    if (strcasestr(s->conf.preempt_mode, "PRIORITY") && job_priority(j) <= job_priority(v))
        return false;
    if (s->conf.min_exempt_priority && job_priority(v) >= s->conf.min_exempt_priority)
        return false;
    return s->now_s - v->start_s >= exempt_s(s, f->c, v);
}

/* Preempting a component ends its whole set: all components must be eligible. */
static bool victim_set_eligible(const struct preempt_search *f, const struct job *j, const struct job *v)
{
    const struct job *leader = v->het_job ? cluster_job(f->c, v->het_job) : NULL;
    for (uint32_t i = 0; leader && i < leader->het_size; i++) {
        const struct job *p = i ? het_part(f->c, leader, i) : leader;
        if (p && p != v && p->state == JOB_RUNNING && !victim_eligible(f, j, p))
            return false;
    }
    return victim_eligible(f, j, v);
}

static int cmp_victim(const void *a, const void *b)
{
    const struct victim *x = a, *y = b;
    if (!x->young_first) {
        if (x->importance != y->importance)
            return x->importance < y->importance ? -1 : 1;
        if (x->size != y->size)
            return x->size < y->size ? -1 : 1;
    }
    if (x->job->start_s != y->job->start_s)
        return x->job->start_s > y->job->start_s ? -1 : 1;
    return x->job->id > y->job->id ? -1 : x->job->id < y->job->id;
}

static struct victim victim_of(const struct preempt_search *f, const struct job *v)
{
    const struct qos *q = f->s->conf.preempt_qos ? qos_of(f->c, v) : NULL;
    return (struct victim){ v, q ? q->pb->priority : tier_of(f->c, v), v->alloc.n, f->s->conf.youngest_first };
}

static void find_victims(struct preempt_search *f, const struct job *j)
{
    for (const struct job *v = f->c->active.head; v; v = v->next)
        if (victim_set_eligible(f, j, v))
            vec_push(&f->v, victim_of(f, v));
    if (f->v.n)
        qsort(f->v.at, f->v.n, sizeof(*f->v.at), cmp_victim);
    for (size_t i = 0; i < f->v.n; i++)
        map_put(&f->index, f->v.at[i].job->id, (void *)(i + 1));
}

/* ---- tests without the victims ---- */

static bool victim_removed(const struct preempt_search *f, uint32_t id)
{
    size_t at = (size_t)(uintptr_t)map_get(&f->index, id);
    return at && at <= f->prefix && &f->v.at[at - 1] != f->spared;
}

/* Jobs that are completing, and the victims, count as gone. */
static bool span_gone(void *arg, uint32_t id)
{
    const struct preempt_search *f = arg;
    const struct running_job *rj = map_get(&f->s->running, id);
    return victim_removed(f, id) || (rj && rj->end_s <= f->s->now_s);
}

static void avail_without_victims(struct preempt_search *f, uint32_t node, struct avail *out)
{
    const struct sched_view v = view_now(f->s);
    const struct node_profile *prof = &f->s->profile[node];
    *out = prof->total;
    for (size_t i = 0; i < prof->running.n; i++)
        if (prof->running.at[i].to_s > f->s->now_s && !victim_removed(f, prof->running.at[i].id))
            avail_subtract(out, &prof->running.at[i]);
    for (size_t i = 0; i < prof->trials.n; i++)
        if (prof->trials.at[i].from_s <= f->s->now_s)
            avail_subtract(out, &prof->trials.at[i]);
    if (f->s->oversub)
        oversub_avail(&v, f->need, node, f->s->now_s, f->s->now_s, span_gone, f, out);
}

/* On nodes of `among` (NULL: any) that no other component uses; the nodes taken are added to `used`. */
static bool want_fits(struct preempt_search *f, struct preempt_want *w, const struct bitmap *among, struct bitmap *used)
{
    const struct sched_view v = view_now(f->s);
    VEC(struct node_fit) holds = { 0 };
    f->need = w->need;
    if (f->for_licenses && !license_fits_without(f->s, f->c, w->need, span_gone, f))
        return false;
    bitmap_each (&w->need->allowed, i) {
        struct avail av;
        struct node_fit nf;
        if ((among && !bitmap_has(among, i)) || bitmap_has(used, i) || i >= f->s->nprofiles ||
            !f->s->profile[i].usable ||
            ((f->s->profile[i].claims.n || f->need->resv) && resv_closed(f->s, f->need, (uint32_t)i)))
            continue;
        avail_without_victims(f, (uint32_t)i, &av);
        const struct gres_bind_when then = { .at_s = f->s->now_s, .gone = span_gone, .arg = f };
        if (!fit_excluded(f->s, f->need, &av) && fit_node(f->s, f->c, f->need, (uint32_t)i, &av, &nf) &&
            (!f->need->gres_bind || gres_bind_fit(&v, f->c, f->need, (uint32_t)i, &then, &av, &nf)))
            vec_push(&holds, nf);
    }
    bool found = pick_nodes(f->s, f->c, f->need, f->s->now_s, holds.at, holds.n, &w->pick);
    vec_clear(&holds);
    for (size_t i = 0; found && i < w->pick.at.n; i++)
        bitmap_set(used, w->pick.at.at[i].node);
    return found;
}

static bool preempt_fits(struct preempt_search *f, const struct bitmap *among)
{
    auto_bitmap struct bitmap used = BITMAP_INIT;
    bool all = true;
    for (uint32_t i = 0; all && i < f->nwant; i++)
        all = want_fits(f, &f->want[i], among, &used);
    return all;
}

/* Length of the shortest prefix of victims that frees enough; 0: none does, or none is needed. */
static size_t shortest_prefix(struct preempt_search *f)
{
    f->prefix = f->v.n;
    if (!f->v.n || !preempt_fits(f, NULL))
        return 0;
    size_t lo = 0, hi = f->v.n; /* lo: not sufficient, or not tested; hi: sufficient */
    f->prefix = 0;
    if (preempt_fits(f, NULL))
        return 0; /* jobs that are completing free enough: wait for them */
    while (hi - lo > 1) {
        f->prefix = lo + (hi - lo) / 2;
        if (preempt_fits(f, NULL))
            hi = f->prefix;
        else
            lo = f->prefix;
    }
    f->prefix = hi;
    return preempt_fits(f, NULL) ? hi : 0;
}

static bool on_nodes(const struct job *v, const struct bitmap *nodes)
{
    for (uint32_t i = 0; i < v->alloc.n; i++)
        if (!v->alloc.at[i].done && bitmap_has(nodes, v->alloc.at[i].node))
            return true;
    return false;
}

/* Keep only the victims that are needed for the nodes of the pick. */
static void report_victims(struct preempt_search *f, const struct job *j, struct plan *out)
{
    auto_bitmap struct bitmap nodes = BITMAP_INIT;
    for (uint32_t k = 0; k < f->nwant; k++)
        for (size_t i = 0; i < f->want[k].pick.at.n; i++)
            bitmap_set(&nodes, f->want[k].pick.at.at[i].node);
    for (size_t i = 0; i < f->prefix; i++) {
        f->spared = &f->v.at[i];
        bool apart = !on_nodes(f->v.at[i].job, &nodes) && !(f->for_licenses && f->v.at[i].job->licenses.n);
        if (apart || preempt_fits(f, &nodes)) {
            map_put(&f->index, f->v.at[i].job->id, NULL); /* spared */
            continue;
        }
        const struct job *v = f->v.at[i].job;
        const char *mode = victim_gives_way(f->need, v) ? "REQUEUE" : preempt_mode(f->s, f->c, v);
        vec_push(&out->preempts, ((struct sched_preempt){ (struct job *)(uintptr_t)v, j->id, mode }));
    }
    f->spared = NULL;
}

/* ---- the job that wants to start ---- */

static bool want_possible(const struct sched *s, const struct cluster *c, const struct need *n)
{
    if (n->topo_exclusive) /* all other jobs in its blocks would have to be preempted */
        return false;
    /* jobs are preempted for a licence only if the site says so, and never for one of several alternatives */
    return !license_lacks(s, c, n, s->now_s) || (s->conf.reclaim_licenses && !n->req->licenses.any);
}

/* A component in the first of its partitions that can run it. */
static bool add_component(struct preempt_search *f, const struct job *j)
{
    struct preempt_want *w = &f->want[f->nwant];
    const char *pos = j->partition;
    bool found = false;
    for (char *name; !found && (name = str_next(&pos, ",")); free(name)) {
        const struct part *part = cluster_part(f->c, name);
        if (!part)
            continue;
        need_init(&w->own, f->s, f->c, &j->spec->req, j, part);
        found = need_unschedulable(f->s, f->c, &w->own) == WHY_NONE && want_possible(f->s, f->c, &w->own) &&
                !w->own.req->licenses.n;
        if (!found)
            need_clear(&w->own);
        else
            f->tier = MIN(f->tier, part->pb->priority_tier);
    }
    w->need = &w->own;
    f->nwant += found;
    return found;
}

static bool add_wants(struct preempt_search *f, const struct job_class *cls, const struct job *j)
{
    bool all = want_possible(f->s, f->c, &cls->need) && !(cls->het && cls->need.req->licenses.n);
    f->tier = cls->tier;
    f->need = f->want[0].need = &cls->need;
    f->nwant = 1;
    f->for_licenses = license_lacks(f->s, f->c, &cls->need, f->s->now_s);
    for (uint32_t i = 1; all && cls->het && i < j->het_size && i < HET_MAX; i++) {
        const struct job *part = het_part(f->c, j, i);
        all = part && add_component(f, part);
    }
    return all;
}

bool preempt_for(struct sched *s, const struct cluster *c, const struct job_class *cls, const struct job *j,
                 struct plan *out)
{
    if (!s->conf.preempt)
        return false;
    struct preempt_search f = { .s = s, .c = c };
    size_t before = out->preempts.n;
    if (add_wants(&f, cls, j)) {
        find_victims(&f, j);
        if (shortest_prefix(&f))
            report_victims(&f, j, out);
    }
    vec_clear(&f.v);
    map_clear(&f.index);
    for (uint32_t i = 0; i < f.nwant; i++) {
        vec_clear(&f.want[i].pick.at);
        if (i)
            need_clear(&f.want[i].own);
    }
    return out->preempts.n > before;
}
