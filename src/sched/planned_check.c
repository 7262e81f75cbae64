/*
 * planned_check - no job starts at the cost of a planned start that comes before it.
 *
 * That a job fits beside the planned starts is found by counting.  Where cores have numbers, because they are
 * oversubscribed or reserved, the count can be sufficient and the cores not.  Then a start is tried with the cores it
 * would get, and every planned start that counts for it must still hold, on its nodes, at its time.
 */
#include "sched/license.h"
#include "sched/planned.h"
#include "sched/profile.h"
#include "sched/topo.h"

/* Is what was promised of one node still free, from the beginning to the end? */
static bool planned_span_holds(const struct sched_view *v, const struct need *n, const struct planned_span *pspan)
{
    const struct span *sp = &pspan->span;
    int64_t from_s = MAX(sp->from_s, v->s->now_s + 1);
    struct avail av;
    if (sp->topo_exclusion)
        return !topo_node_in_use(v, n, pspan->node, from_s);
    if (!avail_over(v, n, pspan->node, from_s, sp->to_s, &av) || (n->exclusive ? av.jobs > 0 : av.exclusive > 0))
        return false;
    for (uint32_t g = 0; g < GRES_MAX; g++)
        if (av.gres[g] < sp->gres[g])
            return false;
    uint32_t cpus = n->req->core_spec ? v->s->profile[pspan->node].total.cpus : sp->cpus + sp->held;
    return av.cpus >= cpus && av.mem_mb >= sp->mem_mb;
}

bool planned_holds(struct sched *s, const struct planned_start *ps)
{
    bool holds = true;
    const struct sched_view v = { s, ps->at, OVERSUB_LEVEL_ALL, false };
    for (size_t i = 0; holds && i < ps->spans.n && !ps->cls->het; i++) /* each component has a need of its own */
        holds = planned_span_holds(&v, &ps->cls->need, &ps->spans.at[i]);
    return holds;
}

bool planned_can_keep(struct sched *s, const struct cluster *c, const struct planned_start *ps)
{
    const struct need *n = &ps->cls->need;
    if (ps->at_s <= s->now_s || !ps->parts.n || ps->cls->het || license_lacks(s, c, n, ps->at_s))
        return false;
    for (size_t i = 0; i < ps->parts.n; i++)
        if (!bitmap_has(&n->allowed, ps->parts.at[i].node))
            return false;
    return planned_holds(s, ps);
}

/* Planned starts that count and use these nodes, each with whether it held before the trial. */
struct planned_watch {
    const struct planned_start *planned;
    bool holds;
};
struct planned_watches {
    struct planned_watch *at;
    size_t n, cap;
};

static void planned_watch_node(struct sched *s, uint32_t node, struct planned_watches *w)
{
    const struct node_profile *prof = &s->profile[node];
    for (size_t i = 0; i < prof->planned.n; i++) {
        const struct planned_start *ps = prof->planned.at[i].planned;
        size_t k = 0;
        while (k < w->n && w->at[k].planned != ps)
            k++;
        if (ps->at < s->planned_ahead && k == w->n)
            vec_push(w, ((struct planned_watch){ ps, planned_holds(s, ps) }));
    }
}

static bool planned_all_hold(struct sched *s, const struct planned_watches *w)
{
    for (size_t i = 0; i < w->n; i++)
        if (w->at[i].holds && !planned_holds(s, w->at[i].planned))
            return false;
    return true;
}

bool planned_check_start(struct sched *s, const struct trial_start *t, size_t n)
{
    struct planned_watches w = { 0 };
    bool plain = s->incremental;
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < t[i].alloc->n && s->planned_ahead; k++)
            plain &= !s->profile[t[i].alloc->at[k].node].claims.n;
    for (size_t i = 0; i < n && s->planned_ahead && !plain; i++)
        for (uint32_t k = 0; k < t[i].alloc->n; k++)
            planned_watch_node(s, t[i].alloc->at[k].node, &w);
    if (!w.n)
        return true;
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < t[i].alloc->n; k++) {
            const struct node_alloc *na = &t[i].alloc->at[k];
            vec_push(&s->profile[na->node].trials, profile_span(s, na, t[i].need, s->now_s, t[i].id));
        }
    bool fine = planned_all_hold(s, &w);
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < t[i].alloc->n; k++)
            s->profile[t[i].alloc->at[k].node].trials.n--;
    vec_clear(&w);
    return fine;
}
