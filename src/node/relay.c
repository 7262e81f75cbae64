/*
 * relay - commands of this machine reach the leading controller through the agent; see relay.h.
 *
 * A line is a connection to the leader.  It serves one command at a time: the limits of a connection (unread replies,
 * unfinished frames, silence) are then the command's own.  Between two commands the controller confirms that nothing
 * of the first one is under way.
 */
#include "node/relay.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/errnum.h"
#include "base/log.h"
#include "base/mem.h"
#include "node/listen.h"

enum line_stage {
    LINE_BUSY,  /* carries a command */
    LINE_ENDED, /* the command is gone; the controller has not confirmed it */
    LINE_IDLE,
};

struct relay_line {
    struct relay *relay;
    struct relay_line *next;
    struct link *link;   /* to the controller */
    struct link *client; /* LINE_BUSY */
    uint32_t uid;        /* of the client */
    enum line_stage stage;
    int64_t idle_ms; /* LINE_IDLE: since when */
    bool stale;      /* the controller does not lead any more */
};

struct relay {
    struct agent *agent;
    struct relay_line *lines;
    uv_timer_t tidy;
    struct link_claim claim; /* borrowed by links that open */
};

/* ---- lines ---- */

static void line_say(struct relay_line *l, uint32_t uid, uint32_t gid, bool end)
{
    Pb__Relay m = PB__RELAY__INIT;
    m.uid = uid;
    m.gid = gid;
    m.end = end;
    link_send_pb(l->link, MSG_RELAY, 0, 0, &m.base);
}

/* The command has hung up. */
static void client_gone(void *arg)
{
    struct relay_line *l = arg;
    link_feed(l->client, NULL);
    link_feed(l->link, NULL);
    l->client = NULL;
    l->stage = LINE_ENDED;
    if (l->stale)
        link_close(l->link);
    else
        line_say(l, 0, 0, true);
}

static void close_idle(struct relay *r, int64_t before_ms)
{
    for (struct relay_line *l = r->lines; l; l = l->next)
        if (l->stage == LINE_IDLE && l->idle_ms <= before_ms)
            link_close(l->link);
}

static void on_tidy(uv_timer_t *t)
{
    struct relay *r = t->data;
    close_idle(r, clock_mono_ms() - RELAY_IDLE_MS);
}

static void line_confirmed(struct relay_line *l)
{
    unsigned idle = 0;
    l->stage = LINE_IDLE;
    l->idle_ms = clock_mono_ms();
    for (const struct relay_line *o = l->relay->lines; o; o = o->next)
        idle += o->stage == LINE_IDLE;
    if (idle > RELAY_IDLE_MAX)
        link_close(l->link);
    else
        uv_timer_start(&l->relay->tidy, on_tidy, RELAY_IDLE_MS + 1, 0);
}

static void line_frame(struct link *c, const struct frame *f)
{
    struct relay_line *l = link_arg(c);
    if (l->stage == LINE_ENDED && f->type == MSG_RELAY) {
        line_confirmed(l);
    } else if (l->stage == LINE_BUSY) {
        l->stale |= f->type == MSG_REDIRECT;
        link_send(l->client, f->type, f->flags, f->number, f->body, f->len);
    }
}

static void line_closed(struct link *c, const struct err *why)
{
    struct relay_line *l = link_arg(c);
    for (struct relay_line **at = &l->relay->lines; *at; at = &(*at)->next)
        if (*at == l) {
            *at = l->next;
            break;
        }
    if (l->client) {
        log_debug("a command's connection to the controller is lost uid=%u why=%s", l->uid, why->text);
        link_feed(l->client, NULL);
        listen_hold(l->client, NULL, NULL);
        link_close(l->client);
    }
    free(l);
}

static const struct link_ops line_ops = { NULL, line_frame, line_closed };

static struct relay_line *line_new(struct relay *r)
{
    struct agent *a = r->agent;
    struct relay_line *l = NEW(struct relay_line);
    l->relay = r;
    l->next = r->lines;
    r->lines = l;
    l->link = link_connect_tcp(a->loop, a->leader_host, a->leader_port, LINK_CONTROLLER, &r->claim, &line_ops, l);
    return l;
}

static struct relay_line *line_get(struct relay *r)
{
    for (struct relay_line *l = r->lines; l; l = l->next)
        if (l->stage == LINE_IDLE && !link_closing(l->link))
            return l;
    return line_new(r);
}

/* ---- commands ---- */

static int relay_check(const struct relay *r, uint32_t uid, struct err *err)
{
    unsigned all = 0, own = 0;
    for (const struct relay_line *l = r->lines; l; l = l->next) {
        all++;
        own += l->stage == LINE_BUSY && l->uid == uid;
    }
    if (!uid || (own < RELAY_USER_MAX && all < RELAY_MAX))
        return 0;
    return err_set(err, SLURMCTLD_COMMUNICATIONS_BACKOFF, "slow down: %s",
                   own < RELAY_USER_MAX ? "this node carries too many commands" : "this user runs too many commands");
}

/* A connection's first request: from here on a line is the command's. */
static struct relay_line *relay_begin(struct relay *r, struct link *c, const struct frame *f)
{
    const struct link_peer *peer = link_peer(c);
    struct err err = ERR_INIT;
    if (!r->agent->registered) { /* the command asks the controllers itself */
        link_close(c);
        return NULL;
    }
    if (relay_check(r, peer->uid, &err)) {
        listen_refuse(c, f->number, err.code, "%s", err.text);
        return NULL;
    }
    struct relay_line *l = line_get(r);
    l->stage = LINE_BUSY;
    l->client = c;
    l->uid = peer->uid;
    line_say(l, peer->uid, peer->gid, false);
    listen_hold(c, client_gone, l);
    link_feed(l->link, c);
    link_feed(c, l->link);
    return l;
}

bool relay_frame(struct agent *a, struct link *c, const struct frame *f)
{
    if (!a->relay || !link_peer(c)->local || f->type == MSG_RELAY) /* users are named by the agent alone */
        return false;
    struct relay_line *l = listen_holder(c, client_gone);
    if (!l && listen_held(c))
        return false;
    if (!l)
        l = relay_begin(a->relay, c, f);
    if (l)
        link_send(l->link, f->type, f->flags, f->number, f->body, f->len);
    return true;
}

/* ---- the agent ---- */

void relay_start(struct agent *a)
{
    struct relay *r = NEW(struct relay);
    r->agent = a;
    r->claim = (struct link_claim){ .key = &a->key, .use = CRED_RELAY, .node = a->name };
    uv_timer_init(a->loop, &r->tidy);
    uv_unref((uv_handle_t *)&r->tidy);
    r->tidy.data = r;
    a->relay = r;
}

void relay_leader_lost(struct agent *a)
{
    if (a->relay)
        close_idle(a->relay, INT64_MAX);
}
