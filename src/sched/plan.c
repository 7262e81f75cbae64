/*
 * plan - who starts now: the pass over the shapes, best first.
 *
 * A shape is tried until one of its jobs does not fit, then left for this plan: the others
 * in it ask for the same.  What a shape saw when it did not fit is remembered (hope.c): later only
 * nodes that gained room are looked at for it, and it is tested again when they could be enough.  Places
 * for blocked jobs are found when somebody behind them could start now, and stay (place.c, book.c): they count
 * for those behind them alone, are found anew at once when something contradicts them, and otherwise at most
 * once a second, when something was given back.  Reservations change by events alone, and all is remembered beside them,
 * too.  Where room on a node depends on who asks (shared CPUs), each plan looks at all; of places it is remembered what
 * was promised.
 *
 * Measured with bench/sched_bench.c, processor time, one core of a busy 2-core machine, 864 shapes, ten places
 * (docs/benchmarks.md has the table):
 *
 *     array of 2,000 tasks on 256 CPUs: one ends, one starts      4 us a plan
 *         with 50,000 jobs of 7 sizes behind it                   5 us
 *     10,000 nodes, 150,000 waiting, all kinds of sizes and limits:
 *         everything may have changed (sched_note(NULL))          100 ms
 *         one ends, places are looked for anew                    0.83 ms, at worst 1.9 ms
 *         one more ends within the same second                    0.67 ms, at worst 1.3 ms
 *         one is submitted                                        0.04 ms, at worst 0.2 ms
 *         29,000 starts at once                                   0.8 s
 */
#include "sched/sched_priv.h"

#define RENEWALS_MAX 1000 /* in one plan */

struct pass {
    struct sched *s;
    const struct cluster *c;
    const struct sched_budget *budget;
    struct plan *out;
    struct heap heap;
    struct pick pick;
    uint32_t tests, max_tests;
    size_t stirred; /* of those who gained room, so many were looked at */
    bool spent;
    uint32_t renewals; /* times that places were found anew */
};

enum outcome { STARTED, BLOCKED, LIMITED, SKIPPED, AGAIN };

/* By their next job. */
static bool before(const struct shape *a, const struct shape *b)
{
    return shape_before(a, a->next, b, b->next);
}

static void drop_top(struct pass *p)
{
    heap_drop(&p->heap, before);
}

/* ---- who has to be looked at ---- */

static bool any_open(const struct sched *s, const struct bitmap *a)
{
    for (size_t w = 0; w < a->words && w < s->open.words; w++)
        if (a->word[w] & s->open.word[w])
            return true;
    return false;
}

static bool part_has_room(const struct sched *s, const struct shape *sh)
{
    return any_open(s, &sh->need.allowed) || (sh->need.prefer && any_open(s, &sh->need.prefer->allowed));
}

/* Somebody came, something it needs that no node has may be back, or nodes gained room for it. */
static bool is_candidate(struct pass *p, struct shape *sh)
{
    struct sched *s = p->s;
    bool hope = hope_stir(s, p->c, sh, p->stirred);
    if (sh->fresh || (s->freed && (s->conf.preempt || sh->skips || sh->state != SHAPE_BLOCKED)))
        return true;
    return hope && (s->freed || s->gained.n > p->stirred);
}

static void candidate(struct pass *p, struct shape *sh)
{
    struct sched *s = p->s;
    sh->careful = sh->skips;
    sh->fresh = sh->skips = false;
    sh->state = SHAPE_BLOCKED;
    sh->turn = s->plan;
    if (!part_has_room(s, sh) && !s->conf.preempt) {
        if (hope_may(s, sh))
            hope_learn(sh, NULL, 0);
        book_blocked(s, sh);
        return;
    }
    sh->state = SHAPE_UNTESTED;
    vec_push(&p->heap, sh);
}

/* Those who gained room have been looked at. */
static void gained_seen(struct pass *p)
{
    for (; p->stirred < p->s->gained.n; p->stirred++)
        bitmap_unset(&p->s->gained_set, p->s->gained.at[p->stirred]);
    p->s->lifted = false;
}

static void gather(struct pass *p)
{
    struct sched *s = p->s;
    for (size_t i = 0; i < s->shapes.n; i++) {
        struct shape *sh = s->shapes.at[i];
        if (!shape_count(sh) || sh->state == SHAPE_BARRED)
            hope_forget(sh);
        else if (is_candidate(p, sh))
            candidate(p, sh);
    }
    heap_make(&p->heap, before);
    gained_seen(p);
    s->freed = false;
}

/* Did a place move that stands before the one it is looked at for?  Others never counted. */
static bool lifted_before(const struct sched *s, const struct shape *sh)
{
    size_t at = sh->next < sh->rank.n ? sh->next : sh->head;
    return s->lifted && rank_before(s->lifted_tier, s->lifted_rank, sh->tier, sh->rank.at[at]);
}

/* Within the plan nodes gained room, as a place was moved or used: some who were passed by may be looked at now. */
static bool stir(struct pass *p)
{
    struct sched *s = p->s;
    bool any = false;
    if (p->stirred == s->gained.n)
        return false;
    for (size_t i = 0; i < s->shapes.n; i++) {
        struct shape *sh = s->shapes.at[i];
        bool looked_at = sh->turn == s->plan && sh->state != SHAPE_BLOCKED;
        if (!shape_count(sh) || sh->state == SHAPE_BARRED || !hope_stir(s, p->c, sh, p->stirred) || looked_at)
            continue;
        if (!sh->hope.known && !lifted_before(s, sh))
            continue;
        sh->turn = s->plan;
        sh->state = SHAPE_UNTESTED;
        heap_add(&p->heap, before, sh);
        any = true;
    }
    gained_seen(p);
    if (any)
        book_rewind(s);
    return any;
}

/* ---- one job ---- */

uint32_t array_left(const struct sched *s, const struct cluster *c, const struct job *j, const struct seat *seat,
                    bool *limited)
{
    uint32_t started = seat->plan == s->plan ? seat->started : 0;
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

static enum outcome start(struct pass *p, struct shape *sh, const struct job *j, struct seat *seat)
{
    struct part *part = p->c->part.at[sh->need.part];
    struct sched_start st = { .job = (struct job *)(uintptr_t)j,
                              .task = TASK_NONE,
                              .part = part,
                              .resv = sh->need.resv,
                              .share = share_kind(&sh->need),
                              .owner = sh->need.owner,
                              .preferred = sh->need.prefer && p->pick.preferred,
                              .limit_min = sh->need.limit_min < job_limit_in(j, part->pb) ? sh->need.limit_min : 0,
                              .filled = p->s->planned > 0 };
    give_alloc(p->s, p->c, &sh->need, &p->pick, &st.alloc);
    if (p->s->limits && limit_late(p->s, p->c, sh, j, &st.alloc)) {
        alloc_clear(&st.alloc);
        return LIMITED;
    }
    if (!guard_allows(p->s, &(struct guard_try){ &sh->need, &st.alloc, j->id }, 1)) {
        alloc_clear(&st.alloc);
        return BLOCKED;
    }
    if (sh->need.req->lic.n)
        license_fits(p->s, p->c, &sh->need, p->s->now_s, &st.license);
    if (j->array) {
        seat->next_task = bitmap_next(&j->array->pending, seat->next_task);
        st.task = (uint32_t)seat->next_task++;
    }
    if (p->s->limits)
        limit_started(p->s, p->c, sh, j, &st.alloc);
    lane_take(p->s, &st.alloc, &sh->need, p->s->now_s, j->id);
    place_started(p->s, j->id);
    seat->started++;
    p->s->hint = p->pick.at.n == 1 && !p->s->shares && !p->pick.preferred ? sh : NULL;
    p->s->hint_node = p->pick.at.at[0].node;
    vec_push(&p->out->starts, st);
    return STARTED;
}

/* Somebody of the partition is blocked and comes first. */
static bool part_closed(const struct sched *s, const struct shape *sh)
{
    for (size_t i = 0; i < s->shapes.n; i++) {
        const struct shape *o = s->shapes.at[i];
        if (o->state == SHAPE_BLOCKED && !o->lacking && o->need.part == sh->need.part && o->next < o->rank.n &&
            rank_before(o->tier, o->rank.at[o->next], sh->tier, sh->rank.at[sh->next]))
            return true;
    }
    return false;
}

/* The job, or all components of it. */
static bool fits_whole(struct pass *p, struct shape *sh)
{
    return sh->het ? het_fits(p->s, p->c, sh) : fits_shape(p->s, p->c, sh, &p->pick);
}

/*
 * Where one of this shape went just now the next one goes too, as long as it fits there
 * alone: the range was the smallest and has only become smaller.
 * Components choose one after the other, and may find room beside a place that leads the first of them elsewhere: a
 * set is tried beside the places alone.
 */
static bool fits_now(struct pass *p, struct shape *sh)
{
    struct sched *s = p->s;
    if (!hope_still(s, p->c, sh))
        return false;
    if (s->planned > places_before(s, sh->tier, sh->rank.at[sh->next]))
        book_rewind(s);
    bool again = s->hint == sh && fits_node(s, p->c, &sh->need, s->hint_node, &p->pick);
    if (!again && !(sh->het && s->conf.backfill) && !fits_whole(p, sh))
        return false;
    if (!s->conf.backfill)
        return !part_closed(s, sh);
    size_t planned = s->planned;
    book_reserve(s, p->c, sh->tier, sh->rank.at[sh->next]);
    return (planned == s->planned && !sh->het) || fits_whole(p, sh);
}

static enum outcome try_shape(struct pass *p, struct shape *sh, const struct job *j, struct seat *seat)
{
    const struct shape *top = p->heap.at[0];
    if (sh->state == SHAPE_BARRED)
        return BLOCKED;
    p->tests++;
    if (p->s->limits && limit_early(p->s, p->c, sh, j))
        return LIMITED;
    bool fits = fits_now(p, sh);
    if (stir(p) && p->heap.at[0] != top)
        return AGAIN; /* a place was moved, and somebody before this one could use what it left */
    uint32_t full = sh->need.limit_min;
    bool cut = sh->need.req->time_min &&
               (!fits || (sh->deadline_s && p->s->now_s + need_run_s(&sh->need) > sh->deadline_s));
    uint32_t lowered = cut && p->s->conf.backfill ? timemin_fit(p->s, p->c, sh, &p->pick) : 0;
    if (cut && stir(p) && p->heap.at[0] != top)
        return AGAIN;
    if ((!fits || cut) && !lowered)
        return BLOCKED;
    if (!sh->het) {
        sh->need.limit_min = lowered ? lowered : full;
        enum outcome got = start(p, sh, j, seat);
        sh->need.limit_min = full;
        return got;
    }
    if (!het_start(p->s, p->c, sh, p->out))
        return sh->limited == WHY_NONE ? BLOCKED : LIMITED;
    place_started(p->s, j->id);
    seat->started++;
    return STARTED;
}

static bool too_late(const struct shape *sh, int64_t now_s)
{
    return sh->deadline_s && now_s + least_run_s(&sh->need) > sh->deadline_s;
}

/* A job may stand in several partitions of one tier: they are tried as it wrote them. */
static enum outcome try_job(struct pass *p, struct shape *sh, const struct job *j, struct seat *seat)
{
    seat_turn(p->s, seat);
    bool limited;
    if (!array_left(p->s, p->c, j, seat, &limited)) {
        if (limited && j->why.code != WHY_ARRAY_LIMIT)
            vec_push(&p->s->fresh, j->id);
        return SKIPPED;
    }
    if (too_late(sh, p->s->now_s)) {
        if (j->why.code != WHY_DEADLINE)
            vec_push(&p->s->fresh, j->id);
        return SKIPPED;
    }
    enum outcome got = BLOCKED;
    for (uint32_t i = 0; i < seat->nshapes && (got == BLOCKED || got == LIMITED); i++) {
        struct shape *o = seat->shape[i];
        bool turn = o == sh || (o->tier == sh->tier && o->state == SHAPE_UNTESTED && o->next < o->rank.n &&
                                o->rank.at[o->next] == seat->rank);
        if (turn)
            got = try_shape(p, o, j, seat);
    }
    if (got == BLOCKED && sh->state != SHAPE_BARRED && !p->out->preempts.n)
        preempt_for(p->s, p->c, sh, j, p->out);
    if (got == BLOCKED && sh->need.req->lic.n)
        license_news(p->s, p->c, sh);
    if (got == BLOCKED && j->why.code != WHY_PRIORITY && j->why.code != WHY_RESOURCES && !why_is_topo(j->why.code))
        vec_push(&p->s->fresh, j->id);
    return got;
}

/* ---- the pass ---- */

static bool budget_spent(struct pass *p)
{
    if (p->tests >= p->max_tests || (p->budget && p->budget->max_starts && p->out->starts.n >= p->budget->max_starts))
        p->spent = true;
    return p->spent;
}

/* What it hoped for is taken by now, and there is nothing else to say to anybody in it. */
static bool is_hopeless(struct pass *p, struct shape *sh)
{
    struct sched *s = p->s;
    return sh->hope.known && !sh->careful && !sh->deadline_s && !s->conf.preempt && !s->limits &&
           !hope_still(s, p->c, sh);
}

static void visit(struct pass *p, struct shape *sh)
{
    if (is_hopeless(p, sh)) {
        p->tests++;
        sh->state = SHAPE_BLOCKED;
        book_blocked(p->s, sh);
        drop_top(p);
        return;
    }
    uint32_t id = rank_id(sh->rank.at[sh->next]);
    const struct job *j = cluster_job(p->c, id);
    struct seat *seat = order_seat(p->s, id);
    enum outcome got = j && seat && j->state == JOB_PENDING ? try_job(p, sh, j, seat) : SKIPPED;
    if (got == AGAIN)
        return;
    sh->skips |= got == SKIPPED;
    if (got == BLOCKED || got == LIMITED) {
        sh->state = got == LIMITED ? SHAPE_LIMITED : SHAPE_BLOCKED;
        if (got == BLOCKED)
            book_blocked(p->s, sh);
        drop_top(p);
        return;
    }
    bool limited;
    if (got == STARTED && j->array && array_left(p->s, p->c, j, seat, &limited))
        return; /* the next task has the same rank */
    if (++sh->next >= sh->rank.n)
        drop_top(p);
    else
        heap_moved(&p->heap, before);
}

/* A place that should be found anew, before anybody behind it is looked at. */
static const struct place *next_place(const struct pass *p)
{
    const struct shape *top = p->heap.n ? p->heap.at[0] : NULL;
    const struct place *d = p->s->conf.backfill && p->renewals < RENEWALS_MAX ? book_due(p->s) : NULL;
    return d && (!top || rank_before(d->tier, d->rank, top->tier, top->rank.at[top->next])) ? d : NULL;
}

/* The next place or the next job; false when there is nothing left to do. */
static bool step(struct pass *p)
{
    const struct place *due = next_place(p);
    if (due && due->at < p->s->planned)
        book_rewind(p->s); /* it was passed already, and then one before it was used */
    p->renewals += due != NULL;
    if (due)
        book_reserve(p->s, p->c, due->tier, due->rank + 1);
    else if (p->heap.n)
        visit(p, p->heap.at[0]);
    else
        return false;
    return true;
}

static void leave_for_later(struct pass *p)
{
    p->s->gained.n = 0;
    for (size_t i = 0; i < p->heap.n; i++)
        p->heap.at[i]->fresh = true;
    p->out->more = p->heap.n > 0;
}

void plan_begin(struct sched *s, const struct cluster *c, int64_t now_s)
{
    s->plan++;
    s->now_s = now_s;
    s->hint = NULL;
    if (!s->steady)
        places_age(s);
    s->young_s = 0;
    backfill_reset(s, c);
    limit_begin(s, c);
    order_sync(s, c, now_s);
    places_mode(s, !s->shares && !topo_any_alone(s, c) && !near_any(s));
    runs_overdue(s, c);
    if (s->nresv || s->turns.n)
        resv_plan(s, c);
    for (size_t i = 0; i < s->shapes.n; i++)
        s->shapes.at[i]->planned = s->shapes.at[i]->next = s->shapes.at[i]->head;
}

/* When somebody may begin, or a better place may be found. */
static int64_t next_look(const struct sched *s)
{
    int64_t begin = s->begins.n ? s->begins.at[s->begins.n - 1].at_s : 0, place = book_next_s(s);
    return begin && place ? MIN(begin, place) : MAX(begin, place);
}

void sched_plan(struct sched *s, const struct cluster *c, int64_t now_s, const struct sched_budget *budget,
                struct plan *out)
{
    *out = (struct plan){ 0 };
    plan_begin(s, c, now_s);
    struct pass p = { .s = s, .c = c, .budget = budget, .out = out };
    p.max_tests = budget && budget->max_tests ? budget->max_tests : s->conf.max_tests ? s->conf.max_tests : UINT32_MAX;
    gather(&p);
    while (!budget_spent(&p) && step(&p))
        stir(&p);
    leave_for_later(&p);
    out->tests = p.tests;
    out->planned = (uint32_t)s->places.n;
    out->promises = s->promises;
    why_tell(s, c, out);
    out->next_s = next_look(s);
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

/* ---- the scheduler as a thing ---- */

void sched_configure(struct sched *s, const struct sched_conf *conf)
{
    s->conf = *conf;
    if (!s->conf.bf_window_min)
        s->conf.bf_window_min = 24 * 60;
    if (!s->conf.max_planned)
        s->conf.max_planned = 100;
    s->all = true;
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
    order_clear(s);
    share_clear(s);
    lanes_clear(s);
    book_clear(&s->limit_more);
    vec_clear(&s->noted);
    vec_clear(&s->places);
    map_clear(&s->noted_set);
    vec_clear(&s->blocked);
    vec_clear(&s->turns);
    free(s);
}

void sched_note(struct sched *s, const struct job *job)
{
    if (!job)
        s->all = true;
    else if (!map_put(&s->noted_set, job->id, s))
        vec_push(&s->noted, job->id);
}
