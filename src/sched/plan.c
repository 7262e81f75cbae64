/*
 * plan - which jobs start now: one pass over the job classes, in queue order.
 *
 * A class is tried until one of its jobs does not fit, then it is done for this cycle: the other jobs in it ask for the
 * same.  The nodes found by a failed test are cached (fit_cache.c); later only nodes that gained something are tested,
 * and the class is tested again when they could be sufficient.  Planned starts for blocked jobs are searched when a job
 * behind them could start now, and stay (planned_start.c, planned_queue.c).  They count only for the jobs behind them.
 * They are searched again at once when something contradicts them, and otherwise at most once a second after something
 * became free.  This holds with reservations, too, which change by events only.  With oversubscription each cycle tests
 * everything; of planned starts it keeps the promised times.
 *
 * Measured with bench/sched_bench.c, processor time, one core of a busy 2-core machine, 864 classes, ten planned starts
 * (docs/benchmarks.md has the table):
 *
 *    array of 2,000 tasks on 256 CPUs: one ends, one starts      4 us a cycle
 *        with 50,000 jobs of 7 sizes behind it                   5 us
 *    10,000 nodes, 150,000 pending jobs, all kinds of sizes and limits:
 *        everything may have changed (sched_changed(NULL))       100 ms
 *        one ends, planned starts are searched again             0.83 ms, at worst 1.9 ms
 *        one more ends within the same second                    0.67 ms, at worst 1.3 ms
 *        one is submitted                                        0.04 ms, at worst 0.2 ms
 *        29,000 starts at once                                   0.8 s
 */
#include "sched/fit.h"
#include "sched/fit_cache.h"
#include "sched/gres_bind.h"
#include "sched/het.h"
#include "sched/license.h"
#include "sched/limit.h"
#include "sched/need.h"
#include "sched/oversub.h"
#include "sched/planned.h"
#include "sched/profile.h"
#include "sched/queue.h"
#include "sched/resv_claim.h"
#include "sched/topo.h"
#include "sched/why.h"

#define RENEWALS_MAX 1000 /* planned starts searched again in one cycle */

struct plan_pass {
    struct sched *s;
    const struct cluster *c;
    const struct sched_budget *budget;
    struct plan *out;
    struct heap heap;
    struct pick pick;
    uint32_t tests, max_tests;
    size_t freed_done; /* this many of sched.freed_nodes have been handled */
    bool spent;
    uint32_t renewals; /* planned starts searched again */
};

enum plan_outcome { STARTED, BLOCKED, LIMITED, SKIPPED, AGAIN };

/* By their next job. */
static bool class_next_before(const struct job_class *a, const struct job_class *b)
{
    return class_before(a, a->next, b, b->next);
}

static void pass_drop_top(struct plan_pass *p)
{
    heap_drop(&p->heap, class_next_before);
}

/* ---- which classes to test ---- */

static bool nodes_any_open(const struct sched *s, const struct bitmap *a)
{
    for (size_t w = 0; w < a->words && w < s->open.words; w++)
        if (a->word[w] & s->open.word[w])
            return true;
    return false;
}

static bool class_any_open(const struct sched *s, const struct job_class *cls)
{
    return nodes_any_open(s, &cls->need.allowed) || (cls->need.prefer && nodes_any_open(s, &cls->need.prefer->allowed));
}

/* A job joined, another resource than nodes may have become free, or nodes became free that could hold it. */
static bool class_is_candidate(struct plan_pass *p, struct job_class *cls)
{
    struct sched *s = p->s;
    bool may_fit = fit_cache_refresh(s, p->c, cls, p->freed_done);
    if (cls->changed || (s->any_freed && (s->conf.preempt || cls->has_skipped || cls->state != CLASS_BLOCKED)))
        return true;
    return may_fit && (s->any_freed || s->freed_nodes.n > p->freed_done);
}

static void pass_add_candidate(struct plan_pass *p, struct job_class *cls)
{
    struct sched *s = p->s;
    cls->retry_each = cls->has_skipped;
    cls->changed = cls->has_skipped = false;
    cls->state = CLASS_BLOCKED;
    cls->cycle = s->cycle;
    if (!class_any_open(s, cls) && !s->conf.preempt) {
        if (fit_cache_usable(s, cls))
            fit_cache_store(cls, NULL, 0);
        planned_queue_add(s, cls);
        return;
    }
    cls->state = CLASS_UNTESTED;
    vec_push(&p->heap, cls);
}

/* All freed nodes have been handled. */
static void pass_freed_done(struct plan_pass *p)
{
    for (; p->freed_done < p->s->freed_nodes.n; p->freed_done++)
        bitmap_unset(&p->s->freed_node_set, p->s->freed_nodes.at[p->freed_done]);
    p->s->planned_moved = false;
}

static void pass_gather(struct plan_pass *p)
{
    struct sched *s = p->s;
    for (size_t i = 0; i < s->classes.n; i++) {
        struct job_class *cls = s->classes.at[i];
        if (!class_count(cls) || cls->state == CLASS_UNSCHEDULABLE)
            fit_cache_invalidate(cls);
        else if (class_is_candidate(p, cls))
            pass_add_candidate(p, cls);
    }
    heap_make(&p->heap, class_next_before);
    pass_freed_done(p);
    s->any_freed = false;
}

/* Did a planned start move that counts for the next job of the class? */
static bool planned_moved_before(const struct sched *s, const struct job_class *cls)
{
    size_t at = cls->next < cls->keys.n ? cls->next : cls->head;
    return s->planned_moved && queue_before(s->moved_tier, s->moved_key, cls->tier, cls->keys.at[at]);
}

/* Nodes became free within the cycle, because a planned start moved or was used: classes that were passed over may fit.
 */
static bool pass_add_freed(struct plan_pass *p)
{
    struct sched *s = p->s;
    bool any = false;
    if (p->freed_done == s->freed_nodes.n)
        return false;
    for (size_t i = 0; i < s->classes.n; i++) {
        struct job_class *cls = s->classes.at[i];
        bool looked_at = cls->cycle == s->cycle && cls->state != CLASS_BLOCKED;
        if (!class_count(cls) || cls->state == CLASS_UNSCHEDULABLE || !fit_cache_refresh(s, p->c, cls, p->freed_done) ||
            looked_at)
            continue;
        if (!cls->fit_cache.known && !planned_moved_before(s, cls))
            continue;
        cls->cycle = s->cycle;
        cls->state = CLASS_UNTESTED;
        heap_add(&p->heap, class_next_before, cls);
        any = true;
    }
    pass_freed_done(p);
    if (any)
        planned_queue_rewind(s);
    return any;
}

/* ---- one job ---- */

uint32_t array_tasks_left(const struct sched *s, const struct cluster *c, const struct job *j,
                          const struct queue_entry *entry, bool *limited)
{
    uint32_t started = entry->cycle == s->cycle ? entry->started : 0;
    *limited = false;
    if (!j->array)
        return started ? 0 : 1;
    uint32_t left = j->array->count - MIN(started, j->array->count);
    if (!j->array->max_running || !left)
        return left;
    const struct array_group *g = cluster_array(c, j->array_job);
    uint32_t busy = (g ? g->running : 0) + started;
    uint32_t may = j->array->max_running - MIN(busy, j->array->max_running);
    *limited = may == 0;
    return MIN(left, may);
}

static enum plan_outcome plan_start_job(struct plan_pass *p, struct job_class *cls, const struct need *n,
                                        const struct job *j, struct queue_entry *entry)
{
    struct part *part = p->c->part.at[n->part];
    struct sched_start st = { .job = (struct job *)(uintptr_t)j,
                              .task = TASK_NONE,
                              .part = part,
                              .resv = n->resv,
                              .oversub = need_job_oversub(n),
                              .owner = n->owner,
                              .preferred = n->prefer && p->pick.preferred,
                              .limit_min = n->limit_min < job_limit_in(j, part->pb) ? n->limit_min : 0,
                              .backfilled = p->s->planned_ahead > 0 };
    assign_alloc(p->s, p->c, n, &p->pick, &st.alloc);
    if (p->s->limits && limit_check_alloc(p->s, p->c, cls, n, j, &st.alloc)) {
        alloc_clear(&st.alloc);
        return LIMITED;
    }
    if (!planned_check_start(p->s, &(struct trial_start){ n, &st.alloc, j->id }, 1)) {
        alloc_clear(&st.alloc);
        return BLOCKED;
    }
    if (n->req->licenses.n)
        license_fits(p->s, p->c, n, p->s->now_s, &st.license);
    if (j->array) {
        entry->next_task = bitmap_next(&j->array->pending, entry->next_task);
        st.task = (uint32_t)entry->next_task++;
    }
    if (p->s->limits)
        limit_add_start(p->s, p->c, cls, n, j, &st.alloc);
    profile_start(p->s, &st.alloc, n, p->s->now_s, j->id);
    planned_consume(p->s, j->id);
    entry->started++;
    p->s->last_start = p->pick.at.n == 1 && !p->s->oversub && !p->pick.preferred ? cls : NULL;
    p->s->last_start_node = p->pick.at.at[0].node;
    vec_push(&p->out->starts, st);
    return STARTED;
}

/* Is a job of the same partition blocked that comes first? */
static bool part_blocked_before(const struct sched *s, const struct job_class *cls)
{
    for (size_t i = 0; i < s->classes.n; i++) {
        const struct job_class *o = s->classes.at[i];
        if (o->state == CLASS_BLOCKED && !o->lacks_license && o->need.part == cls->need.part && o->next < o->keys.n &&
            queue_before(o->tier, o->keys.at[o->next], cls->tier, cls->keys.at[cls->next]))
            return true;
    }
    return false;
}

/* The job, or all components of a heterogeneous one. */
static bool class_fits(struct plan_pass *p, struct job_class *cls)
{
    return cls->het ? het_fits(p->s, p->c, cls) : fits_class(p->s, p->c, cls, &p->pick);
}

/*
 * The next job of the class that started last goes to the same node while it fits there alone: that range was the
 * smallest and has only become smaller.
 * The components of a heterogeneous job choose one after the other, and a planned start may lead the first of them to
 * other nodes: so they are tested only beside the planned starts.
 */
static bool plan_fits_now(struct plan_pass *p, struct job_class *cls)
{
    struct sched *s = p->s;
    if (!fit_cache_recheck(s, p->c, cls))
        return false;
    if (s->planned_ahead > planned_before(s, cls->tier, cls->keys.at[cls->next]))
        planned_queue_rewind(s);
    bool again = s->last_start == cls && fits_node(s, p->c, &cls->need, s->last_start_node, &p->pick);
    if (!again && !(cls->het && s->conf.backfill) && !class_fits(p, cls))
        return false;
    if (!s->conf.backfill)
        return !part_blocked_before(s, cls);
    size_t planned = s->planned_ahead;
    planned_queue_extend(s, p->c, cls->tier, cls->keys.at[cls->next]);
    return (planned == s->planned_ahead && !cls->het) || class_fits(p, cls);
}

static enum plan_outcome plan_try_class(struct plan_pass *p, struct job_class *cls, const struct job *j,
                                        struct queue_entry *entry)
{
    const struct job_class *top = p->heap.at[0];
    if (cls->state == CLASS_UNSCHEDULABLE)
        return BLOCKED;
    p->tests++;
    if (p->s->limits && limit_check_request(p->s, p->c, cls, j))
        return LIMITED;
    bool fits = plan_fits_now(p, cls);
    if (pass_add_freed(p) && p->heap.at[0] != top)
        return AGAIN; /* a planned start moved and freed nodes that a job further ahead may use: start over */
    bool cut = cls->need.req->time_min &&
               (!fits || (cls->deadline_s && p->s->now_s + need_run_s(&cls->need) > cls->deadline_s));
    uint32_t lowered = cut && p->s->conf.backfill ? timemin_fit(p->s, p->c, cls, &p->pick) : 0;
    if (cut && pass_add_freed(p) && p->heap.at[0] != top)
        return AGAIN;
    if ((!fits || cut) && !lowered)
        return BLOCKED;
    if (!cls->het) {
        struct need need = cls->need;
        need.limit_min = lowered ? lowered : need.limit_min;
        return plan_start_job(p, cls, &need, j, entry);
    }
    if (!het_start(p->s, p->c, cls, p->out))
        return cls->limited == WHY_NONE ? BLOCKED : LIMITED;
    planned_consume(p->s, j->id);
    entry->started++;
    return STARTED;
}

static bool deadline_passed(const struct job_class *cls, int64_t now_s)
{
    return cls->deadline_s && now_s + need_least_run_s(&cls->need) > cls->deadline_s;
}

/* A job in several partitions of one tier: try them in the order that the job names them. */
static enum plan_outcome plan_try_job(struct plan_pass *p, struct job_class *cls, const struct job *j,
                                      struct queue_entry *entry)
{
    queue_entry_begin_cycle(p->s, entry);
    bool limited;
    if (!array_tasks_left(p->s, p->c, j, entry, &limited)) {
        if (limited && j->why.code != WHY_ARRAY_LIMIT)
            vec_push(&p->s->why_changed, j->id);
        return SKIPPED;
    }
    if (deadline_passed(cls, p->s->now_s)) {
        if (j->why.code != WHY_DEADLINE)
            vec_push(&p->s->why_changed, j->id);
        return SKIPPED;
    }
    enum plan_outcome got = BLOCKED;
    for (uint32_t i = 0; i < entry->nclasses && (got == BLOCKED || got == LIMITED); i++) {
        struct job_class *o = entry->classes[i];
        bool due = o == cls || (o->tier == cls->tier && o->state == CLASS_UNTESTED && o->next < o->keys.n &&
                                o->keys.at[o->next] == entry->key);
        if (due)
            got = plan_try_class(p, o, j, entry);
    }
    if (got == BLOCKED && cls->state != CLASS_UNSCHEDULABLE && !p->out->preempts.n)
        preempt_for(p->s, p->c, cls, j, p->out);
    if (got == BLOCKED && cls->need.req->licenses.n)
        license_update_class(p->s, p->c, cls);
    if (got == BLOCKED && j->why.code != WHY_PRIORITY && j->why.code != WHY_RESOURCES && !why_is_topo(j->why.code))
        vec_push(&p->s->why_changed, j->id);
    return got;
}

/* ---- the pass ---- */

static bool pass_budget_spent(struct plan_pass *p)
{
    if (p->tests >= p->max_tests || (p->budget && p->budget->max_starts && p->out->starts.n >= p->budget->max_starts))
        p->spent = true;
    return p->spent;
}

/* Starts of this cycle took the cached nodes, and no job of the class needs another reason. */
static bool class_cannot_fit(struct plan_pass *p, struct job_class *cls)
{
    struct sched *s = p->s;
    return cls->fit_cache.known && !cls->retry_each && !cls->deadline_s && !s->conf.preempt && !s->limits &&
           !fit_cache_recheck(s, p->c, cls);
}

static void plan_visit_class(struct plan_pass *p, struct job_class *cls)
{
    if (class_cannot_fit(p, cls)) {
        p->tests++;
        cls->state = CLASS_BLOCKED;
        planned_queue_add(p->s, cls);
        pass_drop_top(p);
        return;
    }
    uint32_t id = queue_key_id(cls->keys.at[cls->next]);
    const struct job *j = cluster_job(p->c, id);
    struct queue_entry *entry = queue_find(p->s, id);
    enum plan_outcome got = j && entry && j->state == JOB_PENDING ? plan_try_job(p, cls, j, entry) : SKIPPED;
    if (got == AGAIN)
        return;
    cls->has_skipped |= got == SKIPPED;
    if (got == BLOCKED || got == LIMITED) {
        cls->state = got == LIMITED ? CLASS_LIMITED : CLASS_BLOCKED;
        if (got == BLOCKED)
            planned_queue_add(p->s, cls);
        pass_drop_top(p);
        return;
    }
    bool limited;
    if (got == STARTED && j->array && array_tasks_left(p->s, p->c, j, entry, &limited))
        return; /* the next task has the same queue key */
    if (++cls->next >= cls->keys.n)
        pass_drop_top(p);
    else
        heap_moved(&p->heap, class_next_before);
}

/* A planned start that has to be searched again before any job behind it is tried. */
static const struct planned_start *pass_next_planned(const struct plan_pass *p)
{
    const struct job_class *top = p->heap.n ? p->heap.at[0] : NULL;
    const struct planned_start *d = p->s->conf.backfill && p->renewals < RENEWALS_MAX ? planned_queue_due(p->s) : NULL;
    return d && (!top || queue_before(d->tier, d->key, top->tier, top->keys.at[top->next])) ? d : NULL;
}

/* Handle the next planned start or the next job; false when nothing is left. */
static bool pass_step(struct plan_pass *p)
{
    const struct planned_start *due = pass_next_planned(p);
    if (due && due->at < p->s->planned_ahead)
        planned_queue_rewind(p->s); /* the pass is beyond it, but one before it was used */
    p->renewals += due != NULL;
    if (due)
        planned_queue_extend(p->s, p->c, due->tier, due->key + 1);
    else if (p->heap.n)
        plan_visit_class(p, p->heap.at[0]);
    else
        return false;
    return true;
}

static void pass_end(struct plan_pass *p)
{
    p->s->freed_nodes.n = 0;
    for (size_t i = 0; i < p->heap.n; i++)
        p->heap.at[i]->changed = true;
    p->out->more = p->heap.n > 0;
}

void plan_begin(struct sched *s, const struct cluster *c, int64_t now_s)
{
    s->cycle++;
    s->now_s = now_s;
    s->last_start = NULL;
    if (!s->incremental)
        planned_expire(s);
    s->planned_eligible_s = 0;
    trials_reset(s, c);
    limit_begin_cycle(s, c);
    queue_sync(s, c, now_s);
    planned_set_incremental(s, !s->oversub && !topo_any_exclusive(s, c) && !gres_bind_any(s));
    running_overdue(s, c);
    if (s->nresv || s->resv_boundaries.n)
        resv_begin_cycle(s, c);
    for (size_t i = 0; i < s->classes.n; i++)
        s->classes.at[i]->next_planned = s->classes.at[i]->next = s->classes.at[i]->head;
}

/* When a job becomes eligible, or a planned start may be improved. */
static int64_t plan_next_s(const struct sched *s)
{
    int64_t begin = s->begin_times.n ? s->begin_times.at[s->begin_times.n - 1].at_s : 0,
            planned = planned_queue_next_s(s);
    return begin && planned ? MIN(begin, planned) : MAX(begin, planned);
}

void sched_plan(struct sched *s, const struct cluster *c, int64_t now_s, const struct sched_budget *budget,
                struct plan *out)
{
    *out = (struct plan){ 0 };
    plan_begin(s, c, now_s);
    struct plan_pass p = { .s = s, .c = c, .budget = budget, .out = out };
    p.max_tests = budget && budget->max_tests ? budget->max_tests : s->conf.max_tests ? s->conf.max_tests : UINT32_MAX;
    pass_gather(&p);
    while (!pass_budget_spent(&p) && pass_step(&p))
        pass_add_freed(&p);
    pass_end(&p);
    out->tests = p.tests;
    out->planned = (uint32_t)s->planned_starts.n;
    out->planned_kept = s->planned_kept;
    why_update(s, c, out);
    out->next_s = plan_next_s(s);
    yield_find(s, c, out);
    vec_clear(&p.heap);
    vec_clear(&p.pick.at);
}

void plan_clear(struct plan *p)
{
    for (size_t i = 0; i < p->starts.n; i++)
        alloc_clear(&p->starts.at[i].alloc);
    for (size_t i = 0; i < p->whys.n; i++)
        free(p->whys.at[i].nodes);
    vec_clear(&p->starts);
    vec_clear(&p->preempts);
    vec_clear(&p->yields);
    vec_clear(&p->whys);
    *p = (struct plan){ 0 };
}

/* ---- the scheduler object ---- */

void sched_configure(struct sched *s, const struct sched_conf *conf)
{
    s->conf = *conf;
    if (!s->conf.bf_window_min)
        s->conf.bf_window_min = 24 * 60;
    if (!s->conf.max_planned)
        s->conf.max_planned = 100;
    s->resync = true;
}

struct sched *sched_new(const struct sched_conf *conf)
{
    struct sched *s = NEW(struct sched);
    sched_configure(s, conf);
    return s;
}

void sched_free(struct sched *s)
{
    if (!s)
        return;
    queue_clear(s);
    oversub_clear(s);
    profiles_clear(s);
    limit_usage_clear(&s->limit_started);
    vec_clear(&s->changed_jobs);
    vec_clear(&s->planned_starts);
    map_clear(&s->changed_job_set);
    vec_clear(&s->planned_queue);
    vec_clear(&s->resv_boundaries);
    free(s);
}

void sched_changed(struct sched *s, const struct job *job)
{
    if (!job)
        s->resync = true;
    else if (!map_put(&s->changed_job_set, job->id, s))
        vec_push(&s->changed_jobs, job->id);
}
