/* limit_usage - usage against limits, counted when jobs are submitted, start and end; see limits.h. */
#include <stdlib.h>

#include "base/str.h"
#include "core/cluster.h"
#include "core/limits_priv.h"

static struct limit_use *use_of(struct limit_usage *b, uint64_t key)
{
    struct limit_use *u = map_get(&b->uses, key);
    if (u)
        return u;
    u = NEW(struct limit_use);
    map_put(&b->uses, key, u);
    return u;
}

void limit_usage_clear(struct limit_usage *b)
{
    size_t pos = 0;
    for (struct limit_use *u; (u = map_next(&b->uses, &pos, NULL));) {
        tres_clear(&u->tres);
        tres_clear(&u->mins);
        free(u->ahead);
        free(u->past);
        free(u);
    }
    map_clear(&b->uses);
}

const struct limit_use *limits_held(const struct cluster *c, const struct assoc *a)
{
    return c->limits ? map_get(&c->limits->usage.uses, use_key(USE_ASSOC, a->pb->id, 0)) : NULL;
}

const struct limit_use *limits_held_qos(const struct cluster *c, const struct qos *q)
{
    return c->limits ? map_get(&c->limits->usage.uses, use_key(USE_QOS, q->pb->id, 0)) : NULL;
}

typedef void use_fn(struct limit_use *u, void *arg);

static void each_use(struct limit_usage *b, const struct holders *h, use_fn *fn, void *arg)
{
    static const uint32_t whose[] = { LIMIT_GROUP, LIMIT_USER, LIMIT_ACCOUNT };
    for (uint32_t i = 0; i < h->nqos; i++)
        for (size_t k = 0; k < ARRAY_LEN(whose); k++)
            fn(use_of(b, holder_key(h, h->qos[i], NULL, whose[k])), arg);
    for (uint32_t i = 0; i < h->nassoc; i++)
        fn(use_of(b, holder_key(h, NULL, h->assoc[i], LIMIT_GROUP)), arg);
}

/* ---- starts that are not yet applied ---- */

struct share { /* what one start counts for */
    const struct tres_list *tres;
    struct tres_list mins;
};

static void add_share(struct limit_use *u, void *arg)
{
    const struct share *s = arg;
    u->jobs++;
    tres_add_all(&u->tres, s->tres, 1);
    tres_add_all(&u->mins, &s->mins, 1);
}

static void sub_share(struct limit_use *u, void *arg)
{
    const struct share *s = arg;
    u->jobs -= MIN(u->jobs, 1u);
    tres_sub_all(&u->tres, s->tres);
    tres_sub_all(&u->mins, &s->mins);
}

static void book_change(struct limit_usage *b, const struct holders *h, const struct tres_list *tres,
                        uint32_t limit_min, use_fn *fn)
{
    struct share s = { .tres = tres };
    tres_add_all(&s.mins, tres, limit_min);
    for (size_t i = 0; i < s.mins.n; i++)
        s.mins.at[i].count = (uint64_t)((double)s.mins.at[i].count * holders_factor(h));
    each_use(b, h, fn, &s);
    tres_clear(&s.mins);
}

void limit_usage_start(struct limit_usage *b, const struct holders *h, const struct tres_list *tres, uint32_t limit_min)
{
    book_change(b, h, tres, limit_min, add_share);
}

void limit_usage_unstart(struct limit_usage *b, const struct holders *h, const struct tres_list *tres,
                         uint32_t limit_min)
{
    book_change(b, h, tres, limit_min, sub_share);
}

static void add_submitted(struct limit_use *u, void *arg)
{
    (void)arg;
    u->submitted++;
}

void limit_usage_submit(struct limit_usage *b, const struct holders *h)
{
    each_use(b, h, add_submitted, NULL);
}

/* ---- jobs come and go ---- */

static void note_use(struct limit_use *u, void *arg)
{
    struct limit_counted *n = arg;
    u->jobs += n->jobs;
    u->submitted += n->submitted;
    u->accruing += n->accruing;
    tres_add_all(&u->tres, &n->tres, 1);
    vec_push(&n->at, u);
}

void limits_forget(struct job *j)
{
    struct limit_counted *n = take(j->counted);
    if (!n)
        return;
    vec_clear(&n->at);
    tres_clear(&n->tres);
    free(n);
}

void limits_uncount(struct cluster *c, struct job *j)
{
    struct limit_counted *n = c->limits ? j->counted : NULL;
    for (size_t i = 0; n && i < n->at.n; i++) {
        n->at.at[i]->jobs -= n->jobs;
        n->at.at[i]->submitted -= n->submitted;
        n->at.at[i]->accruing -= n->accruing;
        tres_sub_all(&n->at.at[i]->tres, &n->tres);
    }
    if (n)
        c->limits->changes++;
    limits_forget(j);
}

void limits_count(struct cluster *c, struct job *j)
{
    if (!c->limits)
        return;
    limits_uncount(c, j);
    if (job_ended(j))
        return;
    struct holders h;
    const char *pos = j->partition;
    auto_free char *first = str_next(&pos, ",");
    const struct part *p = cluster_part(c, first);
    limits_holders(c, j, p, &h);
    if (!h.nqos && !h.nassoc)
        return;
    struct limit_counted *n = j->counted = NEW(struct limit_counted);
    n->submitted = j->array ? j->array->count : 1;
    n->factor = holders_factor(&h);
    n->accruing = job_pending(j) && j->accrue_s > 0 && !j->hold;
    if (!job_pending(j)) {
        n->jobs = 1;
        limits_tres(c, p, &j->alloc, &n->tres);
    }
    each_use(&c->limits->usage, &h, note_use, n);
    c->limits->changes++;
}

/* ---- minutes of what runs ---- */

size_t limits_minute(const struct limits *l, const char *tres)
{
    for (size_t i = 0; i < l->minute_tres.n; i++)
        if (str_ieq(l->minute_tres.at[i], tres))
            return i;
    return SIZE_MAX;
}

/* All zero, at its first job in this walk. */
static void walk_use(const struct limits *l, struct limit_use *u)
{
    size_t n = l->minute_tres.n;
    if (u->walk == l->walk)
        return;
    u->walk = l->walk;
    u->wall = 0;
    if (!u->ahead) {
        u->ahead = mem_array(n + 1, sizeof(*u->ahead));
        u->past = mem_array(n + 1, sizeof(*u->past));
    }
    memset(u->ahead, 0, n * sizeof(*u->ahead));
    memset(u->past, 0, n * sizeof(*u->past));
}

static void walk_job(const struct cluster *c, const struct job *j, int64_t now_s)
{
    const struct limits *l = c->limits;
    const struct limit_counted *n = j->counted;
    int64_t end_s = j->time_limit_min == INFINITE_MIN ? now_s + (int64_t)INFINITE_MIN * 60 : job_limit_s(j);
    double left = (double)MAX(end_s - now_s, 0) * n->factor;
    double past = (double)MAX(now_s - MAX(j->start_s, c->charged_s), 0) * n->factor;
    for (size_t u = 0; u < n->at.n; u++) {
        walk_use(l, n->at.at[u]);
        n->at.at[u]->wall += past;
        for (size_t i = 0; i < l->minute_tres.n; i++) {
            double count = (double)tres_get(&n->tres, l->minute_tres.at[i], 0);
            n->at.at[u]->ahead[i] += count * left;
            n->at.at[u]->past[i] += count * past;
        }
    }
}

void limits_walk(const struct cluster *c, int64_t now_s)
{
    struct limits *l = c->limits;
    if (l->walk && l->walked_s == now_s && l->walked == l->changes)
        return;
    l->walk++;
    l->walked_s = now_s;
    l->walked = l->changes;
    for (const struct job *j = c->active.head; j; j = j->next)
        if (!job_ended(j) && j->counted)
            walk_job(c, j, now_s);
}

/* ---- which kinds there are ---- */

static void index_list(struct limits *l, const struct limit_list *all)
{
    for (size_t i = 0; i < all->n; i++) {
        const struct limit *one = &all->at[i];
        bool minutes = one->what == LIMIT_RUN_MINS || (one->what == LIMIT_MINS && one->scope != LIMIT_JOB);
        if (minutes && one->tres && limits_minute(l, one->tres) == SIZE_MAX)
            strs_add(&l->minute_tres, one->tres);
        l->accrues |= one->what == LIMIT_ACCRUE;
        l->least_prio |= one->what == LIMIT_MIN_PRIO;
        l->spends |= one->what == LIMIT_MINS || (one->what == LIMIT_WALL && one->scope == LIMIT_GROUP);
    }
}

void limits_index(struct limits *l)
{
    size_t pos = 0;
    strs_clear(&l->minute_tres);
    l->accrues = l->least_prio = l->spends = l->relative = l->threshold = false;
    for (const struct qos *q; (q = smap_next(&l->qos, &pos, NULL));) {
        index_list(l, &q->limits);
        l->relative |= (q->pb->flags & QOS_RELATIVE) != 0;
        l->threshold |= q->pb->has_threshold;
    }
    pos = 0;
    for (const struct assoc *a; (a = map_next(&l->assoc, &pos, NULL));)
        index_list(l, &a->limits);
}
