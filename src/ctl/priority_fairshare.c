/* priority_fairshare - what associations and QOS add to priorities; see priority_fairshare.h. */
#include "ctl/priority_fairshare.h"

#include <stdlib.h>

#include "core/limits.h"
#include "ctl/priority_update.h"

struct fairshare {
    struct map by_assoc;       /* association -> struct fair_member */
    struct fair_member *at;    /* made anew with the priorities */
    uint32_t max_qos, max_assoc; /* the highest priority of any */
};

static int by_id(const void *a, const void *b)
{
    uint32_t x = (*(const struct assoc *const *)a)->pb->id, y = (*(const struct assoc *const *)b)->pb->id;
    return (x > y) - (x < y);
}

static uint32_t depth_of(const struct assoc *a)
{
    uint32_t n = 0;
    for (; a->parent; a = a->parent)
        n++;
    return n;
}

/* Whose level it stands on: FairShare=parent moves it up to where its account stands. */
static const struct assoc *fairshare_above(const struct assoc *a)
{
    const struct assoc *p = a->parent;
    if (a->pb->shares == SHARES_PARENT)
        while (p && p->parent && p->pb->shares == SHARES_PARENT)
            p = p->parent;
    return p;
}

static void add_level(struct ctl *t, struct assoc **all, size_t n, uint32_t depth, size_t *used)
{
    const struct priority_conf *conf = priority_update_conf(t);
    for (size_t i = 0; i < n; i++) {
        bool classic = conf->flags & PRIO_NO_FAIR_TREE;
        const struct assoc *a = all[i], *p = classic ? a->parent : fairshare_above(a);
        if (depth_of(a) != depth)
            continue;
        struct fair_member *m = &t->fairshare->at[(*used)++];
        const struct fair_member *up = p ? map_get(&t->fairshare->by_assoc, p->pb->id) : NULL;
        *m = (struct fair_member){ .parent = up ? (uint32_t)(up - t->fairshare->at) : FAIR_TOP,
                                   .user = !str_empty(a->pb->user),
                                   .shares = a->pb->shares == SHARES_PARENT ? 1 : a->pb->shares,
                                   .as_parent = a->pb->shares == SHARES_PARENT };
        if (m->user && a->pb->charged)
            m->usage = a->pb->charged->raw;
        map_put(&t->fairshare->by_assoc, a->pb->id, m);
    }
}

static uint32_t max_qos_priority(const struct limits *l)
{
    uint32_t top = 0;
    size_t pos = 0;
    for (const struct qos *q; (q = smap_next(&l->qos, &pos, NULL));)
        top = MAX(top, q->pb->priority);
    return top;
}

static uint32_t max_assoc_priority(const struct limits *l)
{
    uint32_t top = 0;
    size_t pos = 0;
    for (const struct assoc *a; (a = map_next(&l->assoc, &pos, NULL));)
        top = MAX(top, a->pb->priority);
    return top;
}

void priority_fairshare_open(struct ctl *t)
{
    t->fairshare = NEW(struct fairshare);
}

static void fairshare_clear(struct ctl *t)
{
    map_clear(&t->fairshare->by_assoc);
    free(take(t->fairshare->at));
}

void priority_fairshare_close(struct ctl *t)
{
    fairshare_clear(t);
    free(take(t->fairshare));
}

void priority_fairshare_refresh(struct ctl *t)
{
    const struct priority_conf *conf = priority_update_conf(t);
    fairshare_clear(t);
    const struct limits *l = t->c->limits;
    if (!l)
        return;
    t->fairshare->max_qos = max_qos_priority(l);
    t->fairshare->max_assoc = max_assoc_priority(l);
    if (!l->assoc.n)
        return;
    size_t n = l->assoc.n, pos = 0, used = 0;
    auto_free struct assoc **all = mem_array(n, sizeof(struct assoc *));
    for (size_t i = 0; i < n; i++)
        all[i] = map_next(&l->assoc, &pos, NULL);
    qsort(all, n, sizeof(struct assoc *), by_id);
    t->fairshare->at = mem_array(n, sizeof(*t->fairshare->at));
    for (uint32_t depth = 0; used < n && depth <= ASSOC_DEPTH; depth++)
        add_level(t, all, n, depth, &used);
    struct fair_classic how = { .oblivious = conf->flags & PRIO_DEPTH_OBLIVIOUS,
                                .damping = t->site->fair_damping };
    if (conf->flags & PRIO_NO_FAIR_TREE)
        fairshare_classic(t->fairshare->at, used, &how);
    else
        fairshare_tree(t->fairshare->at, used);
    for (size_t i = 0; i < n; i++) { /* limits ask for it: QOS UsageThreshold */
        const struct fair_member *m = priority_fairshare_of(t, all[i]->pb->id);
        all[i]->fair_known = m && m->user;
        all[i]->fair = m ? m->factor : 0;
    }
}

const struct fair_member *priority_fairshare_of(const struct ctl *t, uint32_t assoc)
{
    return map_get(&t->fairshare->by_assoc, assoc);
}

static double fairshare_share(uint32_t n, uint32_t top, bool raw)
{
    return raw ? n : top ? (double)n / top : 0;
}

void priority_fairshare_given(const struct ctl *t, const struct job *j, struct priority_given *out)
{
    const struct priority_conf *conf = priority_update_conf(t);
    *out = (struct priority_given){ 0 };
    if (!t->c->limits)
        return;
    const char *pos = j->partition;
    auto_free char *first = str_next(&pos, ",");
    const struct assoc *a = limits_assoc(t->c, j->uid, j->spec->account, first);
    const struct qos *q = limits_qos(t->c, j->spec->qos);
    const struct fair_member *m = a ? priority_fairshare_of(t, a->pb->id) : NULL;
    out->fairshare = m ? m->factor : 0;
    if (a && conf->weight[PRIO_ASSOC])
        out->assoc = fairshare_share(a->pb->priority, t->fairshare->max_assoc, conf->flags & PRIO_RAW_ASSOC);
    if (q && conf->weight[PRIO_QOS])
        out->qos = fairshare_share(q->pb->priority, t->fairshare->max_qos, conf->flags & PRIO_RAW_QOS);
}
