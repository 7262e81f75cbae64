/*
 * planned_queue - which jobs get a planned start: the blocked ones, in queue order, up to max_planned.
 *
 * Planned starts stay from cycle to cycle (planned_start.c).  One that nothing contradicts is still valid, but after
 * something became free an earlier time may exist.  It is searched again at most once a second, and less often the more
 * node tests the search takes.
 */
#include "sched/fit.h"
#include "sched/het.h"
#include "sched/limit.h"
#include "sched/planned.h"
#include "sched/profile.h"
#include "sched/queue.h"

#define NODE_TESTS_MAX 40000 /* node tests per cycle */
#define NODE_TESTS_RETRY                                                                                               \
    1500 /* node tests after which valid planned starts are not searched again; conf.max_node_tests */
#define NODE_TESTS_PER_S 1000 /* a search that cost n times this is repeated after n more seconds */
#define ARRAY_PLANNED 20      /* planned starts of one array, unless the configuration says otherwise */

/* ---- blocked classes with a job that has no planned start ---- */

static bool planned_queue_order(const struct job_class *a, const struct job_class *b)
{
    return class_before(a, a->next_planned, b, b->next_planned);
}

/* A job without a planned start comes before jobs with one: their planned starts may have to move. */
static void planned_mark_improvable(struct sched *s, const struct job_class *cls)
{
    uint64_t key = cls->keys.at[cls->next];
    size_t at = planned_before(s, cls->tier, key);
    if (at < s->planned_starts.n && s->planned_starts.at[at]->key == key)
        return;
    for (; at < s->planned_starts.n; at++)
        s->planned_starts.at[at]->improvable = true;
}

void planned_queue_add(struct sched *s, struct job_class *cls)
{
    planned_mark_improvable(s, cls);
    if (!s->planned_queue_valid || cls->next_planned >= cls->keys.n)
        return;
    heap_add(&s->planned_queue, planned_queue_order, cls);
}

static void planned_queue_fill(struct sched *s)
{
    if (s->planned_queue_valid)
        return;
    s->planned_queue.n = 0;
    for (size_t i = 0; i < s->classes.n; i++)
        if (s->classes.at[i]->state == CLASS_BLOCKED && s->classes.at[i]->next_planned < s->classes.at[i]->keys.n)
            vec_push(&s->planned_queue, s->classes.at[i]);
    heap_make(&s->planned_queue, planned_queue_order);
    s->planned_queue_valid = true;
}

/* The job at the top of the heap is done: its successor in the class, or the next class. */
static void planned_queue_advance(struct sched *s, struct job_class *cls)
{
    if (cls->next_planned >= cls->keys.n)
        heap_drop(&s->planned_queue, planned_queue_order);
    else
        heap_moved(&s->planned_queue, planned_queue_order);
}

/* ---- a pass over the planned starts ---- */

/* bf_min_age_reserve and bf_min_prio_reserve: a job that is too young or too low gets no planned start. */
static bool planned_job_allowed(struct sched *s, const struct job *j)
{
    int64_t from_s = j->eligible_s + s->conf.planned_min_age_s;
    if (s->conf.planned_min_priority && job_priority(j) < s->conf.planned_min_priority)
        return false;
    if (from_s <= s->now_s)
        return true;
    s->planned_eligible_s = s->planned_eligible_s ? MIN(s->planned_eligible_s, from_s) : from_s;
    return false;
}

/* Does the job, or one more task of the array, get a planned start? */
static bool planned_wanted(struct sched *s, const struct cluster *c, const struct job *j, struct queue_entry *entry)
{
    queue_entry_begin_cycle(s, entry);
    if ((s->conf.planned_min_age_s || s->conf.planned_min_priority) && !planned_job_allowed(s, j))
        return false;
    uint32_t of_array = s->conf.max_planned_per_array ? s->conf.max_planned_per_array : ARRAY_PLANNED;
    if (entry->planned_pass != s->planned_pass)
        entry->nplanned = 0;
    entry->planned_pass = s->planned_pass;
    bool limited;
    uint32_t left = array_tasks_left(s, c, j, entry, &limited);
    return entry->nplanned < MIN(left, of_array) && !limit_denies_planned_start(s, c, j);
}

/* When the search may be repeated because an earlier time may exist; 0: it need not be. */
static int64_t planned_retry_s(const struct sched *s, const struct planned_start *ps)
{
    uint32_t a_second = MAX(s->conf.max_node_tests, (uint32_t)NODE_TESTS_PER_S);
    return ps->free_count != s->free_count || ps->improvable ? ps->found_s + ps->node_tests / a_second + 1 : 0;
}

static bool planned_may_search(const struct sched *s)
{
    return s->node_tests < (s->conf.max_node_tests ? s->conf.max_node_tests : NODE_TESTS_RETRY);
}

static bool planned_retry_due(const struct sched *s, const struct planned_start *ps)
{
    int64_t at_s = planned_retry_s(s, ps);
    return at_s && at_s <= s->now_s;
}

/* It needs more than nodes (licences, components): it is searched in each cycle. */
static bool planned_per_cycle(const struct planned_start *ps)
{
    return ps->cls->het || ps->cls->need.req->licenses.n;
}

static bool planned_invalid(const struct sched *s, const struct planned_start *ps)
{
    return ps->invalid || (ps->at_s && ps->at_s <= s->now_s && ps->found_s < s->now_s);
}

/* Without incremental scheduling it is searched when a job could start, and not before. */
static bool planned_due(const struct sched *s, const struct planned_start *ps)
{
    return ps->expired ? s->incremental : planned_invalid(s, ps) || planned_retry_due(s, ps);
}

const struct planned_start *planned_queue_due(const struct sched *s)
{
    for (size_t i = 0; i < s->planned_starts.n && planned_may_search(s); i++)
        if (planned_due(s, s->planned_starts.at[i]))
            return s->planned_starts.at[i];
    return NULL;
}

int64_t planned_queue_next_s(const struct sched *s)
{
    int64_t next = 0;
    for (size_t i = 0; i < s->planned_starts.n; i++) {
        const struct planned_start *ps = s->planned_starts.at[i];
        int64_t at_s = !ps->expired ? planned_retry_s(s, ps) : s->incremental ? s->now_s + 1 : 0;
        if (at_s && (!next || at_s < next))
            next = at_s;
    }
    if (s->planned_eligible_s && (!next || s->planned_eligible_s < next))
        next = s->planned_eligible_s;
    return next ? MAX(next, s->now_s + 1) : 0;
}

/* The earliest time; or the promised time, where a search finds only a later one. */
static int64_t planned_find_time(struct sched *s, const struct cluster *c, const struct planned_start *ps,
                                 struct pick *pick)
{
    int64_t at = backfill_start_s(s, c, &ps->cls->need, pick);
    if ((at && at <= ps->at_s) || !planned_can_keep(s, c, ps))
        return at;
    s->planned_kept++;
    planned_load_pick(ps, pick);
    return ps->at_s;
}

static void planned_search(struct sched *s, const struct cluster *c, struct planned_start *ps, struct pick *pick)
{
    uint32_t looks = s->node_tests;
    size_t touched = s->touched.n;
    struct job_class *cls = ps->cls;
    planned_release_licenses(s, ps);
    int64_t at = cls->het ? het_start_s(s, c, cls, true) : planned_find_time(s, c, ps, pick);
    if (at && !cls->het) {
        trial_add(s, c, &cls->need, pick, at, ps->id);
        planned_store_pick(ps, pick);
    }
    planned_set(s, ps, touched, at);
    ps->node_tests = s->node_tests - looks;
    ps->cycle = s->cycle;
}

/* The next planned start is that of the job at the top of the heap, if it gets one.  False when the cycle has spent its
 * node tests. */
static bool planned_queue_step(struct sched *s, const struct cluster *c, struct job_class *cls, struct pick *pick)
{
    uint64_t key = cls->keys.at[cls->next_planned];
    uint32_t id = queue_key_id(key);
    const struct job *j = cluster_job(c, id);
    struct queue_entry *entry = queue_find(s, id);
    if (!entry || !j || cls->need.magnetic ||
        !planned_wanted(s, c, j, entry)) { /* a job that a magnetic reservation attracts waits outside of it */
        cls->next_planned++;
        return true;
    }
    struct planned_start *ps = planned_next(s, cls, id);
    bool stale = !ps || ps->expired || planned_invalid(s, ps) || (planned_per_cycle(ps) && ps->cycle != s->cycle);
    if (stale && s->node_tests >= MAX(s->conf.max_node_tests, (uint32_t)NODE_TESTS_MAX)) {
        planned_truncate(s, s->planned_ahead);
        return false;
    }
    if (!ps)
        ps = planned_new(s, cls, id, key);
    if (stale || (planned_retry_due(s, ps) && planned_may_search(s)))
        planned_search(s, c, ps, pick);
    s->planned_ahead++;
    entry->nplanned++;
    if (!ps->at_s)
        cls->next_planned = cls->keys.n; /* no job of this class has a start time that can be told */
    return true;
}

/* Planned starts that the pass skipped are not wanted any more. */
static void planned_drop_skipped(struct sched *s, uint32_t tier, uint64_t key)
{
    while (s->planned_ahead < planned_before(s, tier, key))
        planned_drop(s, s->planned_ahead);
}

void planned_queue_extend(struct sched *s, const struct cluster *c, uint32_t tier, uint64_t key)
{
    struct pick p = { 0 };
    bool all = true;
    planned_queue_fill(s);
    while (all && s->planned_ahead < s->conf.max_planned && s->planned_queue.n) {
        struct job_class *cls = s->planned_queue.at[0];
        if (!queue_before(cls->tier, cls->keys.at[cls->next_planned], tier, key))
            break;
        all = planned_queue_step(s, c, cls, &p);
        planned_queue_advance(s, cls);
    }
    if (all)
        planned_drop_skipped(s, tier, key);
    planned_truncate(s, s->conf.max_planned);
    vec_clear(&p.at);
}

void planned_queue_rewind(struct sched *s)
{
    s->planned_ahead = 0;
    s->planned_pass++;
    s->planned_queue_valid = false;
    for (size_t i = 0; i < s->classes.n; i++)
        s->classes.at[i]->next_planned = s->classes.at[i]->head;
}
