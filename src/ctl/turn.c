/* turn - one turn of the controller: events in, one entry and its outgoing words out; see ctl.h. */
#include <stdarg.h>

#include "core/step.h"
#include "ctl/clean.h"
#include "ctl/query_cache.h"
#include "ctl/gang.h"
#include "ctl/usage_charge.h"
#include "ctl/priority_fairshare.h"
#include "ctl/priority_update.h"
#include "ctl/resv.h"
#include "ctl/fanout.h"

#define ENTRY_ENOUGH (512u << 10) /* then the other requests wait for the next turn */
#define ENTRY_PLAN (4u << 20)     /* no plan is made on top of so much: what it starts needs room, too */
#define EVENT_LARGE (256u << 10)  /* one that somebody outside made so large; it may be refused */

struct ctl *ctl_new(const struct ctl_conf *conf)
{
    struct ctl *t = NEW(struct ctl);
    struct sched_conf sc;
    t->c = cluster_new();
    t->site = conf->site;
    t->key = conf->key;
    t->admin_uid = conf->admin_uid;
    t->id = conf->id;
    t->clock_us = conf->clock_us;
    config_sched(t->site, &sc);
    sc.admin_uid = t->admin_uid;
    t->sched = sched_new(&sc);
    priority_update_configure(t);
    gang_configure(t);
    return t;
}

static void drop_outs(struct ctl *t)
{
    for (size_t i = 0; i < t->outs.n; i++)
        ctl_out_clear(&t->outs.at[i]);
    t->outs.n = 0;
}

void ctl_out_clear(struct ctl_out *out)
{
    if (out->shared)
        shared_buf_unref(out->shared);
    else
        free(out->body);
}

void ctl_free(struct ctl *t)
{
    if (!t)
        return;
    ctl_follow(t);
    drop_outs(t);
    vec_clear(&t->outs);
    query_cache_clear(t);
    vec_clear(&t->gang_new);
    vec_clear(&t->usage_charge_ended);
    buf_clear(&t->entry);
    stat_clear(t);
    sched_free(t->sched);
    cluster_free(t->c);
    site_free(t->site);
    free(t->agents);
    free(t);
}

struct cluster *ctl_cluster(struct ctl *t)
{
    return t->c;
}
const struct site *ctl_site(const struct ctl *t)
{
    return t->site;
}

/* ---- following ---- */

void ctl_replay(struct ctl *t, const void *entry, size_t len)
{
    Pb__Entry *e = pb__entry__unpack(NULL, len, entry);
    if (!e) {
        log_line(LOG_FATAL, "a committed entry does not parse: this release cannot follow the log");
        abort();
    }
    for (size_t i = 0; i < e->n_events; i++) {
        struct err err = ERR_INIT;
        if (cluster_apply(t->c, e->events[i], &err))
            log_error("a committed event does not fit: %s", err.text);
    }
    pb__entry__free_unpacked(e, NULL);
}

void ctl_encode(struct ctl *t, struct buf *out)
{
    cluster_encode(t->c, out);
}

int ctl_decode(struct ctl *t, const void *p, size_t len, struct err *err)
{
    struct cluster *c;
    int rc = cluster_decode(&c, p, len, err);
    if (rc)
        return rc;
    cluster_free(t->c);
    t->c = c;
    sched_changed(t->sched, NULL);
    return 0;
}

/* ---- leading ---- */

static void wake_list(struct ctl *t, struct joblist *l)
{
    for (struct job *j = l->head; j; j = j->next) {
        timers_job(t, j);
        for (size_t i = 0; i < j->steps.n; i++)
            step_set_timer(t, j, j->steps.at[i].pb);
        depend_index(t, j);
    }
}

/* Reminders are not part of the state: whoever leads looks at every open dependency once. */
static void settle_pending(struct ctl *t)
{
    VEC(uint32_t) ids = { 0 };
    for (struct job *j = t->c->pending.head; j; j = j->next)
        if (job_depend_open(j))
            vec_push(&ids, j->id);
    for (size_t i = 0; i < ids.n; i++) {
        struct job *j = cluster_job(t->c, ids.at[i]);
        if (j)
            depend_settle(t, j);
    }
    vec_clear(&ids);
}

void ctl_lead(struct ctl *t, int64_t now_ms, struct site *site)
{
    t->leading = true;
    if (site)
        config_use(t, site);
    config_emit(t, false);
    agents_fit(t);
    for (size_t i = 0; i < t->nagents; i++) {
        t->agents[i].lost_ms = now_ms;
        timer_add(&t->timers, now_ms + 10000, TIMER_NODE, (uint32_t)i, 0);
        timer_add(&t->timers, now_ms + (int64_t)t->site->node_timeout_s * 1000, TIMER_NODE, (uint32_t)i, 0);
    }
    wake_list(t, &t->c->pending);
    wake_list(t, &t->c->active);
    wake_list(t, &t->c->done);
    settle_pending(t);
    hook_lead(t);
    resv_lead(t);
    usage_charge_lead(t);
    priority_update_stale(t);
    sched_changed(t->sched, NULL);
    t->want_plan = true;
    t->gang_stale = t->gang;
    gang_end(t);
}

void ctl_follow(struct ctl *t)
{
    t->leading = false;
    t->plan_timer_s = 0;
    map_clear(&t->victims);
    t->priority_timer_ms = 0;
    t->gang_timer_ms = 0;
    t->gang_new.n = 0;
    t->lowest = 0;
    timer_clear(&t->timers);
    depend_clear_all(t);
    map_clear(&t->agent_of);
    for (size_t i = 0; i < t->waiters.n; i++)
        vec_clear(&t->waiters.at[i].jobs);
    vec_clear(&t->waiters);
    map_clear(&t->waited);
    map_clear(&t->resv_idle);
    priority_fairshare_clear(t);
    step_wait_clear(t);
    fanout_clear(t);
    clean_clear(t);
    query_cache_clear(t);
    if (t->agents)
        memset(t->agents, 0, t->nagents * sizeof(*t->agents));
}

#define CLOCK_BACK_MS 5000 /* a step back that is worth a word */

/* A clock that steps back must not make the past grow: time in the state only moves on, and until then stands still. */
static void set_clock(struct ctl *t, int64_t now_ms)
{
    t->now_ms = MAX(now_ms, t->c->last_ms);
    t->clock_back = now_ms < t->now_ms;
    bool far = t->now_ms - now_ms > CLOCK_BACK_MS;
    if (far && !t->clock_told)
        log_error("the clock is %lld s behind the last entry of the log: limits and times stand still until it has caught up",
                 (long long)(t->now_ms - now_ms) / 1000);
    else if (t->clock_told && !t->clock_back)
        log_info("the clock has caught up with the log");
    t->clock_told = far || (t->clock_told && t->clock_back);
}

void ctl_begin(struct ctl *t, int64_t now_ms, const struct ctl_facts *facts)
{
    set_clock(t, now_ms);
    if (facts)
        t->facts = *facts;
    buf_reset(&t->entry);
    drop_outs(t);
    t->more = false;
}

const struct buf *ctl_end(struct ctl *t)
{
    if (t->leading && t->resv_stale)
        resv_refill(t);
    if (t->leading)
        priority_update_refresh(t);
    if (t->leading && t->want_plan && t->entry.len < ENTRY_PLAN)
        plan_run(t);
    if (t->leading && t->gang)
        gang_refresh(t);
    t->read = false;
    return &t->entry;
}

bool ctl_full(const struct ctl *t)
{
    return t->entry.len > ENTRY_ENOUGH;
}

void ctl_read(struct ctl *t)
{
    if (!t->read)
        query_cache_answer(t);
    t->read = true;
}

size_t ctl_outs(struct ctl *t, struct ctl_out **outs)
{
    ctl_read(t);
    size_t n = t->outs.n;
    *outs = t->outs.at;
    t->outs.n = 0;
    return n;
}

int64_t ctl_next_ms(const struct ctl *t)
{
    return timer_next(&t->timers);
}

bool ctl_again(const struct ctl *t)
{
    return t->more || t->want_plan;
}

/* ---- events ---- */

static void changed(struct ctl *t, uint32_t job_id, bool plan)
{
    struct job *j = cluster_job(t->c, job_id);
    if (!j)
        return;
    priority_update_job(t, j);
    sched_changed(t->sched, j);
    timers_job(t, j);
    t->want_plan |= plan;
}

static void began(struct ctl *t, uint32_t job_id)
{
    changed(t, job_id, false);
    usage_charge_remind(t);
    struct job *j = cluster_job(t->c, job_id);
    if (j)
        depend_changed(t, j); /* who waits for the start itself is told by plan.c, when the first step is there */
}

static void ended(struct ctl *t, uint32_t job_id)
{
    t->gang_stale |= t->gang;
    changed(t, job_id, true);
    clean_forget(t, job_id);
    struct job *j = cluster_job(t->c, job_id);
    if (!j)
        return;
    usage_charge_ended(t, j);
    depend_changed(t, j);
    if (t->c->resv.n)
        resv_job_left(t, j);
    wait_notify(t, job_id);
    step_wait_job(t, job_id);
    if (j->array_job && j->array_job != job_id)
        wait_notify(t, j->array_job);
}

/* It waits (again): for what it depends on as well, whatever became of that while nobody looked. */
static void waits_anew(struct ctl *t, uint32_t job_id)
{
    struct job *j = cluster_job(t->c, job_id);
    if (!j || !job_depend_open(j))
        return;
    depend_index(t, j);
    depend_settle(t, j);
}

/* On one node, or on its last: then others may begin. */
static void step_over(struct ctl *t, const Pb__EvStepEnd *e)
{
    const struct job *j = t->step_waits.n ? cluster_job(t->c, e->job_id) : NULL;
    if (j && !step_find(j, e->step_id))
        step_wait_job(t, e->job_id);
}

static void everything(struct ctl *t)
{
    if (t->weighted)
        priority_update_stale(t);
    sched_changed(t->sched, NULL);
    t->want_plan = true;
}

/* What the rest of the controller has to know after an event. */
static void noted(struct ctl *t, const Pb__Event *ev)
{
    switch (ev->body_case) {
    case PB__EVENT__BODY_SUBMIT:
        for (uint32_t i = 0; i <= ev->submit->n_het; i++)
            changed(t, ev->submit->job_id + i, true);
        usage_charge_remind(t); /* it may have to wait until something has faded */
        break;
    case PB__EVENT__BODY_START:
        t->resv_stale |= t->c->resv.n > 0;
        sched_changed(t->sched, cluster_job(t->c, ev->start->job_id));
        began(t, ev->start->split ? ev->start->new_id : ev->start->job_id);
        for (size_t i = 0; i < ev->start->n_het; i++)
            began(t, ev->start->het[i]->job_id);
        break;
    case PB__EVENT__BODY_SPLIT:
        changed(t, ev->split->job_id, true);
        changed(t, ev->split->new_id, true);
        waits_anew(t, ev->split->new_id);
        break;
    case PB__EVENT__BODY_END: ended(t, ev->end->job_id); break;
    case PB__EVENT__BODY_NODE_DONE: ended(t, ev->node_done->job_id); break;
    case PB__EVENT__BODY_REQUEUE:
        ended(t, ev->requeue->job_id);
        waits_anew(t, ev->requeue->job_id);
        break;
    case PB__EVENT__BODY_RESIZE:
        changed(t, ev->resize->job_id, true);
        step_wait_job(t, ev->resize->job_id);
        if (ev->resize->into) {
            changed(t, ev->resize->into, true);
            step_wait_job(t, ev->resize->into);
        }
        break;
    case PB__EVENT__BODY_READY:
        t->gang_stale |= t->gang;
        changed(t, ev->ready->job_id, true);
        step_wait_job(t, ev->ready->job_id);
        break;
    case PB__EVENT__BODY_SUSPEND:
        changed(t, ev->suspend->job_id, !ev->suspend->turn); /* a turn makes no room */
        t->gang_stale |= t->gang;
        step_wait_job(t, ev->suspend->job_id);
        break;
    case PB__EVENT__BODY_HOLD: changed(t, ev->hold->job_id, true); break;
    case PB__EVENT__BODY_UPDATE:
        changed(t, ev->update->job_id, true);
        if (t->c->resv.n)
            resv_job_left(t, NULL);
        break;
    case PB__EVENT__BODY_DEPEND: changed(t, ev->depend->job_id, true); break;
    case PB__EVENT__BODY_STEP_END: step_over(t, ev->step_end); break;
    case PB__EVENT__BODY_CONFIG:
    case PB__EVENT__BODY_NODE_UP:
    case PB__EVENT__BODY_NODE_STATE:
    case PB__EVENT__BODY_NODE_UPDATE:
    case PB__EVENT__BODY_PART_UPDATE:
        t->resv_stale |= t->c->resv.n > 0;
        t->resv_regroup |= ev->body_case == PB__EVENT__BODY_CONFIG;
        everything(t);
        break;
    case PB__EVENT__BODY_RESV:
        resv_changed(t, ev->resv);
        everything(t);
        break;
    case PB__EVENT__BODY_ASSOC_UPDATE:
        priority_update_stale(t);
        everything(t);
        usage_charge_remind(t);
        break;
    case PB__EVENT__BODY_CHARGE:
        priority_update_stale(t);
        t->want_plan |= t->enforce_limits; /* somebody may have waited for that */
        break;
    case PB__EVENT__BODY_WARNED:
        if (ev->warned->yield_s)
            changed(t, ev->warned->job_id, false);
        break;
    case PB__EVENT__BODY_ACCRUE: /* whoever emitted it ranks the job */
    case PB__EVENT__BODY_PURGE:
    case PB__EVENT__BODY_STEP_START:
    case PB__EVENT__BODY_STEP_UPDATE:
    case PB__EVENT__BODY__NOT_SET:
    case _PB__EVENT__BODY__CASE_IS_INT_SIZE: break;
    }
}

/* The log takes no entry over CTL_ENTRY_MAX, and a turn that is not taken is lost: who made it so large is refused. */
static int check_size(struct ctl *t, size_t before, struct err *err)
{
    size_t len = t->entry.len - before;
    if (len < EVENT_LARGE || t->entry.len < CTL_ENTRY_MAX - EVENT_LARGE)
        return 0;
    t->entry.len = before;
    return err_set(err, E2BIG, "this is %zu bytes, more than can be kept at once", len);
}

int ctl_emit(struct ctl *t, Pb__Event *ev, struct err *err)
{
    struct err mine = ERR_INIT;
    size_t before = t->entry.len;
    ev->at_ms = t->now_ms;
    /* Written down first: an event may borrow from what it replaces. */
    pb_add_message(&t->entry, 1, &ev->base);
    int rc = check_size(t, before, err ? err : &mine);
    if (!rc)
        rc = cluster_apply(t->c, ev, err ? err : &mine);
    if (rc)
        t->entry.len = before;
    else {
        stat_event(t, ev);
        noted(t, ev);
    }
    return rc;
}

/* ---- words ---- */

void ctl_say_bytes(struct ctl *t, uint64_t session, enum msg_type type, uint16_t flags, uint64_t number,
                   struct buf *body)
{
    if (!session) {
        buf_clear(body);
        return;
    }
    size_t len = body->len;
    vec_push(&t->outs, ((struct ctl_out){ session, type, flags, number, buf_take(body), len, NULL }));
}

void ctl_say(struct ctl *t, uint64_t session, enum msg_type type, uint16_t flags, uint64_t number,
             const ProtobufCMessage *m)
{
    struct buf b = BUF_INIT;
    if (m)
        pb_pack(&b, m);
    ctl_say_bytes(t, session, type, flags, number, &b);
}

void ctl_reply(const struct ctl_call *call, enum msg_type type, const ProtobufCMessage *m)
{
    ctl_say(call->t, call->session, type, 0, call->number, m);
}

void ctl_answer(struct ctl *t, uint64_t session, uint64_t number, int code, const char *text)
{
    Pb__Done d = PB__DONE__INIT;
    d.code = code;
    d.text = (char *)text;
    ctl_say(t, session, MSG_DONE, 0, number, &d.base);
}

void ctl_fail(const struct ctl_call *call, int code, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    Pb__Failure f = PB__FAILURE__INIT;
    f.code = code;
    f.text = text;
    ctl_reply(call, MSG_FAILURE, &f.base);
}

void ctl_fail_err(const struct ctl_call *call, const struct err *err)
{
    ctl_fail(call, err->code, "%s", err->text);
}

bool ctl_is_admin(const struct ctl *t, const struct ctl_peer *peer)
{
    return !peer->agent && (peer->uid == 0 || peer->uid == t->admin_uid);
}

bool ctl_may_touch(const struct ctl *t, const struct ctl_peer *peer, const struct job *j)
{
    return peer->uid == j->uid || ctl_is_admin(t, peer);
}
