/*
 * planned_start - the list of planned starts, kept from cycle to cycle.
 *
 * The list is in queue order.  Only planned starts ahead of a job count when it is tested (sched.planned_ahead says how
 * many), so no job is held up by a planned start behind it.  A job starts beside the planned starts that count for it;
 * what it takes from planned starts behind it makes them invalid, and they are searched again before they count again.
 */
#include "sched/fit.h"
#include "sched/fit_cache.h"
#include "sched/license.h"
#include "sched/oversub.h"
#include "sched/planned.h"
#include "sched/queue.h"

size_t planned_before(const struct sched *s, uint32_t tier, uint64_t key)
{
    size_t n = s->planned_starts.n;
    while (n && !queue_before(s->planned_starts.at[n - 1]->tier, s->planned_starts.at[n - 1]->key, tier, key))
        n--;
    return n;
}

size_t planned_current(const struct sched *s, size_t most)
{
    size_t n = 0;
    while (n < most && n < s->planned_starts.n && !s->planned_starts.at[n]->expired)
        n++;
    return n;
}

const struct planned_start *planned_find(const struct sched *s, uint32_t id)
{
    for (size_t i = 0; i < s->planned_starts.n; i++)
        if (s->planned_starts.at[i]->id == id && s->planned_starts.at[i]->at_s && !s->planned_starts.at[i]->expired)
            return s->planned_starts.at[i];
    return NULL;
}

/* ---- node profiles ---- */

void planned_release_licenses(struct sched *s, const struct planned_start *ps)
{
    if (ps->cls->need.req->licenses.n && ps->cycle == s->cycle && ps->at_s)
        license_trial_drop(s, ps->id, ps->at_s);
}

static void planned_unlink(struct sched *s, struct planned_start *ps)
{
    if (ps->spans.n && (!s->planned_moved || queue_before(ps->tier, ps->key, s->moved_tier, s->moved_key)))
        s->planned_moved = true, s->moved_tier = ps->tier, s->moved_key = ps->key;
    for (size_t i = 0; i < ps->spans.n; i++) {
        uint32_t node = ps->spans.at[i].node;
        struct node_profile *prof = &s->profile[node];
        for (size_t k = prof->planned.n; k-- > 0;)
            if (prof->planned.at[k].planned == ps)
                prof->planned.at[k] = prof->planned.at[--prof->planned.n];
        if (ps->spans.at[i].span.cores)
            oversub_cores_free(ps->spans.at[i].span.cores);
        fit_cache_note_freed(s, node);
    }
    ps->spans.n = 0;
}

static void planned_link(struct sched *s, struct planned_start *ps)
{
    for (size_t i = 0; i < ps->spans.n; i++) {
        struct node_profile *prof = &s->profile[ps->spans.at[i].node];
        ps->spans.at[i].span.planned = ps;
        vec_push(&prof->planned, ps->spans.at[i].span);
    }
    for (size_t i = 0; i < ps->spans.n; i++)
        planned_check_node(s, ps->spans.at[i].node, ps->at + 1);
}

static void load_add(struct span *sum, uint32_t *jobs, uint32_t *alone, const struct span *sp)
{
    sum->cpus += sp->cpus;
    sum->mem_mb += sp->mem_mb;
    for (uint32_t g = 0; g < GRES_MAX; g++)
        sum->gres[g] += sp->gres[g];
    *jobs += !sp->suspended;
    *alone += sp->exclusive;
}

static bool span_covers(const struct span *sp, int64_t at_s)
{
    return sp->from_s <= at_s && sp->to_s > at_s;
}

/* Is more of the node taken at that time than it has? */
static bool profile_overfull(const struct node_profile *prof, int64_t at_s)
{
    struct span sum = { 0 };
    uint32_t jobs = 0, alone = 0;
    for (size_t i = 0; i < prof->running.n; i++)
        if (prof->running.at[i].to_s > at_s)
            load_add(&sum, &jobs, &alone, &prof->running.at[i]);
    for (size_t i = 0; i < prof->trials.n; i++)
        if (span_covers(&prof->trials.at[i], at_s))
            load_add(&sum, &jobs, &alone, &prof->trials.at[i]);
    for (size_t i = 0; i < prof->planned.n; i++)
        if (span_covers(&prof->planned.at[i], at_s))
            load_add(&sum, &jobs, &alone, &prof->planned.at[i]);
    for (uint32_t g = 0; g < GRES_MAX; g++)
        if (sum.gres[g] > prof->total.gres[g])
            return true;
    return sum.cpus > prof->total.cpus || sum.mem_mb > prof->total.mem_mb || (alone && jobs > 1);
}

/* Where free resources are more than counts, each planned start is checked by itself. */
static void planned_check_each(struct sched *s, const struct node_profile *prof, size_t from)
{
    for (size_t i = 0; i < prof->planned.n; i++) {
        struct planned_start *ps = s->planned_starts.at[prof->planned.at[i].planned->at];
        ps->invalid = ps->invalid || (ps->at >= from && !ps->expired && !planned_holds(s, ps));
    }
}

void planned_check_node(struct sched *s, uint32_t node, size_t from)
{
    const struct node_profile *prof = &s->profile[node];
    if (!s->incremental || prof->claims.n) {
        planned_check_each(s, prof, from);
        return;
    }
    for (size_t i = 0; i < prof->planned.n; i++) {
        int64_t at = prof->planned.at[i].from_s;
        if (!profile_overfull(prof, at))
            continue;
        for (size_t k = 0; k < prof->planned.n; k++)
            if (prof->planned.at[k].planned->at >= from && span_covers(&prof->planned.at[k], at))
                s->planned_starts.at[prof->planned.at[k].planned->at]->invalid = true;
    }
}

/* ---- the list ---- */

static void planned_renumber(struct sched *s, size_t from)
{
    for (size_t i = from; i < s->planned_starts.n; i++)
        s->planned_starts.at[i]->at = i;
}

void planned_drop(struct sched *s, size_t at)
{
    struct planned_start *ps = s->planned_starts.at[at];
    planned_release_licenses(s, ps);
    planned_unlink(s, ps);
    vec_remove(&s->planned_starts, at);
    planned_renumber(s, at);
    for (size_t i = at; i < s->planned_starts.n; i++)
        s->planned_starts.at[i]->improvable = true;
    s->planned_ahead -= s->planned_ahead > at;
    vec_clear(&ps->spans);
    vec_clear(&ps->parts);
    free(ps);
}

void planned_truncate(struct sched *s, size_t n)
{
    while (s->planned_starts.n > n)
        planned_drop(s, s->planned_starts.n - 1);
}

void planned_expire(struct sched *s)
{
    for (size_t i = 0; i < s->planned_starts.n; i++)
        s->planned_starts.at[i]->expired = true;
}

void planned_set_incremental(struct sched *s, bool steady)
{
    if (!steady || !s->incremental)
        planned_expire(s);
    s->incremental = steady;
}

static int cmp_planned(const void *a, const void *b)
{
    const struct planned_start *x = *(struct planned_start *const *)a, *y = *(struct planned_start *const *)b;
    if (x->tier != y->tier || x->key != y->key)
        return queue_before(x->tier, x->key, y->tier, y->key) ? -1 : 1;
    return x->at < y->at ? -1 : 1;
}

void planned_sort(struct sched *s)
{
    for (size_t i = s->planned_starts.n; i-- > 0;) {
        struct planned_start *ps = s->planned_starts.at[i];
        const struct queue_entry *entry = queue_find(s, ps->id);
        if (!entry) {
            planned_drop(s, i);
            continue;
        }
        ps->tier = ps->cls->tier;
        ps->key = entry->key;
    }
    if (s->planned_starts.n)
        qsort(s->planned_starts.at, s->planned_starts.n, sizeof(*s->planned_starts.at), cmp_planned);
    planned_renumber(s, 0);
}

void planned_drop_job(struct sched *s, uint32_t id)
{
    for (size_t i = s->planned_starts.n; i-- > 0;)
        if (s->planned_starts.at[i]->id == id)
            planned_drop(s, i);
}

static bool entry_has_class(const struct queue_entry *entry, const struct job_class *cls)
{
    for (uint32_t i = 0; i < entry->nclasses; i++)
        if (entry->classes[i] == cls)
            return true;
    return false;
}

bool planned_drop_stale_classes(struct sched *s, const struct queue_entry *entry)
{
    bool any = false;
    for (size_t i = s->planned_starts.n; i-- > 0;)
        if (s->planned_starts.at[i]->id == entry->id && !entry_has_class(entry, s->planned_starts.at[i]->cls)) {
            planned_drop(s, i);
            any = true;
        }
    return any;
}

void planned_consume(struct sched *s, uint32_t id)
{
    for (size_t i = 0; i < s->planned_starts.n; i++)
        if (s->planned_starts.at[i]->id == id) {
            planned_drop(s, i);
            return;
        }
}

struct planned_start *planned_next(struct sched *s, const struct job_class *cls, uint32_t id)
{
    for (size_t i = s->planned_ahead; i < s->planned_starts.n; i++) {
        if (s->planned_starts.at[i]->id != id || s->planned_starts.at[i]->cls != cls)
            continue;
        while (i-- > s->planned_ahead)
            planned_drop(s, i);
        return s->planned_starts.at[s->planned_ahead];
    }
    return NULL;
}

struct planned_start *planned_new(struct sched *s, struct job_class *cls, uint32_t id, uint64_t key)
{
    struct planned_start *ps = NEW(struct planned_start);
    *ps = (struct planned_start){ .cls = cls, .id = id, .tier = cls->tier, .key = key };
    vec_push(&s->planned_starts, ps);
    memmove(s->planned_starts.at + s->planned_ahead + 1, s->planned_starts.at + s->planned_ahead,
            (s->planned_starts.n - 1 - s->planned_ahead) * sizeof(struct planned_start *));
    s->planned_starts.at[s->planned_ahead] = ps;
    planned_renumber(s, s->planned_ahead);
    return ps;
}

/* ---- setting a planned start ---- */

static bool planned_span_equal(const struct planned_span *a, const struct planned_span *b)
{
    return a->node == b->node && a->span.id == b->span.id && a->span.from_s == b->span.from_s &&
           a->span.to_s == b->span.to_s && a->span.cpus == b->span.cpus && a->span.mem_mb == b->span.mem_mb &&
           a->span.exclusive == b->span.exclusive && !memcmp(a->span.gres, b->span.gres, sizeof(a->span.gres));
}

static bool planned_unchanged(const struct sched *s, const struct planned_start *ps, size_t touched, int64_t at_s)
{
    if (ps->at_s != at_s || ps->spans.n != s->touched.n - touched)
        return false;
    for (size_t i = 0; i < ps->spans.n; i++) {
        const struct node_profile *prof = &s->profile[s->touched.at[touched + i]];
        struct planned_span now = { .node = s->touched.at[touched + i], .span = prof->trials.at[prof->trials.n - 1] };
        if (now.span.cores || !planned_span_equal(&ps->spans.at[i], &now))
            return false;
    }
    return true;
}

/* Take the last trial off the profile. */
static struct planned_span trial_take(struct sched *s, uint32_t node)
{
    struct node_profile *prof = &s->profile[node];
    return (struct planned_span){ .node = node, .span = prof->trials.at[--prof->trials.n] };
}

static void planned_move(struct sched *s, struct planned_start *ps, size_t touched)
{
    planned_unlink(s, ps);
    for (size_t i = touched; i < s->touched.n; i++) {
        vec_push(&ps->spans, trial_take(s, s->touched.at[i]));
        if (ps->spans.at[ps->spans.n - 1].span.cores)
            oversub_cores_take(s, ps->spans.at[ps->spans.n - 1].span.cores);
    }
    planned_link(s, ps);
    for (size_t i = ps->at + 1; i < s->planned_starts.n; i++)
        s->planned_starts.at[i]->improvable = true;
    s->last_start = NULL;
}

static void planned_settle(struct sched *s, struct planned_start *ps, size_t touched, int64_t at_s)
{
    if (planned_unchanged(s, ps, touched, at_s)) {
        for (size_t i = touched; i < s->touched.n; i++)
            trial_take(s, s->touched.at[i]);
    } else {
        planned_move(s, ps, touched);
    }
    s->points.n -= s->touched.n - touched; /* the points of the trial are the last */
    s->touched.n = touched;
}

void planned_store_pick(struct planned_start *ps, const struct pick *pick)
{
    ps->oversub_level = pick->level;
    ps->parts.n = 0;
    for (size_t i = 0; i < pick->at.n; i++)
        vec_push(&ps->parts, pick->at.at[i]);
}

void planned_load_pick(const struct planned_start *ps, struct pick *out)
{
    out->preferred = false;
    out->level = ps->oversub_level;
    out->at.n = 0;
    for (size_t i = 0; i < ps->parts.n; i++)
        vec_push(&out->at, ps->parts.at[i]);
}

void planned_set(struct sched *s, struct planned_start *ps, size_t touched, int64_t at_s)
{
    planned_settle(s, ps, touched, at_s);
    ps->at_s = at_s;
    ps->found_s = s->now_s;
    ps->free_count = s->free_count;
    ps->invalid = ps->improvable = ps->expired = false;
}
