/*
 * resv_timer - what the times of reservations ask for: they begin, repeat, end, and are removed when no job uses them.
 *
 * Each has a timer for the next thing that happens to it; since when a reservation is idle is known to the leader
 * alone, and counts anew with each leader.
 */
#include <signal.h>

#include "ctl/end.h"
#include "ctl/directory.h"
#include "ctl/resv.h"
#include "ctl/spec_edit.h"
#include "sched/resv.h"

struct resv_timers {
    bool stale;      /* nodes or jobs changed: nodes of a reservation may have to be replaced */
    bool regroup;    /* the configuration was read: members of groups may be others */
    struct map idle; /* PURGE_COMP: reservation -> second since when no job uses it */
};

void resv_open(struct ctl *t)
{
    t->resv_timers = NEW(struct resv_timers);
}

void resv_close(struct ctl *t)
{
    map_clear(&t->resv_timers->idle);
    free(take(t->resv_timers));
}

static bool resv_timer_wants(const struct job *j, const struct resv *r)
{
    return j->spec->req.reservation && str_in_list(j->spec->req.reservation, r->pb->name);
}

bool resv_locks_out(const struct ctl *t, const Pb__Resv *pb)
{
    const struct resv now = { .pb = (Pb__Resv *)(uintptr_t)pb };
    const struct joblist *lists[] = { &t->c->active, &t->c->pending };
    for (size_t i = 0; i < ARRAY_LEN(lists); i++)
        for (const struct job *j = lists[i]->head; j; j = j->next) {
            bool in = job_pending(j) ? resv_timer_wants(j, &now) : j->resv == pb->id && !job_ended(j);
            if (in && j->uid != t->admin_uid && !resv_admits_user(&now, j->uid, j->spec->account))
                return true;
        }
    return false;
}

bool resv_used(const struct ctl *t, const struct resv *r, bool pending)
{
    for (const struct job *j = t->c->active.head; j; j = j->next)
        if (j->resv == r->pb->id && !job_pending(j))
            return true;
    for (const struct job *j = pending ? t->c->pending.head : NULL; j; j = j->next)
        if (resv_timer_wants(j, r))
            return true;
    return false;
}

static void resv_timer_put(struct ctl *t, const struct resv *r, void change(Pb__Resv *pb, int64_t now_s))
{
    struct err err = ERR_INIT;
    Pb__Resv pb = *r->pb;
    change(&pb, NOW_S(t));
    if (resv_emit(t, &pb, false, &err))
        log_error("a reservation cannot be changed name=%s: %s", pb.name, err.text);
}

static void resv_timer_drop(struct ctl *t, const struct resv *r, const char *why)
{
    struct err err = ERR_INIT;
    Pb__Resv gone = PB__RESV__INIT;
    auto_free char *name = mem_str(r->pb->name);
    gone.id = r->pb->id;
    gone.name = name;
    log_info("reservation is removed name=%s: %s", name, why);
    if (resv_emit(t, &gone, true, &err))
        log_error("a reservation cannot be removed name=%s: %s", name, err.text);
}

/* ---- reminders ---- */

static void resv_timer_remind(struct ctl *t, uint32_t id, int64_t at_s)
{
    timer_add(&t->timers, MAX(at_s * 1000, t->now_ms + 1), TIMER_RESV, id, 0);
}

static int64_t over_run_s(const struct ctl *t)
{
    return t->site->resv_over_run_min >= UINT16_MAX - 1 ? -1 : (int64_t)t->site->resv_over_run_min * 60;
}

/* Whatever of this is past by then is seen at once. */
static void remind_all(struct ctl *t, const struct resv *r)
{
    if (!r->pb->active)
        resv_timer_remind(t, r->pb->id, r->pb->start_s);
    resv_timer_remind(t, r->pb->id, r->pb->end_s);
    if (resv_has(r, RESV_PURGE_COMP))
        resv_timer_remind(t, r->pb->id, NOW_S(t));
}

void resv_lead(struct ctl *t)
{
    for (size_t i = 0; i < t->c->resv.n; i++)
        remind_all(t, t->c->resv.at[i]);
}

static void set_changed(struct ctl *t, const Pb__EvResv *e)
{
    const struct resv *r = e->remove ? NULL : cluster_resv(t->c, e->resv->id);
    if (r)
        remind_all(t, r);
    else
        map_del(&t->resv_timers->idle, e->resv->id);
}

/* ---- jobs of one that is over ---- */

/* It may start anywhere from now on; unless the reservation said otherwise it is held until it is released. */
static void release_job(struct ctl *t, struct job *j, const char *name, bool hold)
{
    struct err err = ERR_INIT;
    EVENT(ev);
    Pb__EvUpdate e = PB__EV_UPDATE__INIT;
    auto_spec_edit struct spec_edit edit;
    spec_edit_begin(&edit, j);
    pb_set_text(&edit.spec->reservation, NULL);
    spec_edit_put(&edit, t->c, &e);
    e.job_id = j->id;
    BODY(ev, UPDATE, update, &e);
    int rc = ctl_emit(t, &ev, &err);
    if (!rc && hold) {
        EVENT(held);
        Pb__EvHold h = PB__EV_HOLD__INIT;
        h.job_id = e.job_id;
        h.hold = HOLD_ADMIN;
        h.reason = WHY_RESV_DELETED;
        auto_free char *text = mem_printf("Reservation %s was deleted", name);
        h.reason_text = text;
        BODY(held, HOLD, hold, &h);
        rc = ctl_emit(t, &held, &err);
    }
    if (rc)
        log_error("a job cannot leave its reservation job=%u: %s", e.job_id, err.text);
}

/* Jobs that name no other reservation. */
static void release_jobs(struct ctl *t, const struct resv *r)
{
    VEC(uint32_t) ids = { 0 };
    bool hold = !resv_has(r, RESV_NO_HOLD);
    for (const struct job *j = t->c->pending.head; j; j = j->next)
        if (resv_timer_wants(j, r) && !strchr(j->spec->req.reservation, ','))
            vec_push(&ids, j->id);
    for (size_t i = 0; i < ids.n; i++)
        release_job(t, cluster_job(t->c, ids.at[i]), r->pb->name, hold);
    vec_clear(&ids);
}

/* They had their time, and what ResvOverRun adds to it. */
static void end_jobs(struct ctl *t, uint32_t id)
{
    VEC(uint32_t) ids = { 0 };
    for (const struct job *j = t->c->active.head; j; j = j->next)
        if (j->resv == id && (j->state == JOB_RUNNING || j->state == JOB_SUSPENDED))
            vec_push(&ids, j->id);
    for (size_t i = 0; i < ids.n; i++) {
        struct err err = ERR_INIT;
        end_job(t, cluster_job(t->c, ids.at[i]),
                &(struct end){ .state = JOB_TIMEOUT,
                               .reason = WHY_TIME_LIMIT,
                               .signal = SIGTERM,
                               .notice = "DUE TO TIME LIMIT",
                               .done_node = UINT32_MAX },
                &err);
    }
    vec_clear(&ids);
}

/* ---- its times ---- */

static void resv_timer_begin(Pb__Resv *pb, int64_t now_s)
{
    pb->active = true;
}

static void resv_timer_finish(Pb__Resv *pb, int64_t now_s)
{
    pb->active = false;
}

static void move_on(Pb__Resv *pb, int64_t now_s)
{
    int64_t length = pb->end_s - pb->start_s;
    while (pb->start_s + length <= now_s)
        pb->start_s = resv_next(pb->flags, pb->start_s);
    pb->end_s = pb->start_s + length;
    pb->active = pb->start_s <= now_s;
}

/* Its time is over; it stays until the last of its jobs has ended. */
static void is_over(struct ctl *t, const struct resv *r)
{
    uint32_t id = r->pb->id;
    int64_t over = over_run_s(t), end = r->pb->end_s;
    if (resv_has(r, RESV_REPEATS)) {
        if (over >= 0)
            end_jobs(t, id);
        resv_timer_put(t, cluster_resv(t->c, id), move_on);
        return;
    }
    if (r->pb->active)
        resv_timer_put(t, r, resv_timer_finish);
    if (over >= 0 && NOW_S(t) >= end + over)
        end_jobs(t, id);
    else if (over >= 0)
        resv_timer_remind(t, id, end + over);
    release_jobs(t, cluster_resv(t->c, id));
    r = cluster_resv(t->c, id);
    if (!resv_used(t, r, true))
        resv_timer_drop(t, r, "its time is over");
}

/* PURGE_COMP: since when has no job used it? */
static void resv_timer_purge(struct ctl *t, const struct resv *r)
{
    uint32_t id = r->pb->id;
    int64_t since = (int64_t)(intptr_t)map_get(&t->resv_timers->idle, id);
    if (resv_used(t, r, true)) {
        map_del(&t->resv_timers->idle, id);
        return;
    }
    if (!since) {
        map_put(&t->resv_timers->idle, id, (void *)(intptr_t)NOW_S(t));
        resv_timer_remind(t, id, NOW_S(t) + r->pb->purge_s);
    } else if (NOW_S(t) - since >= r->pb->purge_s) {
        resv_timer_drop(t, r, "no job used it");
    }
}

void resv_timer(struct ctl *t, const struct timer_entry *e)
{
    uint32_t id = e->id;
    const struct resv *r = cluster_resv(t->c, id);
    if (!r || resv_has(r, RESV_TIME_FLOAT))
        return;
    if (NOW_S(t) >= r->pb->end_s) {
        is_over(t, r);
        return;
    }
    if (NOW_S(t) >= r->pb->start_s && !r->pb->active) {
        resv_timer_put(t, r, resv_timer_begin);
        r = cluster_resv(t->c, id);
    }
    if (resv_has(r, RESV_PURGE_COMP) && r->pb->active)
        resv_timer_purge(t, r);
}

/* It ended; NULL: a job was changed. */
static void job_left(struct ctl *t, const struct job *j)
{
    for (size_t i = 0; i < t->c->resv.n; i++) {
        const struct resv *r = t->c->resv.at[i];
        if ((!j || j->resv == r->pb->id || resv_timer_wants(j, r)) &&
            (resv_has(r, RESV_PURGE_COMP) || NOW_S(t) >= r->pb->end_s))
            resv_timer_remind(t, r->pb->id, NOW_S(t));
    }
}

void resv_changed(struct ctl *t, const struct change *ch)
{
    switch (ch->kind) {
    case CHANGE_RESV_CHANGED: set_changed(t, ch->event->resv); break;
    case CHANGE_NODES_CHANGED:
        t->resv_timers->regroup |= ch->event->body_case == PB__EVENT__BODY_CONFIG;
        t->resv_timers->stale |= t->c->resv.n > 0;
        break;
    case CHANGE_JOB_BEGAN: t->resv_timers->stale |= t->c->resv.n > 0; break;
    case CHANGE_JOB_OVER: job_left(t, ch->job); break;
    default:
        if (ch->event->body_case == PB__EVENT__BODY_UPDATE)
            job_left(t, NULL);
    }
}

/* ---- nodes that are replaced ---- */

static bool resv_timer_replaces(const struct resv *r)
{
    return r->whole && r->pb->node_cnt &&
           !resv_has(r, RESV_SPEC_NODES | RESV_STATIC | RESV_MAINT | RESV_ANY_NODES | RESV_PART_NODES);
}

static bool same_nodes(const struct resv *r, const struct bitmap *nodes)
{
    auto_bitmap struct bitmap more = BITMAP_INIT, fewer = BITMAP_INIT;
    bitmap_copy(&more, nodes);
    bitmap_minus(&more, &r->nodes);
    bitmap_copy(&fewer, &r->nodes);
    bitmap_minus(&fewer, nodes);
    return bitmap_none(&more) && bitmap_none(&fewer);
}

static void try_nodes(struct ctl *t, const struct resv *r, const struct bitmap *named, const struct bitmap *keep)
{
    struct err err = ERR_INIT;
    auto_bitmap struct bitmap now = BITMAP_INIT;
    Pb__Resv pb = *r->pb;
    if (named)
        pb.flags |= RESV_OVERLAP | RESV_IGNORE_JOBS; /* they belong to it, whatever runs there */
    if (resv_pick(t->c, &pb, named, keep, NOW_S(t), &err))
        return; /* there are not enough others */
    pb.flags = r->pb->flags;
    for (size_t i = 0; i < pb.n_node; i++)
        bitmap_set(&now, pb.node[i]->node);
    pb.node_cnt = (uint32_t)pb.n_node;
    if (!same_nodes(r, &now) && resv_emit(t, &pb, false, &err))
        log_error("a reservation's nodes cannot be replaced name=%s: %s", pb.name, err.text);
    resv_nodes_free(&pb);
}

/* The members of its groups may have changed.  True: they have to be looked up first. */
static bool resv_timer_regroup(struct ctl *t, const struct resv *r)
{
    struct err err = ERR_INIT;
    Pb__Resv *pb = PB_DUP(Pb__Resv, r->pb);
    /* A user database that does not answer changes nothing. */
    bool same = resv_uids(t, pb, ESLURM_USER_ID_MISSING, &err) ||
                (pb->n_uid == r->pb->n_uid &&
                 (!pb->n_uid || !memcmp(pb->uid, r->pb->uid, pb->n_uid * sizeof(*pb->uid))));
    bool pending = directory_unpark(t);
    if (!same && !pending && resv_emit(t, pb, false, &err))
        log_error("the groups of a reservation cannot be updated name=%s: %s", pb->name, err.text);
    pb__resv__free_unpacked(pb, NULL);
    return pending;
}

static void regroup_all(struct ctl *t)
{
    bool pending = false;
    for (size_t i = 0; i < t->c->resv.n; i++)
        if (!str_empty(t->c->resv.at[i]->pb->groups))
            pending |= resv_timer_regroup(t, t->c->resv.at[i]);
    t->resv_timers->regroup = t->resv_timers->stale = pending; /* again in the turn that the answer brings */
}

void resv_refill(struct ctl *t)
{
    if (!t->resv_timers->stale)
        return;
    t->resv_timers->stale = false;
    if (t->resv_timers->regroup)
        regroup_all(t);
    for (size_t i = 0; i < t->c->resv.n; i++) {
        const struct resv *r = t->c->resv.at[i];
        const struct part *p = resv_has(r, RESV_PART_NODES) ? cluster_part(t->c, r->pb->partition) : NULL;
        auto_bitmap struct bitmap good = BITMAP_INIT;
        if (p && !same_nodes(r, &p->nodes))
            try_nodes(t, r, &p->nodes, NULL);
        else if (resv_timer_replaces(r) && resv_stale(t->c, r, &good))
            try_nodes(t, r, NULL, &good);
    }
}
