/* loop - runs the controller's turns; see loop.h. */
#include "ctl/loop.h"

#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "core/level.h"
#include "ctl/daemon_priv.h"
#include "ctl/scripts.h"

/* The log grows in segments of 8 MB, and three are kept ahead. */
#define DISK_RESERVE (24u << 20)

_Static_assert(CTL_ENTRY_MAX <= LEDGER_ENTRY_MAX, "the largest entry of a turn fits into the log");

static void stay_awake(uv_idle_t *h) {}

void loop_want_turn(struct daemon *d)
{
    d->loop.wanted = true;
    if (!d->loop.in_flight)
        uv_idle_start(&d->loop.awake, stay_awake);
}

void loop_start_again(struct daemon *d, const char *why, unsigned wait_ms)
{
    log_error("starting again from the log: %s", why);
    if (wait_ms)
        usleep(wait_ms * 1000);
    execv("/proc/self/exe", d->conf->argv);
    log_line(LOG_FATAL, "cannot start again: %m");
    _exit(1);
}

void loop_lead(struct daemon *d)
{
    d->loop.lead_wanted = true;
    loop_want_turn(d);
}

void loop_follow(struct daemon *d)
{
    d->loop.leading = false;
    ctl_follow(d->ctl);
    sessions_drop(&d->sessions);
}

/* ---- messages and scripts out ---- */

static void script_done(void *arg, const struct ctl_script *s, int status)
{
    struct daemon *d = arg;
    char *fence = s->fence ? mem_str(s->fence) : NULL;
    vec_push(&d->loop.scripts_ended, ((struct script_end){ s->job_id, s->attempt, s->epilog, status, fence }));
    loop_want_turn(d);
}

static void run_scripts(struct daemon *d)
{
    struct ctl_script *s;
    size_t n = ctl_scripts(d->ctl, &s);
    for (size_t i = 0; i < n; i++)
        scripts_run(&d->uv, ctl_site(d->ctl), d->conf->conf_path, &s[i], script_done, d);
}

static struct link *find_link(void *arg, uint64_t session, size_t bytes)
{
    return sessions_dequeued(&((struct daemon *)arg)->sessions, session, bytes);
}

static void send_outs(struct daemon *d)
{
    run_scripts(d);
    struct ctl_out *outs;
    size_t n = ctl_outs(d->ctl, &outs);
    for (size_t i = 0; i < n; i++) {
        sessions_sent(&d->sessions, outs[i].session, outs[i].len, outs[i].shared);
        if (outs[i].shared) {
            send_queue_add(&d->loop.send_queue, &outs[i]);
            continue;
        }
        struct link *c = sessions_link(&d->sessions, outs[i].session);
        if (c)
            link_send(c, outs[i].type, outs[i].flags, outs[i].number, outs[i].body, outs[i].len);
        ctl_out_clear(&outs[i]);
    }
}

/* The entry was certainly refused: every client with an open request hears of it before the program starts again. */
static void refuse_outs(struct daemon *d, int rc)
{
    struct ctl_out *outs;
    size_t n = ctl_outs(d->ctl, &outs);
    for (size_t i = 0; i < n; i++) {
        struct link *c = sessions_link(&d->sessions, outs[i].session);
        if (!c || !outs[i].number)
            continue;
        Pb__Failure f = PB__FAILURE__INIT;
        char text[256];
        snprintf(text, sizeof(text), "the controller cannot write its log, nothing was changed: %s", strerror(rc));
        f.code = rc;
        f.text = text;
        link_send_pb(c, MSG_FAILURE, 0, outs[i].number, &f.base);
    }
    for (int i = 0; i < 3; i++)
        uv_run(&d->uv, UV_RUN_NOWAIT);
}

/* ---- the turn ---- */

static void on_timer(uv_timer_t *h)
{
    loop_want_turn(h->data);
}

static void set_timer(struct daemon *d)
{
    int64_t next = ctl_next_ms(d->ctl), now = clock_cluster_ms();
    if (!next || !d->loop.leading)
        uv_timer_stop(&d->loop.timer);
    else
        uv_timer_start(&d->loop.timer, on_timer, next > now ? (uint64_t)MIN(next - now, 3600000) : 0, 0);
}

static void on_committed(void *arg, int rc)
{
    struct daemon *d = arg;
    struct loop *l = &d->loop;
    if (rc == LEDGER_UNKNOWN && d->stopping)
        return;
    if (rc == LEDGER_UNKNOWN)
        loop_start_again(d, "leadership was lost with an entry under way", 0);
    if (rc) { /* the entry stays in flight: no turn may run on a state that has events of it */
        refuse_outs(d, rc);
        loop_start_again(d, strerror(rc), 1000);
    }
    l->in_flight = false;
    send_outs(d);
    if (sessions_waiting(&d->sessions) || l->scripts_ended.n || l->wanted || l->lead_wanted || ctl_again(d->ctl))
        loop_want_turn(d);
    set_timer(d);
}

/* The lowest feature level that a configured controller reads; 0: not all have connected yet. */
static uint32_t lowest_level(const struct daemon *d)
{
    const struct site *site = ctl_site(d->ctl);
    uint32_t lowest = FEATURE_LEVEL;
    for (size_t i = 0; i < site->nctl; i++)
        if (site->ctl[i].id != d->conf->id)
            lowest = MIN(lowest, (uint32_t)(uintptr_t)map_get(&d->levels, site->ctl[i].id));
    return lowest;
}

static struct ctl_facts loop_facts(struct daemon *d)
{
    return (struct ctl_facts){
        .leader_id = ledger_leader(d->ledger),
        .term = ledger_term(d->ledger),
        .applied = ledger_applied(d->ledger),
        .committed = ledger_committed(d->ledger),
        .role = ledger_role(d->ledger),
        .boot_s = d->boot_s,
        .level = lowest_level(d),
        .user_connections = d->sessions.budget.connections,
        .slowed_down = d->sessions.budget.refused,
        .disk_low = ledger_disk_free(d->ledger) < DISK_RESERVE,
    };
}

/* What the process itself has seen: connections that closed, timers, scripts that ended. */
static void report_events(struct daemon *d)
{
    struct loop *l = &d->loop;
    sessions_report_closed(&d->sessions, d->ctl, l->leading);
    if (l->leading) {
        ctl_timers(d->ctl);
        for (size_t i = 0; i < l->scripts_ended.n; i++) {
            const struct script_end *e = &l->scripts_ended.at[i];
            if (e->fence)
                ctl_fence_done(d->ctl, e->fence, e->status);
            else
                ctl_script_done(d->ctl, e->job_id, e->attempt, e->epilog, e->status);
        }
    }
    for (size_t i = 0; i < l->scripts_ended.n; i++)
        free(l->scripts_ended.at[i].fence);
    l->scripts_ended.n = 0;
}

/* Microseconds since the last mark, which is moved to now. */
static int64_t lap(int64_t *mark_us)
{
    int64_t before = *mark_us;
    *mark_us = clock_mono_us();
    return *mark_us - before;
}

static void loop_turn(struct daemon *d)
{
    struct loop *l = &d->loop;
    struct ctl_facts f = loop_facts(d);
    l->wanted = false;
    if (l->lead_wanted)
        timekeeper_lead(d);
    int64_t us[TURN_PARTS] = { 0 }, mark_us = clock_mono_us();
    ctl_begin(d->ctl, timekeeper_now(d), &f);
    if (l->lead_wanted) {
        l->lead_wanted = false;
        l->leading = true;
        ctl_lead(d->ctl, clock_cluster_ms(), reload_site(d));
    }
    report_events(d);
    if (d->reload && l->leading)
        reload_reconfigure(d, 0, 0);
    d->reload = false;
    sessions_process(d);
    us[TURN_DECIDE] = lap(&mark_us);
    const struct buf *entry = ctl_end(d->ctl);
    us[TURN_PLAN] = lap(&mark_us);
    if (entry->len) {
        l->in_flight = true;
        ledger_append(d->ledger, entry->s, entry->len, on_committed, d);
    }
    us[TURN_APPEND] = lap(&mark_us);
    ctl_read(d->ctl); /* while the disk writes */
    us[TURN_READ] = lap(&mark_us);
    if (!l->in_flight)
        send_outs(d);
    us[TURN_SEND] = lap(&mark_us);
    ctl_turn_took(d->ctl, us);
    if (sessions_queued(&d->sessions) || ctl_again(d->ctl))
        l->wanted = true;
    set_timer(d);
    timekeeper_check(d);
}

static void after_poll(uv_check_t *h)
{
    struct daemon *d = h->data;
    struct loop *l = &d->loop;
    if (l->wanted && !l->in_flight && !d->stopping)
        loop_turn(d);
    if (!l->wanted || l->in_flight)
        uv_idle_stop(&l->awake);
}

void loop_init(struct daemon *d)
{
    struct loop *l = &d->loop;
    uv_check_init(&d->uv, &l->turner);
    uv_idle_init(&d->uv, &l->awake);
    uv_timer_init(&d->uv, &l->timer);
    l->turner.data = l->awake.data = l->timer.data = d;
    send_queue_init(&l->send_queue, &d->uv, find_link, d);
    uv_check_start(&l->turner, after_poll);
}

void loop_close(struct daemon *d)
{
    send_queue_close(&d->loop.send_queue);
}
