/*
 * oversub - CPUs that several jobs hold, nodes for one user, CPU limits of a partition.
 *
 * Where one of these is configured, what a node has free depends on the job that asks.  It is then computed core by
 * core from the jobs that hold the node at a time.  Other files only see that avail_for() has the answer, now and
 * later.
 *
 * A job that oversubscribes is placed by attempts, as in Slurm's cons_tres.  The levels are: 0, idle cores; 1, cores
 * that only lower tiers hold; then cores that other partitions of its tier may hold; then cores with none, one, two ...
 * jobs of its own partition.  With PreemptMode=GANG a job that does not oversubscribe may have the cores of lower
 * tiers, too.
 */
#include "sched/oversub.h"
#include "base/str.h"
#include "core/limits.h"
#include "sched/fit.h"
#include "sched/need.h"
#include "sched/profile.h"
#include "sched/resv_claim.h"
#include "sched/why.h"

/* ---- partitions ---- */

/* Jobs of the partition that may share a core; 1 without oversubscription. */
static uint32_t part_oversub_max(const char *mode)
{
    if (!str_has_iprefix(mode, "YES") && !str_has_iprefix(mode, "FORCE"))
        return 1;
    const char *colon = strchr(mode, ':');
    return colon ? MAX((uint32_t)strtoul(colon + 1, NULL, 10), 1u) : 4;
}

static const char *part_preempt_mode(const struct sched *s, const Pb__Part *p)
{
    return !str_empty(p->preempt_mode) ? p->preempt_mode : str_or(s->conf.preempt_mode, "");
}

static bool job_is_user_exclusive(const struct job *j)
{
    return j->user_exclusive || (j->spec && j->spec->req.exclusive_user);
}

static bool any_user_exclusive_job(const struct cluster *c)
{
    for (const struct job *j = c->pending.head; j; j = j->next)
        if (job_is_user_exclusive(j))
            return true;
    for (const struct job *j = c->active.head; j; j = j->next)
        if (job_is_user_exclusive(j))
            return true;
    return false;
}

/* ---- suspension by QOS ---- */

static void qos_preempts_clear(struct sched *s)
{
    for (size_t i = 0; i < s->qos_preempts.n; i++)
        bitmap_clear(&s->qos_preempts.at[i]);
    s->qos_preempts.n = 0;
}

static void qos_preempts_sync(struct sched *s, const struct cluster *c)
{
    size_t pos = 0;
    qos_preempts_clear(s);
    if (!s->conf.preempt_qos || !c->limits)
        return;
    for (const struct qos *q; (q = smap_next(&c->limits->qos, &pos, NULL));) {
        while (s->qos_preempts.n <= q->pb->id)
            vec_push(&s->qos_preempts, ((struct bitmap)BITMAP_INIT));
        const char *list = str_or(q->pb->preempt, "");
        for (char *name; (name = str_next(&list, ",")); free(name)) {
            const struct qos *other = limits_qos(c, name);
            if (other)
                bitmap_set(&s->qos_preempts.at[q->pb->id], other->pb->id);
        }
    }
}

uint32_t oversub_qos(const struct sched *s, const struct cluster *c, const struct job *j)
{
    const struct qos *q = s->qos_preempts.n ? limits_qos(c, j->spec->qos) : NULL;
    return q ? q->pb->id : 0;
}

static bool qos_may_suspend(const struct sched *s, uint32_t id, uint32_t other)
{
    return id && id < s->qos_preempts.n && bitmap_has(&s->qos_preempts.at[id], other);
}

void oversub_sync(struct sched *s, const struct cluster *c)
{
    qos_preempts_sync(s, c);
    s->part_oversub = mem_grow(s->part_oversub, MAX(c->part.n, 1u), sizeof(*s->part_oversub));
    s->by_user = any_user_exclusive_job(c);
    s->oversub = s->by_user || s->conf.gang;
    for (size_t i = 0; i < c->part.n; i++) {
        const Pb__Part *p = c->part.at[i]->pb;
        s->part_oversub[i] = (struct part_oversub){
            .max = part_oversub_max(p->oversubscribe),
            .forced = str_has_iprefix(p->oversubscribe, "FORCE"),
            .alone = str_ieq(p->oversubscribe, "EXCLUSIVE"),
            .owner = p->exclusive_user,
            .suspends = s->conf.gang && strcasestr(part_preempt_mode(s, p), "SUSPEND"),
            .tier = s->conf.preempt ? p->priority_tier : 0, /* without preemption all tiers are equal */
            .max_node = p->max_cpus_per_node,
            .max_socket = p->max_cpus_per_socket
        };
        const struct part_oversub *po = &s->part_oversub[i];
        s->by_user |= po->owner;
        s->oversub |= po->max > 1 || po->forced || po->owner || (po->max_node && po->max_node != UINT32_MAX) ||
                      (po->max_socket && po->max_socket != UINT32_MAX);
    }
}

bool oversub_user_appeared(const struct sched *s, const struct cluster *c)
{
    if (s->by_user)
        return false;
    for (size_t i = 0; i < s->changed_jobs.n; i++) {
        const struct job *j = cluster_job(c, s->changed_jobs.at[i]);
        if (j && job_is_user_exclusive(j))
            return true;
    }
    return false;
}

/* Does another partition of the same tier oversubscribe CPUs? */
static bool part_has_oversub_peers(const struct sched *s, const struct cluster *c, uint32_t part)
{
    for (size_t i = 0; i < c->part.n; i++)
        if (i != part && s->part_oversub[i].tier == s->part_oversub[part].tier &&
            (s->part_oversub[i].max > 1 || s->part_oversub[i].forced))
            return true;
    return false;
}

void need_oversub(struct need *n, const struct sched *s, const struct cluster *c)
{
    const struct part_oversub *po = s->part_oversub ? &s->part_oversub[n->part] : NULL;
    n->oversub = po && !n->req->core_spec &&
                 (po->forced || (po->max > 1 && n->req->oversubscribe && !n->req->exclusive));
    n->whole = n->req->exclusive || s->conf.by_node || (po && po->alone);
    n->exclusive = n->whole && !n->oversub;
    n->owner = n->req->exclusive_user || (po && po->owner);
    n->oversub_peers = n->oversub && part_has_oversub_peers(s, c, n->part);
    n->qos_extra = n->oversub && s->conf.gang && n->qos && n->qos < s->qos_preempts.n &&
                   !bitmap_none(&s->qos_preempts.at[n->qos]);
    n->oversub_levels = n->oversub ? po->max + 1 + n->oversub_peers + n->qos_extra
                        : s->conf.gang && s->conf.preempt && !n->exclusive ? 2
                                                                           : 1;
}

/* ---- jobs on a node at one time ---- */

struct oversub_tally {
    const struct sched_view *v;
    const struct need *n;
    const struct node_profile *prof;
    span_gone_fn *gone;
    void *arg;
    int64_t start_s;     /* when the job would start */
    uint32_t level, cap; /* jobs of its own partition per core, at most */
    bool last;           /* the last level: one job more, as its QOS allows */
    bool peers;          /* cores of other partitions of the tier may be used */
    struct bitmap blocked;
    uint16_t *own; /* by core: jobs of its own partition that oversubscribe it */
    uint16_t *held,
        *peak; /* by core: jobs of its own partition now, and the maximum over time; with MaxCPUsPerSocket */
    uint32_t blocked_cpus; /* held by jobs without core numbers */
    uint32_t own_cpus;     /* the same, of its own partition and oversubscribed */
    uint32_t part_cpus;    /* CPUs of its partition, the maximum over time */
    uint32_t unnamed_free; /* the minimum over time */
};

bool oversub_compatible(const struct sched *s, const struct need *n, const struct span *sp, int64_t start_s)
{
    if ((n->owner || sp->owner) && sp->uid != n->uid)
        return false;
    if (sp->suspended || sp->oversub == n->oversub)
        return true;
    if (n->oversub || sp->from_s > start_s) /* a job that oversubscribes does not join one that does not */
        return false;
    return sp->part == n->part || s->part_oversub[sp->part].max < 2;
}

/* Are the cores of `sp` unusable, however many jobs they have? */
static bool tally_blocked_by(const struct oversub_tally *t, const struct span *sp)
{
    const struct sched *s = t->v->s;
    uint32_t mine = s->part_oversub[t->n->part].tier, its = s->part_oversub[sp->part].tier;
    bool both = t->n->oversub && sp->oversub;
    if (!t->level || its > mine)
        return true;
    if (its < mine && s->conf.preempt_qos)
        return !s->part_oversub[sp->part].suspends || !qos_may_suspend(s, t->n->qos, sp->qos);
    if (its < mine)
        return s->conf.preempt ? !s->part_oversub[sp->part].suspends : !both;
    return !both || (sp->part != t->n->part && !t->peers);
}

static bool tally_add_span(struct oversub_tally *t, const struct span *sp, uint32_t *part_cpus)
{
    if (t->gone && t->gone(t->arg, sp->id))
        return true;
    if (!oversub_compatible(t->v->s, t->n, sp, t->start_s))
        return false;
    if (sp->part == t->n->part) {
        *part_cpus += sp->held;
        for (size_t i = 0; t->held && sp->cores && i < t->prof->ncores; i++)
            t->held[i] += bitmap_has(sp->cores, i);
    }
    bool own = t->n->oversub && sp->oversub && sp->part == t->n->part && t->level;
    if (tally_blocked_by(t, sp)) {
        if (sp->cores && !bitmap_none(sp->cores))
            bitmap_or(&t->blocked, sp->cores);
        else
            t->blocked_cpus += sp->held;
    } else if (own && sp->cores && !bitmap_none(sp->cores)) {
        uint16_t weight = t->last && !qos_may_suspend(t->v->s, t->n->qos, sp->qos)
                              ? 2
                              : 1; /* one more only beside a job that it may suspend */
        bitmap_each (sp->cores, i)
            if (i < t->prof->ncores)
                t->own[i] += weight;
    } else if (own) {
        t->own_cpus += sp->held;
    }
    return true;
}

/* Block the cores with as many jobs of the partition as allowed; count the CPUs without numbers that are left. */
static void tally_close(struct oversub_tally *t, uint32_t part_cpus)
{
    uint64_t all = t->prof->total.cpus, free = all - MIN(t->blocked_cpus, all);
    for (size_t i = 0; i < t->prof->ncores; i++)
        if (t->own[i] >= t->cap)
            bitmap_set(&t->blocked, i);
    if (t->n->oversub)
        free = MIN(free, all * t->cap - MIN(t->own_cpus, all * t->cap));
    t->unnamed_free = (uint32_t)MIN(t->unnamed_free, free);
    t->part_cpus = MAX(t->part_cpus, part_cpus);
    for (size_t i = 0; t->held && i < t->prof->ncores; i++) {
        t->peak[i] = MAX(t->peak[i], t->held[i]);
        t->held[i] = 0;
    }
}

static bool tally_at(struct oversub_tally *t, int64_t at_s)
{
    const struct node_profile *prof = t->prof;
    bool now = at_s <= t->v->s->now_s;
    uint32_t part_cpus = 0;
    t->blocked_cpus = t->own_cpus = 0;
    memset(t->own, 0, prof->ncores * sizeof(*t->own));
    for (size_t i = 0; i < prof->running.n; i++)
        if ((now || prof->running.at[i].to_s > at_s) && !tally_add_span(t, &prof->running.at[i], &part_cpus))
            return false;
    const struct span *sp;
    for (size_t i = 0; (sp = profile_next_span(t->v, prof, &i));)
        if (sp->from_s <= at_s && sp->to_s > at_s && !tally_add_span(t, sp, &part_cpus))
            return false;
    tally_close(t, part_cpus);
    return true;
}

/* ---- what is left ---- */

static bool sockets_limited(const struct sched *s, const struct need *n)
{
    uint32_t most = s->part_oversub[n->part].max_socket;
    return most && most != UINT32_MAX;
}

/* MaxCPUsPerSocket: of the cores beyond it, the last ones of the socket are blocked. */
static void tally_limit_sockets(struct oversub_tally *t)
{
    const struct node_profile *prof = t->prof;
    for (size_t from = 0; from < prof->ncores; from += prof->cores_per_socket) {
        size_t end = MIN(from + prof->cores_per_socket, prof->ncores), held = 0;
        for (size_t k = from; k < end; k++)
            held += t->peak[k];
        size_t most = t->v->s->part_oversub[t->n->part].max_socket / prof->cpus_per_core, may = most - MIN(held, most);
        for (size_t k = from; k < end; k++) {
            if (bitmap_has(&t->blocked, k))
                continue;
            if (may)
                may--;
            else
                bitmap_set(&t->blocked, k);
        }
    }
}

/* With whole-socket allocation, one core in use blocks its socket. */
static void tally_widen_to_sockets(struct oversub_tally *t)
{
    const struct node_profile *prof = t->prof;
    if (!t->v->s->conf.by_socket || !prof->cores_per_socket)
        return;
    for (size_t from = 0; from < prof->ncores; from += prof->cores_per_socket) {
        size_t end = MIN(from + prof->cores_per_socket, prof->ncores), busy = from;
        while (busy < end && !bitmap_has(&t->blocked, busy))
            busy++;
        if (busy < end)
            bitmap_set_range(&t->blocked, from, end - from);
    }
}

static uint32_t tally_cpus_left(const struct oversub_tally *t)
{
    const struct node_profile *prof = t->prof;
    uint32_t cpus = 0;
    if (prof->has_cores) {
        for (size_t i = 0; i < prof->ncores; i++)
            cpus += bitmap_has(&t->blocked, i) ? 0 : prof->cpus_per_core;
        cpus = MIN(cpus, prof->total.cpus);
    } else {
        cpus = t->unnamed_free;
    }
    return cpus;
}

static bool tally_over(struct oversub_tally *t, int64_t from_s, int64_t to_s)
{
    const struct node_profile *prof = t->prof;
    t->start_s = from_s;
    t->level = MIN(t->v->oversub_level, t->n->oversub_levels - 1);
    t->last = t->n->qos_extra && t->level == t->n->oversub_levels - 1;
    t->peers = t->n->oversub_peers && t->level > 1;
    t->cap = MAX(t->level - t->peers, 1u);
    if (prof->has_core_spec && !t->n->req->core_spec) /* a job with --core-spec needs the whole node anyway */
        bitmap_or(&t->blocked, &prof->core_spec_cores);
    t->unnamed_free = UINT32_MAX;
    auto_free uint16_t *counts = mem_array(3 * (prof->ncores + 1), sizeof(*counts));
    t->own = counts;
    if (sockets_limited(t->v->s, t->n)) {
        t->held = counts + prof->ncores + 1;
        t->peak = t->held + prof->ncores + 1;
    }
    bool fine = tally_at(t, from_s);
    const struct span *sp;
    for (size_t i = 0; fine && (sp = profile_next_span(t->v, prof, &i));)
        if (sp->from_s > from_s && sp->from_s < to_s)
            fine = tally_at(t, sp->from_s);
    if (!fine)
        return false;
    if (prof->claims.n && !t->v->unreserved)
        resv_add_busy_cores(t->v->s, t->n, (uint32_t)(prof - t->v->s->profile), from_s, MAX(to_s, from_s + 1),
                            &t->blocked);
    tally_widen_to_sockets(t);
    if (t->held && !t->n->req->core_spec) /* --core-spec: oversub_core_spec_fits() checks the sockets */
        tally_limit_sockets(t);
    return true;
}

/* ---- the same by counting, for nodes without oversubscription ---- */

enum counted { COUNTED, NOT_COUNTED, NOT_TOGETHER };

/* Count the CPUs of one more span, and those of the own partition. */
static enum counted count_add_span(const struct oversub_tally *t, const struct span *sp, uint32_t *held,
                                   uint32_t *part_cpus)
{
    if (t->gone && t->gone(t->arg, sp->id))
        return COUNTED;
    if (sp->oversub)
        return NOT_COUNTED;
    if (!oversub_compatible(t->v->s, t->n, sp, t->start_s))
        return NOT_TOGETHER;
    *held += sp->held;
    *part_cpus += sp->part == t->n->part ? sp->held : 0;
    return COUNTED;
}

static enum counted count_at(struct oversub_tally *t, int64_t at_s)
{
    const struct node_profile *prof = t->prof;
    bool now = at_s <= t->v->s->now_s;
    uint32_t held = 0, part_cpus = 0;
    enum counted got = COUNTED;
    for (size_t i = 0; got == COUNTED && i < prof->running.n; i++)
        if (now || prof->running.at[i].to_s > at_s)
            got = count_add_span(t, &prof->running.at[i], &held, &part_cpus);
    const struct span *sp;
    for (size_t i = 0; got == COUNTED && (sp = profile_next_span(t->v, prof, &i));)
        if (sp->from_s <= at_s && sp->to_s > at_s)
            got = count_add_span(t, sp, &held, &part_cpus);
    t->unnamed_free = MIN(t->unnamed_free, prof->total.cpus - MIN(held, prof->total.cpus));
    t->part_cpus = MAX(t->part_cpus, part_cpus);
    return got;
}

static enum counted count_over(struct oversub_tally *t, int64_t from_s, int64_t to_s)
{
    const struct sched *s = t->v->s;
    const struct node_profile *prof = t->prof;
    bool idle_only = t->n->oversub_levels < 2 || !t->v->oversub_level, apart = prof->claims.n || t->n->req->core_spec;
    if (t->n->oversub || !idle_only || apart || prof->oversubscribed || s->conf.by_socket || sockets_limited(s, t->n))
        return NOT_COUNTED;
    t->start_s = from_s;
    t->unnamed_free = UINT32_MAX;
    enum counted got = count_at(t, from_s);
    const struct span *sp;
    for (size_t i = 0; got == COUNTED && (sp = profile_next_span(t->v, prof, &i));)
        if (sp->from_s > from_s && sp->from_s < to_s)
            got = count_at(t, sp->from_s);
    return got;
}

static uint32_t part_cpus_left(const struct oversub_tally *t, uint32_t cpus)
{
    const struct part_oversub *po = &t->v->s->part_oversub[t->n->part];
    if (!po->max_node || po->max_node == UINT32_MAX)
        return cpus;
    return MIN(cpus, po->max_node - MIN(t->part_cpus, po->max_node));
}

bool oversub_avail(const struct sched_view *v, const struct need *n, uint32_t node, int64_t from_s, int64_t to_s,
                   span_gone_fn *gone, void *arg, struct avail *out)
{
    struct oversub_tally t = { .v = v, .n = n, .prof = &v->s->profile[node], .gone = gone, .arg = arg };
    uint32_t cpus = 0;
    switch (count_over(&t, from_s, to_s)) {
    case COUNTED: cpus = part_cpus_left(&t, t.unnamed_free); break;
    case NOT_TOGETHER: break;
    case NOT_COUNTED:
        if (tally_over(&t, from_s, to_s))
            cpus = part_cpus_left(&t, tally_cpus_left(&t));
        break;
    }
    out->cpus = MIN(cpus, out->cpus);
    bitmap_clear(&t.blocked);
    return out->cpus > 0;
}

static uint32_t oversub_part_max(const struct sched *s, const struct need *n, uint32_t node)
{
    const struct part_oversub *po = &s->part_oversub[n->part];
    const struct node_profile *prof = &s->profile[node];
    uint64_t most = po->max_node ? po->max_node : UINT32_MAX;
    if (sockets_limited(s, n) && prof->cores_per_socket) {
        uint32_t sockets = (uint32_t)((prof->ncores + prof->cores_per_socket - 1) / prof->cores_per_socket);
        most = MIN(most, (uint64_t)po->max_socket / prof->cpus_per_core * prof->cpus_per_core * sockets);
    }
    return (uint32_t)most;
}

bool oversub_core_spec_fits(const struct sched *s, const struct need *n, const struct node *node)
{
    const struct node_profile *prof = &s->profile[node->index];
    auto_bitmap struct bitmap off = BITMAP_INIT;
    core_spec_add_busy(n, node, &off);
    for (size_t from = 0; sockets_limited(s, n) && prof->cores_per_socket && from < prof->ncores;
         from += prof->cores_per_socket) {
        uint32_t cpus = 0;
        for (size_t i = from; i < MIN(from + prof->cores_per_socket, prof->ncores); i++)
            cpus += bitmap_has(&off, i) ? 0 : prof->cpus_per_core;
        if (cpus > s->part_oversub[n->part].max_socket)
            return false;
    }
    return core_spec_cpus(n, node) <= oversub_part_max(s, n, node->index);
}

void oversub_empty(const struct sched *s, const struct need *n, uint32_t node, struct avail *out)
{
    *out = s->profile[node].total;
    out->cpus = MIN(out->cpus, oversub_part_max(s, n, node));
}

void oversub_cores(const struct sched_view *v, const struct need *n, uint32_t node, int64_t from_s, struct bitmap *busy)
{
    struct oversub_tally t = { .v = v, .n = n, .prof = &v->s->profile[node] }, by_count = t;
    int64_t to_s = from_s + need_run_s(n);
    if (count_over(&by_count, from_s, to_s) == COUNTED)
        to_s = from_s; /* the cores of planned starts are not fixed: enough of them will be free */
    if (tally_over(&t, from_s, to_s))
        bitmap_or(busy, &t.blocked);
    bitmap_clear(&t.blocked);
}

/* A planned start gets cores, too: those that the job would get at that time. */
const struct bitmap *oversub_trial_cores(struct sched *s, const struct need *n, const struct node_part *np,
                                         uint32_t level, int64_t at_s)
{
    const struct node_profile *prof = &s->profile[np->node];
    if (!prof->has_cores)
        return NULL;
    auto_bitmap struct bitmap busy = BITMAP_INIT;
    struct bitmap *cores = NEW(struct bitmap);
    struct sched_view v = view_now(s);
    v.oversub_level = level;
    oversub_cores(&v, n, np->node, at_s, &busy);
    uint32_t left = fit_cores(s, n, np->node, MAX(np->cpus, n->req->mincpus)); /* cores needed */
    for (size_t i = 0; i < prof->ncores && left; i++)
        if (!bitmap_has(&busy, i)) {
            bitmap_set(cores, i);
            left--;
        }
    vec_push(&s->trial_cores, cores);
    return cores;
}

void oversub_cores_take(struct sched *s, const struct bitmap *cores)
{
    for (size_t i = s->trial_cores.n; i-- > 0;)
        if (s->trial_cores.at[i] == cores) {
            vec_remove(&s->trial_cores, i);
            return;
        }
}

void oversub_cores_free(const struct bitmap *cores)
{
    struct bitmap *own = (struct bitmap *)(uintptr_t)cores;
    bitmap_clear(own);
    free(own);
}

void oversub_clear(struct sched *s)
{
    oversub_drop_trials(s);
    qos_preempts_clear(s);
    vec_clear(&s->qos_preempts);
    vec_clear(&s->trial_cores);
    free(s->part_oversub);
    s->part_oversub = NULL;
}

void oversub_drop_trials(struct sched *s)
{
    for (size_t i = 0; i < s->trial_cores.n; i++) {
        bitmap_clear(s->trial_cores.at[i]);
        free(s->trial_cores.at[i]);
    }
    s->trial_cores.n = 0;
}
