/*
 * license - licences over time: what running jobs hold until when, and what is reserved.
 *
 * Like the resources of a node, free licences grow when a job ends and shrink where a planned start or a reservation
 * begins.  So the minimum over an interval is found at its beginning and at these times within it.
 */
#include "core/license.h"

#include "base/str.h"
#include "sched/license.h"
#include "sched/need.h"
#include "sched/oversub.h"
#include "sched/queue.h"
#include "sched/why.h"
#include "text/time.h"

/* ---- synchronisation ---- */

void licenses_clear(struct sched *s)
{
    for (size_t i = 0; i < s->lic.n; i++) {
        vec_clear(&s->lic.at[i].running);
        vec_clear(&s->lic.at[i].trials);
        vec_clear(&s->lic.at[i].reserved);
    }
    vec_clear(&s->lic);
}

void licenses_sync(struct sched *s, const struct cluster *c)
{
    licenses_clear(s);
    for (size_t i = 0; i < c->licenses.n; i++)
        vec_push(&s->lic, ((struct lic_profile){ .total = c->licenses.at[i].total }));
}

void licenses_reset(struct sched *s)
{
    for (size_t i = 0; i < s->lic.n; i++)
        s->lic.at[i].trials.n = 0;
}

static struct lic_profile *license_profile(const struct sched *s, const struct cluster *c, const char *name)
{
    int at = license_find(c, name);
    return at >= 0 && (size_t)at < s->lic.n ? &s->lic.at[at] : NULL;
}

void license_running_add(struct sched *s, const struct cluster *c, const struct job *j, int64_t end_s)
{
    for (size_t i = 0; i < j->licenses.n; i++) {
        struct lic_profile *lic = license_profile(s, c, j->licenses.at[i].name);
        if (lic)
            vec_push(&lic->running,
                     ((struct lic_span){ .to_s = end_s, .id = j->id, .count = j->licenses.at[i].count }));
    }
}

void license_running_drop(struct sched *s, uint32_t id)
{
    for (size_t i = 0; i < s->lic.n; i++) {
        struct lic_profile *lic = &s->lic.at[i];
        for (size_t k = lic->running.n; k-- > 0;)
            if (lic->running.at[k].id == id)
                lic->running.at[k] = lic->running.at[--lic->running.n];
    }
}

void license_reserve(struct sched *s, const struct cluster *c, const char *name, uint64_t count, int64_t from_s,
                     int64_t to_s, uint32_t resv)
{
    struct lic_profile *lic = license_profile(s, c, name);
    if (lic)
        vec_push(&lic->reserved, ((struct lic_span){ from_s, to_s, resv, count }));
}

void license_unreserve(struct sched *s)
{
    for (size_t i = 0; i < s->lic.n; i++)
        s->lic.at[i].reserved.n = 0;
}

/* ---- free licences ---- */

static uint64_t minus_or_zero(uint64_t have, uint64_t taken)
{
    return have - MIN(have, taken);
}

/* Jobs of a reservation may already hold what it keeps. */
static uint64_t license_held_in_resv(const struct sched *s, const struct lic_profile *lic, int64_t at_s, uint32_t resv)
{
    uint64_t held = 0;
    for (size_t i = 0; i < lic->running.n; i++) {
        const struct job *j = s->cluster ? cluster_job(s->cluster, lic->running.at[i].id) : NULL;
        if (j && j->resv == resv && (at_s <= s->now_s || lic->running.at[i].to_s > at_s))
            held += lic->running.at[i].count;
    }
    return held;
}

/* Free at one time, for a job in reservation `resv` (0: none).  A running job holds its licences, however late it is.
 */
static uint64_t license_free_at(const struct sched *s, const struct lic_profile *lic, int64_t at_s, uint32_t resv)
{
    uint64_t left = lic->total;
    for (size_t i = 0; i < lic->running.n; i++)
        if (at_s <= s->now_s || lic->running.at[i].to_s > at_s)
            left = minus_or_zero(left, lic->running.at[i].count);
    for (size_t i = 0; i < lic->trials.n; i++)
        if (lic->trials.at[i].from_s <= at_s && lic->trials.at[i].to_s > at_s)
            left = minus_or_zero(left, lic->trials.at[i].count);
    for (size_t i = 0; i < lic->reserved.n; i++)
        if (lic->reserved.at[i].from_s <= at_s && lic->reserved.at[i].to_s > at_s &&
            (!resv || lic->reserved.at[i].id != resv))
            left = minus_or_zero(left, minus_or_zero(lic->reserved.at[i].count,
                                                     license_held_in_resv(s, lic, at_s, lic->reserved.at[i].id)));
    return left;
}

/* Until when a job of reservation `resv` is asked to leave licences to others: it may run longer than its reservation,
 * and only what the reservation keeps is checked. */
static int64_t license_resv_end(const struct lic_profile *lic, int64_t from_s, int64_t to_s, uint32_t resv)
{
    for (size_t i = 0; resv && i < lic->reserved.n; i++)
        if (lic->reserved.at[i].id == resv && lic->reserved.at[i].from_s <= from_s && lic->reserved.at[i].to_s > from_s)
            return MIN(to_s, lic->reserved.at[i].to_s);
    return to_s;
}

static uint64_t license_free_over(const struct sched *s, const struct lic_profile *lic, int64_t from_s, int64_t to_s,
                                  uint32_t resv)
{
    to_s = license_resv_end(lic, from_s, to_s, resv);
    uint64_t least = license_free_at(s, lic, from_s, resv);
    for (size_t i = 0; i < lic->trials.n; i++)
        if (lic->trials.at[i].from_s > from_s && lic->trials.at[i].from_s < to_s)
            least = MIN(least, license_free_at(s, lic, lic->trials.at[i].from_s, resv));
    for (size_t i = 0; i < lic->reserved.n; i++)
        if (lic->reserved.at[i].from_s > from_s && lic->reserved.at[i].from_s < to_s)
            least = MIN(least, license_free_at(s, lic, lic->reserved.at[i].from_s, resv));
    return least;
}

bool license_fits_without(const struct sched *s, const struct cluster *c, const struct need *n, span_gone_fn *gone,
                          void *arg)
{
    int64_t to_s = s->now_s + need_run_s(n);
    for (size_t i = 0; i < n->req->licenses.n; i++) {
        const struct lic_profile *lic = license_profile(s, c, n->req->licenses.at[i].name);
        uint64_t left = lic ? lic->total : 0;
        for (size_t k = 0; lic && k < lic->running.n; k++)
            left = minus_or_zero(left, gone(arg, lic->running.at[k].id) ? 0 : lic->running.at[k].count);
        for (size_t k = 0; lic && k < lic->trials.n; k++)
            left = minus_or_zero(left, lic->trials.at[k].from_s < to_s ? lic->trials.at[k].count : 0);
        for (size_t k = 0; lic && k < lic->reserved.n; k++)
            left = minus_or_zero(left, lic->reserved.at[k].from_s < to_s && lic->reserved.at[k].id != need_resv_id(n)
                                           ? lic->reserved.at[k].count
                                           : 0);
        if (left < n->req->licenses.at[i].count)
            return false;
    }
    return true;
}

static bool license_one_fits(const struct sched *s, const struct cluster *c, const struct need *n, size_t i,
                             int64_t at_s)
{
    const struct license_item *want = &n->req->licenses.at[i];
    const struct lic_profile *lic = license_profile(s, c, want->name);
    return lic && license_free_over(s, lic, at_s, at_s + need_run_s(n), need_resv_id(n)) >= want->count;
}

bool license_fits(const struct sched *s, const struct cluster *c, const struct need *n, int64_t at_s, uint32_t *which)
{
    const struct license_list *want = &n->req->licenses;
    if (which)
        *which = 0;
    for (size_t i = 0; i < want->n; i++) {
        bool fits = license_one_fits(s, c, n, i, at_s);
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

uint32_t license_trial_add(struct sched *s, const struct cluster *c, const struct need *n, int64_t from_s, uint32_t id)
{
    uint32_t which = 0;
    license_fits(s, c, n, from_s, &which);
    for (size_t i = 0; i < n->req->licenses.n; i++) {
        struct lic_profile *lic = license_profile(s, c, n->req->licenses.at[i].name);
        if (lic && (!which || which == i + 1))
            vec_push(&lic->trials,
                     ((struct lic_span){ from_s, from_s + need_run_s(n), id, n->req->licenses.at[i].count }));
    }
    return which;
}

void license_trial_drop(struct sched *s, uint32_t id, int64_t from_s)
{
    for (size_t i = 0; i < s->lic.n; i++) {
        struct lic_profile *lic = &s->lic.at[i];
        size_t k = 0;
        while (k < lic->trials.n && (lic->trials.at[k].id != id || lic->trials.at[k].from_s != from_s))
            k++;
        if (k < lic->trials.n)
            vec_remove(&lic->trials, k);
    }
}

void license_trial_undo(struct sched *s, uint32_t id)
{
    for (size_t i = 0; i < s->lic.n; i++) {
        struct lic_profile *lic = &s->lic.at[i];
        if (lic->trials.n && lic->trials.at[lic->trials.n - 1].id == id)
            lic->trials.n--;
    }
}

/* Report it to all jobs of the class when they begin, or cease, to wait for a licence. */
void license_update_class(struct sched *s, const struct cluster *c, struct job_class *cls)
{
    bool lacks = license_lacks(s, c, &cls->need, s->now_s);
    for (size_t i = cls->head; lacks != cls->lacks_license && i < cls->keys.n; i++)
        vec_push(&s->why_changed, queue_key_id(cls->keys.at[i]));
    cls->lacks_license = lacks;
}

/* ---- explanation ---- */

/* The running job that returns licences first. */
static const struct lic_span *license_next_release(const struct sched *s, const struct lic_profile *lic)
{
    const struct lic_span *next = NULL;
    for (size_t i = 0; i < lic->running.n; i++)
        if (lic->running.at[i].to_s < FOREVER && (!next || lic->running.at[i].to_s < next->to_s))
            next = &lic->running.at[i];
    return next;
}

static void license_explain_one(const struct sched *s, const struct cluster *c, const struct need *n, const char *name,
                                struct buf *b)
{
    char text[TIME_TEXT];
    const struct lic_profile *lic = license_profile(s, c, name);
    if (!lic)
        return;
    uint64_t left = license_free_at(s, lic, s->now_s, need_resv_id(n));
    buf_addf(b, "; %llu of %llu %s %s free", (unsigned long long)left, (unsigned long long)lic->total, name,
             left == 1 ? "is" : "are");
    const struct lic_span *next = license_next_release(s, lic);
    if (!next)
        return;
    buf_addf(b, ", job %u returns %llu", next->id, (unsigned long long)next->count);
    if (next->to_s > s->now_s)
        buf_addf(b, " at %s", explain_clock(text, next->to_s, s->now_s));
}

void license_explain(const struct sched *s, const struct cluster *c, const struct need *n, struct buf *b)
{
    const struct license_list *want = &n->req->licenses;
    buf_adds(b, "needs ");
    for (size_t i = 0; i < want->n; i++)
        buf_addf(b, "%s%llu of licence %s",
                 !i          ? ""
                 : want->any ? " or "
                             : " and ",
                 (unsigned long long)want->at[i].count, want->at[i].name);
    for (size_t i = 0; i < want->n; i++)
        if (!license_one_fits(s, c, n, i, s->now_s))
            license_explain_one(s, c, n, want->at[i].name, b);
}
