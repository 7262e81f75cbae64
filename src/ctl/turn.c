/* turn - one turn of the controller; see turn.h and ctl.h. */
#include "core/level.h"
#include "ctl/turn.h"

#include <stdarg.h>

#include "ctl/access.h"
#include "ctl/change.h"
#include "ctl/config.h"
#include "ctl/directory.h"
#include "ctl/module.h"
#include "ctl/plan.h"
#include "ctl/query_cache.h"
#include "ctl/stat.h"

#define ENTRY_ENOUGH (512u << 10) /* then the other requests wait for the next turn */
#define ENTRY_PLAN (4u << 20)     /* no plan is made on top of so much: what it starts needs room, too */
#define EVENT_LARGE (256u << 10)  /* a request made it so large; it may be refused */

struct turn {
    struct buf entry;
    VEC(struct ctl_out) outs;
    size_t said; /* bytes of all `outs` of the turn */
    bool answered;      /* queries have been answered in this turn */
};

struct ctl *ctl_new(const struct ctl_conf *conf)
{
    struct ctl *t = NEW(struct ctl);
    t->c = cluster_new();
    t->site = conf->site;
    t->key = conf->key;
    t->admin_uid = conf->admin_uid;
    t->id = conf->id;
    t->accounts = conf->accounts;
    t->clock_us = conf->clock_us;
    t->fold = conf->fold;
    if (t->fold)
        fold_watch(t->fold, t->c);
    t->turn = NEW(struct turn);
    modules_open(t);
    return t;
}

static void drop_outs(struct ctl *t)
{
    for (size_t i = 0; i < t->turn->outs.n; i++)
        ctl_out_clear(&t->turn->outs.at[i]);
    t->turn->outs.n = 0;
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
    modules_close(t);
    timer_clear(&t->timers);
    drop_outs(t);
    vec_clear(&t->turn->outs);
    buf_clear(&t->turn->entry);
    free(t->turn);
    cluster_free(t->c);
    site_free(t->site);
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

/* Every event of the log passes here, on every controller. */
static int apply_event(struct ctl *t, const Pb__Event *ev, struct err *err)
{
    if (t->fold)
        fold_begin(t->fold, ev);
    int rc = cluster_apply(t->c, ev, err);
    if (t->fold)
        fold_end(t->fold, !rc);
    return rc;
}

/* ---- following ---- */

int ctl_replay(struct ctl *t, const void *entry, size_t len, struct err *err)
{
    Pb__Entry *e = pb__entry__unpack(NULL, len, entry);
    int rc = e ? 0 : err_set(err, EBADMSG, "it does not parse");
    for (size_t i = 0; !rc && i < e->n_events; i++) {
        struct err why = ERR_INIT;
        rc = level_check(e->events[i], &why);
        if (!rc)
            rc = apply_event(t, e->events[i], &why);
        if (rc)
            err_set(err, rc, "event %zu of %zu (%s): %s", i + 1, e->n_events, level_event_name(e->events[i]), why.text);
    }
    if (e)
        pb__entry__free_unpacked(e, NULL);
    return rc;
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
    if (t->fold)
        fold_watch(t->fold, t->c);
    sched_changed(t->sched, NULL);
    return 0;
}

/* ---- leading ---- */

void ctl_lead(struct ctl *t, int64_t now_ms, struct site *site)
{
    t->leading = true;
    if (site)
        config_use(t, site);
    config_emit(t, false);
    modules_lead(t);
}

void ctl_follow(struct ctl *t)
{
    t->leading = false;
    timer_clear(&t->timers);
    modules_close(t);
    modules_open(t);
}

void ctl_gone(struct ctl *t, uint64_t session)
{
    modules_session_closed(t, session);
}

void ctl_begin(struct ctl *t, int64_t now_ms, const struct ctl_facts *facts)
{
    t->last_turn_ms = t->now_ms;
    t->now_ms = MAX(now_ms, t->c->last_ms); /* time in the state only moves on */
    if (facts)
        t->facts = *facts;
    buf_reset(&t->turn->entry);
    t->turn->said = 0;
    drop_outs(t);
    plan_turn_begin(t);
}

const struct buf *ctl_end(struct ctl *t)
{
    if (t->leading)
        modules_turn_end(t);
    t->turn->answered = false;
    return &t->turn->entry;
}

bool turn_has_room(const struct ctl *t)
{
    return t->turn->entry.len < ENTRY_PLAN;
}

bool ctl_full(const struct ctl *t)
{
    return t->turn->entry.len > ENTRY_ENOUGH;
}

void ctl_read(struct ctl *t)
{
    if (!t->turn->answered)
        query_cache_answer(t);
    t->turn->answered = true;
}

size_t ctl_outs(struct ctl *t, struct ctl_out **outs)
{
    ctl_read(t);
    size_t n = t->turn->outs.n;
    *outs = t->turn->outs.at;
    t->turn->outs.n = 0;
    return n;
}

int64_t ctl_next_ms(const struct ctl *t)
{
    return timer_next(&t->timers);
}

bool ctl_again(const struct ctl *t)
{
    return plan_again(t) || query_cache_again(t);
}

size_t ctl_said(const struct ctl *t)
{
    return t->turn->said;
}

bool ctl_has_budget(const struct ctl *t, const struct ctl_peer *peer)
{
    return !peer->agent && !access_has(t, peer, RIGHT_SHUTDOWN, NULL);
}

/* ---- events ---- */

/* The log takes no entry over CTL_ENTRY_MAX, and a turn that is not taken is lost: the request that made it so large is
 * refused. */
static int check_size(struct ctl *t, size_t before, struct err *err)
{
    size_t len = t->turn->entry.len - before;
    if (len < EVENT_LARGE || t->turn->entry.len < CTL_ENTRY_MAX - EVENT_LARGE)
        return 0;
    t->turn->entry.len = before;
    return err_set(err, E2BIG, "this is %zu bytes, more than can be kept at once", len);
}

int ctl_emit(struct ctl *t, Pb__Event *ev, struct err *err)
{
    struct err mine = ERR_INIT;
    if (directory_parked(t))
        return err_set(err, EAGAIN, "%s", err_text(EAGAIN)); /* nothing of a parked request is decided */
    size_t before = t->turn->entry.len;
    ev->at_ms = t->now_ms;
    if (level_of_event(ev) > t->c->level)
        return err_set(err ? err : &mine, EOPNOTSUPP, "this needs a newer release on all controllers");
    /* Written down first: an event may borrow from what it replaces. */
    pb_pack_field(&t->turn->entry, 1, &ev->base);
    int rc = check_size(t, before, err ? err : &mine);
    if (!rc)
        rc = apply_event(t, ev, err ? err : &mine);
    if (rc)
        t->turn->entry.len = before;
    else {
        stat_event(t, ev);
        change_notify(t, ev);
    }
    return rc;
}

/* ---- words ---- */

void ctl_say_bytes(struct ctl *t, uint64_t session, enum msg_type type, uint16_t flags, uint64_t number,
                   struct buf *body)
{
    if (!session || directory_parked(t)) {
        buf_clear(body);
        return;
    }
    size_t len = body->len;
    t->turn->said += len;
    vec_push(&t->turn->outs, ((struct ctl_out){ session, type, flags, number, buf_take(body), len, NULL }));
}

void ctl_say_shared(struct ctl *t, uint64_t session, enum msg_type type, uint16_t flags, uint64_t number,
                    struct shared_buf *body)
{
    if (!session || directory_parked(t))
        return;
    t->turn->said += body->len;
    vec_push(&t->turn->outs,
             ((struct ctl_out){ session, type, flags, number, body->s, body->len, shared_buf_ref(body) }));
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
