/*
 * guard - nobody starts at the cost of a planned start that comes before its own.
 *
 * That there is room beside what is planned is found by counting.  Where cores have names, because they are shared or
 * reserved, a count may be enough and the very cores are not: then a start is tried with what it would really get, and
 * each planned start that counts for it must stand as before, on its own nodes, at its own moment.
 */
#include "sched/sched_priv.h"

/* Is what it was promised of one node there, from the beginning to the end? */
static bool stands_on(const struct sched *s, const struct need *n, const struct laid *l)
{
    const struct use *u = &l->use;
    int64_t from_s = MAX(u->from_s, s->now_s + 1);
    struct room r;
    if (u->shade)
        return !topo_somebody(s, n, l->node, from_s);
    if (!avail_over(s, n, l->node, from_s, u->to_s, &r) || (n->exclusive ? r.jobs > 0 : r.exclusive > 0))
        return false;
    for (uint32_t g = 0; g < GRES_MAX; g++)
        if (r.gres[g] < u->gres[g])
            return false;
    uint32_t cpus = n->req->core_spec ? s->lane[l->node].all.cpus : u->cpus + u->held;
    return r.cpus >= cpus && r.mem_mb >= u->mem_mb;
}

bool place_stands(struct sched *s, const struct place *p)
{
    size_t planned = s->planned;
    bool stands = true;
    s->planned = p->at; /* those before it alone */
    for (size_t i = 0; stands && i < p->laid.n && !p->sh->het; i++) /* components each have a need of their own */
        stands = stands_on(s, &p->sh->need, &p->laid.at[i]);
    s->planned = planned;
    return stands;
}

bool place_keeps(struct sched *s, const struct cluster *c, const struct place *p)
{
    const struct need *n = &p->sh->need;
    if (p->at_s <= s->now_s || !p->share.n || p->sh->het || license_lacks(s, c, n, p->at_s))
        return false;
    for (size_t i = 0; i < p->share.n; i++)
        if (!bitmap_has(&n->allowed, p->share.at[i].node))
            return false;
    return place_stands(s, p);
}

/* The places that count, and have something of these nodes: each with whether it stands. */
struct watch {
    const struct place *place;
    bool stands;
};
struct watches {
    struct watch *at;
    size_t n, cap;
};

static void watch_node(struct sched *s, uint32_t node, struct watches *w)
{
    const struct lane *l = &s->lane[node];
    for (size_t i = 0; i < l->kept.n; i++) {
        const struct place *p = l->kept.at[i].by;
        size_t k = 0;
        while (k < w->n && w->at[k].place != p)
            k++;
        if (p->at < s->planned && k == w->n)
            vec_push(w, ((struct watch){ p, place_stands(s, p) }));
    }
}

static bool all_stand(struct sched *s, const struct watches *w)
{
    for (size_t i = 0; i < w->n; i++)
        if (w->at[i].stands && !place_stands(s, w->at[i].place))
            return false;
    return true;
}

bool guard_allows(struct sched *s, const struct guard_try *t, size_t n)
{
    struct watches w = { 0 };
    bool plain = s->steady;
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < t[i].alloc->n && s->planned; k++)
            plain &= !s->lane[t[i].alloc->at[k].node].blocks.n;
    for (size_t i = 0; i < n && s->planned && !plain; i++)
        for (uint32_t k = 0; k < t[i].alloc->n; k++)
            watch_node(s, t[i].alloc->at[k].node, &w);
    if (!w.n)
        return true;
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < t[i].alloc->n; k++) {
            const struct node_alloc *na = &t[i].alloc->at[k];
            vec_push(&s->lane[na->node].resv, lane_use(s, na, t[i].need, s->now_s, t[i].id));
        }
    bool fine = all_stand(s, &w);
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < t[i].alloc->n; k++)
            s->lane[t[i].alloc->at[k].node].resv.n--;
    vec_clear(&w);
    return fine;
}
