/* stat - counters for sdiag; see stat.h. */
#include "ctl/access.h"
#include "ctl/stat.h"

#include "ctl/fanout.h"
#include "ctl/request.h"
#include "ctl/watchdog.h"

#define DAY_S 86400

struct stat_cycles { /* of one kind of plan */
    uint64_t n, us, max_us, last_us, depth, queue, table;
    uint64_t last_depth, last_queue, last_table;
    int64_t last_s;
};

struct stat_ends { /* why plans ended */
    uint64_t queue, depth, starts;
};

struct stats {
    int64_t since_s;
    uint64_t submitted, started, completed, cancelled, failed;
    struct stat_cycles main, fill; /* all plans; plans that had to look into the future */
    struct stat_ends main_end, fill_end;
    uint64_t het;                  /* components of heterogeneous jobs that started */
    uint64_t filled, filled_ever;  /* jobs that started before one that stands higher */
    struct map rpc, users;         /* message type + 1, uid + 1 -> struct rpc_count */
    struct stat_traffic traffic;
};

struct rpc_count {
    uint32_t id;
    uint64_t n, us;
};

/* ---- counting ---- */

static void counts_clear(struct map *m)
{
    size_t pos = 0;
    for (struct rpc_count *r; (r = map_next(m, &pos, NULL));)
        free(r);
    map_clear(m);
}

void stat_open(struct ctl *t)
{
    t->stat = NEW(struct stats);
}

void stat_close(struct ctl *t)
{
    counts_clear(&t->stat->rpc);
    counts_clear(&t->stat->users);
    free(take(t->stat));
}

void stat_order(struct ctl *t, size_t nodes)
{
    t->stat->traffic.orders_sent++;
    t->stat->traffic.nodes_ordered += nodes;
}

void stat_report(struct ctl *t)
{
    t->stat->traffic.reports_heard++;
}

void stat_reported(struct ctl *t, size_t nodes)
{
    t->stat->traffic.nodes_reported += nodes;
}

struct stat_traffic stat_traffic(const struct ctl *t)
{
    return t->stat->traffic;
}

/* What was counted is forgotten, what was last seen is not. */
static void cycles_restart(struct stat_cycles *c)
{
    *c = (struct stat_cycles){ .last_us = c->last_us, .last_queue = c->last_queue, .last_s = c->last_s };
}

static void stat_restart(struct ctl *t)
{
    struct stats *s = t->stat;
    s->since_s = NOW_S(t);
    s->submitted = s->started = s->completed = s->cancelled = s->failed = s->filled = s->het = 0;
    cycles_restart(&s->main);
    cycles_restart(&s->fill);
    s->main_end = s->fill_end = (struct stat_ends){ 0 };
}

static struct stats *stat_today(struct ctl *t)
{
    if (!t->stat->since_s || t->stat->since_s / DAY_S != NOW_S(t) / DAY_S)
        stat_restart(t);
    return t->stat;
}

int64_t stat_clock(const struct ctl *t)
{
    return t->clock_us ? t->clock_us() : 0;
}

static void stat_ended(struct stats *s, uint32_t state)
{
    switch (state & JOB_STATE_BASE) {
    case JOB_CANCELLED: s->cancelled++; break;
    case JOB_NODE_FAIL:
    case JOB_BOOT_FAIL: s->failed++; break;
    default: s->completed++; break;
    }
}

void stat_event(struct ctl *t, const Pb__Event *ev)
{
    struct stats *s = stat_today(t);
    if (ev->body_case == PB__EVENT__BODY_SUBMIT) {
        const struct job *j = cluster_job(t->c, ev->submit->job_id);
        s->submitted += j && j->array ? j->array->count : 1 + ev->submit->n_het;
    } else if (ev->body_case == PB__EVENT__BODY_START) {
        s->started += 1 + ev->start->n_het;
    } else if (ev->body_case == PB__EVENT__BODY_END) {
        stat_ended(s, ev->end->state);
    }
}

static void stat_cycle(struct ctl *t, struct stat_cycles *c, const struct plan *p, uint64_t us)
{
    c->n++;
    c->us += us;
    c->max_us = MAX(c->max_us, us);
    c->last_us = us;
    c->depth += c->last_depth = p->tests;
    c->queue += c->last_queue = t->c->pending.n;
    c->table += c->last_table = p->planned;
    c->last_s = NOW_S(t);
}

static void end_of(struct stat_ends *e, const struct plan *p, bool starts_spent)
{
    if (!p->more)
        e->queue++;
    else if (starts_spent)
        e->starts++;
    else
        e->depth++;
}

void stat_plan(struct ctl *t, const struct plan *p, int64_t us, bool starts_spent)
{
    struct stats *s = stat_today(t);
    stat_cycle(t, &s->main, p, (uint64_t)us);
    end_of(&s->main_end, p, starts_spent);
    if (!p->planned)
        return;
    stat_cycle(t, &s->fill, p, (uint64_t)us);
    end_of(&s->fill_end, p, starts_spent);
    for (size_t i = 0; i < p->starts.n; i++)
        s->het += p->starts.at[i].job->het_job != 0, s->filled += p->starts.at[i].backfilled,
            s->filled_ever += p->starts.at[i].backfilled;
}

static void stat_count(struct map *m, uint32_t id, int64_t us)
{
    struct rpc_count *r = map_get(m, (uint64_t)id + 1);
    if (!r) {
        r = NEW(struct rpc_count);
        r->id = id;
        map_put(m, (uint64_t)id + 1, r);
    }
    r->n++;
    r->us += (uint64_t)us;
}

void stat_rpc_took(struct ctl *t, enum msg_type type, int64_t us)
{
    struct rpc_count *r = map_get(&t->stat->rpc, (uint64_t)type + 1);
    if (r)
        r->us += (uint64_t)us;
}

void stat_rpc(struct ctl *t, enum msg_type type, uint32_t uid, int64_t us)
{
    stat_count(&t->stat->rpc, (uint32_t)type, us);
    stat_count(&t->stat->users, uid, us);
}

/* ---- telling ---- */

static void add_counts(struct buf *out, unsigned field, const struct map *m, bool names)
{
    size_t pos = 0;
    for (const struct rpc_count *r; (r = map_next(m, &pos, NULL));) {
        Pb__DiagCount c = PB__DIAG_COUNT__INIT;
        c.id = r->id, c.count = r->n, c.us = r->us;
        if (names)
            c.name = (char *)msg_name((enum msg_type)r->id);
        pb_pack_field(out, field, &c.base);
    }
}

static void tell_cycles(const struct stat_cycles *c, const struct stat_ends *e, Pb__DiagCycles *out)
{
    pb__diag_cycles__init(out);
    out->n = c->n, out->us = c->us, out->max_us = c->max_us, out->last_us = c->last_us, out->last_s = c->last_s;
    out->depth = c->depth, out->queue = c->queue, out->table = c->table;
    out->last_depth = c->last_depth, out->last_queue = c->last_queue, out->last_table = c->last_table;
    out->end_queue = e->queue, out->end_depth = e->depth, out->end_starts = e->starts;
}

static uint64_t jobs_waiting(const struct ctl *t)
{
    uint64_t n = 0;
    for (const struct job *j = t->c->pending.head; j; j = j->next)
        n += j->array ? j->array->count : 1;
    return n;
}

static uint64_t jobs_running(const struct ctl *t)
{
    uint64_t n = 0;
    for (const struct job *j = t->c->active.head; j; j = j->next)
        n += job_base(j) == JOB_RUNNING;
    return n;
}

static void stat_tell(const struct ctl_call *call)
{
    struct ctl *t = call->t;
    const struct stats *s = stat_today(t);
    struct buf out = BUF_INIT;
    Pb__DiagReply r = PB__DIAG_REPLY__INIT;
    Pb__DiagCycles main_cycles, fill;
    tell_cycles(&s->main, &s->main_end, &main_cycles);
    tell_cycles(&s->fill, &s->fill_end, &fill);
    r.now_s = NOW_S(t), r.since_s = s->since_s;
    r.submitted = s->submitted, r.started = s->started, r.completed = s->completed, r.cancelled = s->cancelled,
    r.failed = s->failed;
    r.pending = jobs_waiting(t), r.running = jobs_running(t);
    r.main = &main_cycles, r.fill = &fill;
    r.het = s->het, r.filled = s->filled, r.filled_ever = s->filled_ever;
    r.branches = fanout_waiting(t);
    Pb__DiagTurns turns;
    watchdog_tell(t, &turns);
    r.turns = &turns;
    pb_pack(&out, &r.base);
    add_counts(&out, 1, &s->rpc, true);
    add_counts(&out, 2, &s->users, false);
    ctl_say_bytes(t, call->session, MSG_DIAG_REPLY, 0, call->number, &out);
}

void ctl_diag(const struct ctl_call *call)
{
    struct ctl *t = call->t;
    const Pb__DiagRequest *q = (Pb__DiagRequest *)call->m;
    if (q->reset && !access_may(t, call->peer, RIGHT_DIAG_RESET, NULL)) {
        ctl_fail(call, ESLURM_ACCESS_DENIED, "%s", err_text(ESLURM_ACCESS_DENIED));
        return;
    }
    if (q->reset) {
        stat_restart(t);
        watchdog_reset(t);
        t->stat->filled_ever = 0;
        counts_clear(&t->stat->rpc);
        counts_clear(&t->stat->users);
    }
    stat_tell(call);
}
