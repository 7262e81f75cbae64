/* register - the agent's connection to the leading controller: established, monitored, and established again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "io/link_sock.h"
#include "node/agent.h"
#include "node/hw.h"
#include "node/relay.h"
#include "node/tree.h"
#include "step/lease.h"

#define BACKOFF_MIN_MS 50
#define BACKOFF_MAX_MS 1000
#define HEARTBEAT_MS 10000
#define HOUSE_MS 5000

/* ---- register ---- */

typedef VEC(Pb__Running) running_vec;

static void add_running(struct step_run *r, void *arg)
{
    running_vec *v = arg;
    Pb__Running one = PB__RUNNING__INIT;
    one.job_id = r->key.job_id;
    one.step_id = r->key.step_id;
    one.attempt = r->key.attempt;
    vec_push(v, one);
}

static void send_register(struct agent *a, uint64_t answer)
{
    running_vec v = { 0 };
    run_each(a, add_running, &v);
    auto_free Pb__Running **list = mem_array(v.n + 1, sizeof(*list));
    for (size_t i = 0; i < v.n; i++)
        list[i] = &v.at[i];
    Pb__NodeHw hw;
    hw_report(&hw, a->emulated || a->site->config_overrides ? a->def : NULL);
    Pb__RegisterRequest r = PB__REGISTER_REQUEST__INIT;
    r.node = (char *)a->name;
    r.boot_id = a->boot_id;
    r.hw = &hw;
    r.version = SPUR_VERSION;
    r.boot_s = a->boot_s;
    r.start_s = a->start_s;
    r.running = list;
    r.n_running = v.n;
    r.now_ms = clock_wall_ms();
    a->register_sent_ms = clock_boot_ms();
    r.order = a->register_order = MAX(a->register_order + 1, (uint64_t)a->register_sent_ms);
    r.answer = answer;
    link_send_pb(a->controller, MSG_REGISTER, 0, 1, &r.base);
    vec_clear(&v);
}

static void beat(uv_timer_t *t)
{
    struct agent *a = t->data;
    struct sysinfo si;
    if (!a->registered || sysinfo(&si))
        return;
    Pb__Heartbeat h = PB__HEARTBEAT__INIT;
    h.load_centi = (uint32_t)((double)si.loads[0] * 100 / (1 << SI_LOAD_SHIFT) + 0.5);
    h.free_mem_mb = (uint64_t)si.freeram * si.mem_unit >> 20;
    h.now_ms = clock_wall_ms();
    h.sent_ms = clock_boot_ms();
    link_send_pb(a->controller, MSG_HEARTBEAT, 0, 0, &h.base);
}

/* A word of the leading controller in reply to what was sent at `sent_ms`, by CLOCK_BOOTTIME. */
static void renew_lease(struct agent *a, int64_t sent_ms, uint32_t lease_s)
{
    struct err err = ERR_INIT;
    a->leased = lease_s && !a->emulated;
    if (a->leased && !a->lease && lease_open(&a->lease, a->spool, &err))
        log_error("no step can be started: %s", err.text);
    if (a->lease)
        lease_set(a->lease, lease_s ? sent_ms + (int64_t)lease_s * 1000 : 0);
}

static void on_beat(struct agent *a, const struct frame *f)
{
    Pb__HeartbeatReply *r = pb__heartbeat_reply__unpack(NULL, f->len, f->body);
    if (!r)
        return;
    clock_set_cluster(r->now_ms);
    renew_lease(a, r->sent_ms, r->lease_s);
    pb__heartbeat_reply__free_unpacked(r, NULL);
}

/* The controller has no record of this step any more: end it and drop its report. */
static void forget(struct agent *a, const Pb__Running *w)
{
    struct step_key key = { w->job_id, w->step_id, w->attempt };
    struct step_run *r = run_find(a, key);
    if (!r)
        return;
    log_info("the controller has no record of this step: the step is ended step=%s attempt=%u", run_text(key),
             key.attempt);
    if (r->report) {
        run_drop(r);
        return;
    }
    Pb__KillOrder k = PB__KILL_ORDER__INIT;
    k.job_id = key.job_id;
    k.attempt = key.attempt;
    k.terminate = true;
    kill_run(r, &k);
}

static void registered(struct agent *a, const Pb__RegisterReply *r)
{
    log_line(a->emulated ? LOG_VERBOSE : LOG_INFO, "registered with the controller cluster=%s heartbeat_s=%u",
             r->cluster, r->heartbeat_s);
    if (r->now_ms) /* earlier releases do not tell it */
        clock_set_cluster(r->now_ms);
    a->registered_ms = r->now_ms;
    renew_lease(a, a->register_sent_ms, r->lease_s);
    a->registered = true;
    a->backoff_ms = 0;
    uint64_t every = r->heartbeat_s ? (uint64_t)r->heartbeat_s * 1000 : HEARTBEAT_MS;
    /* Emulated nodes of one process send their heartbeats at different times. */
    uint64_t first = a->emulated ? (uint64_t)random() % every : 0;
    uv_timer_start(&a->heartbeat, beat, first, every);
    for (size_t i = 0; i < r->n_forget; i++)
        forget(a, r->forget[i]);
    report_all(a, false);
    gather_registered(a);
}

static void on_registered(struct agent *a, const struct frame *f)
{
    Pb__RegisterReply *r = pb__register_reply__unpack(NULL, f->len, f->body);
    if (!r)
        return;
    if (r->question) /* the controller wants to know that this boot of the node lives */
        send_register(a, r->question);
    else
        registered(a, r);
    pb__register_reply__free_unpacked(r, NULL);
}

/* ---- elsewhere ---- */

static void on_redirect(struct agent *a, const struct frame *f)
{
    Pb__Redirect *r = pb__redirect__unpack(NULL, f->len, f->body);
    if (r && !str_empty(r->address))
        snprintf(a->redirect, sizeof(a->redirect), "%s", r->address);
    if (r)
        pb__redirect__free_unpacked(r, NULL);
    link_close(a->controller);
}

static void on_failure(struct agent *a, const struct frame *f)
{
    Pb__Failure *x = pb__failure__unpack(NULL, f->len, f->body);
    log_error("the controller refuses this node: %s", x ? x->text : "?");
    if (x)
        pb__failure__free_unpacked(x, NULL);
    a->backoff_ms = BACKOFF_MAX_MS;
    link_close(a->controller);
}

/* ---- the connection ---- */

/* clang-format off */
static const struct {
    enum msg_type type;
    void (*handle)(struct agent *a, const struct frame *f);
} handlers[] = {
    { MSG_LAUNCH, launch_order },          { MSG_REPORT_ACK, report_ack }, { MSG_KILL, kill_order },
    { MSG_REGISTER_REPLY, on_registered }, { MSG_REDIRECT, on_redirect },  { MSG_FAILURE, on_failure },
    { MSG_FANOUT, fanout_order },          { MSG_REPORTS_ACK, gather_ack },
    { MSG_HEARTBEAT_REPLY, on_beat },
};
/* clang-format on */

static void controller_frame(struct link *c, const struct frame *f)
{
    struct agent *a = link_arg(c);
    for (size_t i = 0; i < ARRAY_LEN(handlers); i++)
        if (handlers[i].type == f->type) {
            handlers[i].handle(a, f);
            return;
        }
    log_error("message ignored: agents accept none of this type type=%s", msg_name(f->type));
}

static void controller_ready(struct link *c)
{
    send_register(link_arg(c), 0);
}

static void unsend(struct step_run *r, void *arg)
{
    (void)arg;
    r->sent_ms = 0;
}

static void try_next(uv_timer_t *t);

static void controller_closed(struct link *c, const struct err *why)
{
    struct agent *a = link_arg(c);
    if (a->registered)
        log_line(a->emulated ? LOG_VERBOSE : LOG_INFO, "the connection to the controller is lost why=%s", why->text);
    a->controller = NULL;
    a->registered = false;
    relay_leader_lost(a);
    uv_timer_stop(&a->heartbeat);
    run_each(a, unsend, NULL);
    size_t pos = 0;
    uint64_t key;
    for (struct clean *cl; (cl = map_next(&a->cleans, &pos, &key));)
        cl->sent_ms = 0;
    if (a->stopping)
        return;
    /* A redirect is followed at once; after all controllers were tried, the pause grows with each round. */
    bool all_tried = a->next_controller % a->site->nctl == 0;
    if (!a->redirect[0] && all_tried)
        a->backoff_ms = MIN(MAX(a->backoff_ms * 2, BACKOFF_MIN_MS), BACKOFF_MAX_MS);
    uv_timer_start(&a->reconnect, try_next, a->redirect[0] ? 1 : MAX(a->backoff_ms, 1u), 0);
}

static const struct link_ops controller_ops = { controller_ready, controller_frame, controller_closed };

static void try_next(uv_timer_t *t)
{
    struct agent *a = t->data;
    struct link_claim claim = { .key = &a->key, .use = CRED_AGENT, .node = a->name };
    char redirect[sizeof(a->redirect)];
    const char *host = redirect;
    uint16_t port;
    bool redirected = link_address_split(a->redirect, redirect, sizeof(redirect), &port);
    a->redirect[0] = '\0';
    if (!redirected) {
        const struct site_ctl *ctl = &a->site->ctl[a->next_controller++ % a->site->nctl];
        host = ctl->host;
        port = ctl->port;
    }
    snprintf(a->leader_host, sizeof(a->leader_host), "%s", host);
    a->leader_port = port;
    log_debug("connecting to the controller host=%s port=%u", host, port);
    a->controller = link_connect_tcp(a->loop, host, port, LINK_CONTROLLER, &claim, &controller_ops, a);
    link_watch(a->controller, a->site->node_timeout_s);
}

static void keep_house(uv_timer_t *t)
{
    struct agent *a = t->data;
    report_all(a, true);
    launched_log_expire(&a->launched, a->spool, clock_cluster_ms());
    register_keep_house(a);
}

void register_keep_house(struct agent *a)
{
    if (a->housekeeping.data && (a->jobs.n || a->cleans.n) && !uv_is_active((uv_handle_t *)&a->housekeeping))
        uv_timer_start(&a->housekeeping, keep_house, HOUSE_MS, 0);
}

void register_start(struct agent *a)
{
    uv_timer_init(a->loop, &a->reconnect);
    uv_timer_init(a->loop, &a->heartbeat);
    uv_timer_init(a->loop, &a->housekeeping);
    a->reconnect.data = a->heartbeat.data = a->housekeeping.data = a;
    register_keep_house(a);
    uv_timer_start(&a->reconnect, try_next, a->first_connect_ms, 0);
}

void register_stop(struct agent *a)
{
    uv_timer_stop(&a->reconnect);
    uv_timer_stop(&a->heartbeat);
    uv_timer_stop(&a->housekeeping);
    if (a->controller)
        link_close(a->controller);
}
