/*
 * license - licences over time: who holds how many until when, and for whom they are kept.
 *
 * A licence is like a node that everybody shares: what is free grows when a holder ends and shrinks where a planned
 * start or a reservation begins, so the least that is free over a time is found at its beginning and at those moments
 * within it.
 */
#include "core/license.h"

#include "base/str.h"
#include "sched/sched_priv.h"
#include "text/time.h"

/* ---- in step with the cluster ---- */

void licenses_clear(struct sched *s)
{
    for (size_t i = 0; i < s->lic.n; i++) {
        vec_clear(&s->lic.at[i].runs);
        vec_clear(&s->lic.at[i].resv);
        vec_clear(&s->lic.at[i].kept);
    }
    vec_clear(&s->lic);
}

void licenses_sync(struct sched *s, const struct cluster *c)
{
    licenses_clear(s);
    for (size_t i = 0; i < c->licenses.n; i++)
        vec_push(&s->lic, ((struct lic_lane){ .total = c->licenses.at[i].total }));
}

void licenses_reset(struct sched *s)
{
    for (size_t i = 0; i < s->lic.n; i++)
        s->lic.at[i].resv.n = 0;
}

static struct lic_lane *lane_of(const struct sched *s, const struct cluster *c, const char *name)
{
    int at = license_find(c, name);
    return at >= 0 && (size_t)at < s->lic.n ? &s->lic.at[at] : NULL;
}

void license_run(struct sched *s, const struct cluster *c, const struct job *j, int64_t end_s)
{
    for (size_t i = 0; i < j->lic.n; i++) {
        struct lic_lane *l = lane_of(s, c, j->lic.at[i].name);
        if (l)
            vec_push(&l->runs, ((struct lic_use){ .to_s = end_s, .id = j->id, .count = j->lic.at[i].count }));
    }
}

void license_run_drop(struct sched *s, uint32_t id)
{
    for (size_t i = 0; i < s->lic.n; i++) {
        struct lic_lane *l = &s->lic.at[i];
        for (size_t k = l->runs.n; k-- > 0;)
            if (l->runs.at[k].id == id)
                l->runs.at[k] = l->runs.at[--l->runs.n];
    }
}

void license_reserve(struct sched *s, const struct cluster *c, const char *name, uint64_t count, int64_t from_s,
                     int64_t to_s, uint32_t resv)
{
    struct lic_lane *l = lane_of(s, c, name);
    if (l)
        vec_push(&l->kept, ((struct lic_use){ from_s, to_s, resv, count }));
}

void license_unreserve(struct sched *s)
{
    for (size_t i = 0; i < s->lic.n; i++)
        s->lic.at[i].kept.n = 0;
}

/* ---- how many are free ---- */

static uint64_t at_most(uint64_t have, uint64_t taken)
{
    return have - MIN(have, taken);
}

/* What a reservation keeps, its own jobs may hold already. */
static uint64_t held_inside(const struct sched *s, const struct lic_lane *l, int64_t at_s, uint32_t resv)
{
    uint64_t held = 0;
    for (size_t i = 0; i < l->runs.n; i++) {
        const struct job *j = s->seen ? cluster_job(s->seen, l->runs.at[i].id) : NULL;
        if (j && j->resv == resv && (at_s <= s->now_s || l->runs.at[i].to_s > at_s))
            held += l->runs.at[i].count;
    }
    return held;
}

/* At one moment, for somebody in reservation `resv` (0: in none).  What runs now holds its licences, however late it
 * is. */
static uint64_t free_at(const struct sched *s, const struct lic_lane *l, int64_t at_s, uint32_t resv)
{
    uint64_t left = l->total;
    for (size_t i = 0; i < l->runs.n; i++)
        if (at_s <= s->now_s || l->runs.at[i].to_s > at_s)
            left = at_most(left, l->runs.at[i].count);
    for (size_t i = 0; i < l->resv.n; i++)
        if (l->resv.at[i].from_s <= at_s && l->resv.at[i].to_s > at_s)
            left = at_most(left, l->resv.at[i].count);
    for (size_t i = 0; i < l->kept.n; i++)
        if (l->kept.at[i].from_s <= at_s && l->kept.at[i].to_s > at_s && (!resv || l->kept.at[i].id != resv))
            left = at_most(left, at_most(l->kept.at[i].count, held_inside(s, l, at_s, l->kept.at[i].id)));
    return left;
}

static uint64_t free_over(const struct sched *s, const struct lic_lane *l, int64_t from_s, int64_t to_s, uint32_t resv)
{
    uint64_t least = free_at(s, l, from_s, resv);
    for (size_t i = 0; i < l->resv.n; i++)
        if (l->resv.at[i].from_s > from_s && l->resv.at[i].from_s < to_s)
            least = MIN(least, free_at(s, l, l->resv.at[i].from_s, resv));
    for (size_t i = 0; i < l->kept.n; i++)
        if (l->kept.at[i].from_s > from_s && l->kept.at[i].from_s < to_s)
            least = MIN(least, free_at(s, l, l->kept.at[i].from_s, resv));
    return least;
}

bool license_then(const struct sched *s, const struct cluster *c, const struct need *n, share_gone_fn *gone, void *arg)
{
    int64_t to_s = s->now_s + need_run_s(n);
    for (size_t i = 0; i < n->req->lic.n; i++) {
        const struct lic_lane *l = lane_of(s, c, n->req->lic.at[i].name);
        uint64_t left = l ? l->total : 0;
        for (size_t k = 0; l && k < l->runs.n; k++)
            left = at_most(left, gone(arg, l->runs.at[k].id) ? 0 : l->runs.at[k].count);
        for (size_t k = 0; l && k < l->resv.n; k++)
            left = at_most(left, l->resv.at[k].from_s < to_s ? l->resv.at[k].count : 0);
        for (size_t k = 0; l && k < l->kept.n; k++)
            left = at_most(left, l->kept.at[k].from_s < to_s && l->kept.at[k].id != need_resv(n) ? l->kept.at[k].count : 0);
        if (left < n->req->lic.at[i].count)
            return false;
    }
    return true;
}

static bool one_fits(const struct sched *s, const struct cluster *c, const struct need *n, size_t i, int64_t at_s)
{
    const struct license_item *want = &n->req->lic.at[i];
    const struct lic_lane *l = lane_of(s, c, want->name);
    return l && free_over(s, l, at_s, at_s + need_run_s(n), need_resv(n)) >= want->count;
}

bool license_fits(const struct sched *s, const struct cluster *c, const struct need *n, int64_t at_s, uint32_t *which)
{
    const struct license_list *want = &n->req->lic;
    if (which)
        *which = 0;
    for (size_t i = 0; i < want->n; i++) {
        bool fits = one_fits(s, c, n, i, at_s);
        if (fits && want->any) {
            if (which)
                *which = (uint32_t)i + 1;
            return true;
        }
        if (!fits && !want->any)
            return false;
    }
    return !want->any || !want->n;
}

uint32_t license_keep(struct sched *s, const struct cluster *c, const struct need *n, int64_t from_s, uint32_t id)
{
    uint32_t which = 0;
    license_fits(s, c, n, from_s, &which);
    for (size_t i = 0; i < n->req->lic.n; i++) {
        struct lic_lane *l = lane_of(s, c, n->req->lic.at[i].name);
        if (l && (!which || which == i + 1))
            vec_push(&l->resv, ((struct lic_use){ from_s, from_s + need_run_s(n), id, n->req->lic.at[i].count }));
    }
    return which;
}

void license_lift(struct sched *s, uint32_t id, int64_t from_s)
{
    for (size_t i = 0; i < s->lic.n; i++) {
        struct lic_lane *l = &s->lic.at[i];
        size_t k = 0;
        while (k < l->resv.n && (l->resv.at[k].id != id || l->resv.at[k].from_s != from_s))
            k++;
        if (k < l->resv.n)
            vec_remove(&l->resv, k);
    }
}

void license_unkeep(struct sched *s, uint32_t id)
{
    for (size_t i = 0; i < s->lic.n; i++) {
        struct lic_lane *l = &s->lic.at[i];
        if (l->resv.n && l->resv.at[l->resv.n - 1].id == id)
            l->resv.n--;
    }
}

/* All who stand in the shape are told when they begin to wait for a licence, or no longer do. */
void license_news(struct sched *s, const struct cluster *c, struct shape *sh)
{
    bool lacks = license_lacks(s, c, &sh->need, s->now_s);
    for (size_t i = sh->head; lacks != sh->lacking && i < sh->rank.n; i++)
        vec_push(&s->fresh, rank_id(sh->rank.at[i]));
    sh->lacking = lacks;
}

/* ---- in words ---- */

/* The next one to give some back. */
static const struct lic_use *next_end(const struct sched *s, const struct lic_lane *l)
{
    const struct lic_use *next = NULL;
    for (size_t i = 0; i < l->runs.n; i++)
        if (l->runs.at[i].to_s < FOREVER && (!next || l->runs.at[i].to_s < next->to_s))
            next = &l->runs.at[i];
    return next;
}

static void say_one(const struct sched *s, const struct cluster *c, const struct need *n, const char *name,
                    struct buf *b)
{
    char text[TIME_TEXT];
    const struct lic_lane *l = lane_of(s, c, name);
    if (!l)
        return;
    uint64_t left = free_at(s, l, s->now_s, need_resv(n));
    buf_addf(b, "; %llu of %llu %s %s free", (unsigned long long)left, (unsigned long long)l->total, name,
             left == 1 ? "is" : "are");
    const struct lic_use *next = next_end(s, l);
    if (!next)
        return;
    buf_addf(b, ", job %u returns %llu", next->id, (unsigned long long)next->count);
    if (next->to_s > s->now_s) {
        time_stamp(text, (time_t)next->to_s, "later");
        bool soon = next->to_s - s->now_s < 12 * 3600 && strlen(text) == 19;
        buf_addf(b, " at %.*s", soon ? 5 : 19, soon ? text + 11 : text);
    }
}

void license_say(const struct sched *s, const struct cluster *c, const struct need *n, struct buf *b)
{
    const struct license_list *want = &n->req->lic;
    buf_adds(b, "needs ");
    for (size_t i = 0; i < want->n; i++)
        buf_addf(b, "%s%llu of licence %s",
                 !i          ? ""
                 : want->any ? " or "
                             : " and ",
                 (unsigned long long)want->at[i].count, want->at[i].name);
    for (size_t i = 0; i < want->n; i++)
        if (!one_fits(s, c, n, i, s->now_s))
            say_one(s, c, n, want->at[i].name, b);
}
