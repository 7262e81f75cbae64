/* fanout - orders for many nodes: forwarded, executed, acknowledged; see tree.h. */
#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/errnum.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "node/order.h"
#include "node/tree.h"
#include "step/hook.h"
#include "text/hostlist.h"
#include "wire/tree.h"

#define PATIENCE_MS 5000 /* for each level below */
#define WIDTH_MAX 1024u

/* One order that this agent forwards. */
struct fanout {
    struct agent *agent;
    uint64_t number, inbound; /* of the request; inbound 0: from the controller */
    Pb__Fanout *order;
    Pb__KillOrder *kill; /* inside `order`; NULL: a launch */
    struct strs below;
    struct strs unreached;
    size_t open; /* branches that have not replied */
    uv_timer_t *timer;
};

struct forward { /* a branch of it: [first, first + count) of `below` */
    uint64_t number, link;
    struct fanout *spread;
    size_t first, count;
};

static struct step_key key_of(const Pb__Fanout *o)
{
    return (struct step_key){ o->job_id, o->step_id, o->attempt };
}

/* ---- the reply ---- */

static void timer_closed(uv_handle_t *h)
{
    free(h);
}

static void fanout_free(struct fanout *s)
{
    if (s->timer)
        uv_close((uv_handle_t *)s->timer, timer_closed);
    pb__fanout__free_unpacked(s->order, NULL);
    if (s->kill)
        pb__kill_order__free_unpacked(s->kill, NULL);
    strs_clear(&s->below);
    strs_clear(&s->unreached);
    free(s);
}

/* Every node below has the order or is listed as unreached. */
static void fanout_answer(struct fanout *s)
{
    struct link *to = s->inbound ? inbound_link(s->agent->tree, s->inbound) : s->agent->controller;
    auto_free char *names = hostlist_compress(s->unreached.at, s->unreached.n);
    Pb__FanoutReply reply = PB__FANOUT_REPLY__INIT;
    reply.unreached = names;
    if (s->unreached.n) {
        log_error("an order did not reach all its nodes job=%u unreached=%s", s->order->job_id, names);
        gather_less(s->agent, key_of(s->order), (uint32_t)s->unreached.n);
    }
    if (to)
        link_send_pb(to, MSG_FANOUT_REPLY, 0, s->number, &reply.base);
    fanout_free(s);
}

static void fanout_settle(struct fanout *s)
{
    if (!s->open)
        fanout_answer(s);
}

/* ---- forwarding ---- */

static void hand_on(struct fanout *s, size_t first, size_t count);

/* The first node of the branch cannot be reached: send the order to the rest of the branch from here. */
static void give_up(struct forward *f)
{
    struct fanout *s = f->spread;
    size_t first = f->first, count = f->count;
    map_del(&s->agent->tree->forwards, f->number);
    free(f);
    log_info("agent cannot be reached: its branch is taken over node=%s branch=%zu", s->below.at[first], count - 1);
    strs_add(&s->unreached, s->below.at[first]);
    s->open--;
    hand_on(s, first + 1, count - 1);
}

static void send_branch(struct fanout *s, struct forward *f, struct peer_conn *l)
{
    auto_free char *rest = hostlist_compress(s->below.at + f->first + 1, f->count - 1);
    Pb__Fanout m = *s->order;
    m.to = s->below.at[f->first];
    m.from = (char *)s->agent->name;
    m.below = rest;
    link_send_pb(peer_pool_link(l), MSG_FANOUT, 0, f->number, &m.base);
}

static void start_branch(struct fanout *s, size_t first, size_t count)
{
    struct tree *t = s->agent->tree;
    struct forward *f = NEW(struct forward);
    struct peer_conn *l = peer_pool_get(t, s->below.at[first]);
    *f = (struct forward){ t->next++, l ? peer_pool_number(l) : 0, s, first, count };
    map_put(&t->forwards, f->number, f);
    s->open++;
    if (l)
        send_branch(s, f, l);
    else
        give_up(f);
}

static void hand_on(struct fanout *s, size_t first, size_t count)
{
    size_t n = count ? tree_branches(count, s->order->width) : 0;
    for (size_t i = 0; i < n; i++) {
        struct tree_cut cut = tree_branch(count, s->order->width, i);
        start_branch(s, first + cut.first, cut.count);
    }
}

typedef VEC(struct forward *) forward_vec;

static void forwards_of(const struct tree *t, const struct fanout *s, uint64_t link, forward_vec *out)
{
    size_t pos = 0;
    uint64_t number;
    for (struct forward *f; (f = map_next(&t->forwards, &pos, &number));)
        if (s ? f->spread == s : f->link == link)
            vec_push(out, f);
}

/* Giving up a branch may complete its order and free other branches of the list, so each is looked up again by
 * number. */
static void give_up_all(struct tree *t, const forward_vec *v)
{
    auto_free uint64_t *numbers = mem_array(v->n + 1, sizeof(*numbers));
    for (size_t i = 0; i < v->n; i++)
        numbers[i] = v->at[i]->number;
    for (size_t i = 0; i < v->n; i++)
        fanout_failed(t, numbers[i]);
}

static void too_late(uv_timer_t *timer)
{
    struct fanout *s = timer->data;
    struct tree *t = s->agent->tree;
    forward_vec v = { 0 };
    forwards_of(t, s, 0, &v);
    uv_timer_start(timer, too_late, PATIENCE_MS * (uint64_t)(1 + tree_levels(s->below.n, s->order->width)), 0);
    give_up_all(t, &v);
    vec_clear(&v);
}

static void set_patience(struct fanout *s)
{
    s->timer = NEW(uv_timer_t);
    uv_timer_init(s->agent->loop, s->timer);
    s->timer->data = s;
    uv_timer_start(s->timer, too_late, PATIENCE_MS * (uint64_t)tree_levels(s->below.n, s->order->width), 0);
}

bool fanout_failed(struct tree *t, uint64_t number)
{
    struct forward *f = map_get(&t->forwards, number);
    if (!f)
        return false;
    struct fanout *s = f->spread;
    give_up(f);
    fanout_settle(s);
    return true;
}

void fanout_peer_lost(struct tree *t, uint64_t link)
{
    forward_vec v = { 0 };
    forwards_of(t, NULL, link, &v);
    give_up_all(t, &v);
    vec_clear(&v);
}

void fanout_answered(struct tree *t, const struct frame *f)
{
    struct forward *w = map_del(&t->forwards, f->number);
    Pb__FanoutReply *r = w ? pb__fanout_reply__unpack(NULL, f->len, f->body) : NULL;
    if (!w)
        return;
    struct fanout *s = w->spread;
    free(w);
    if (r && !str_empty(r->unreached))
        hostlist_expand(r->unreached, &s->unreached, NULL);
    if (r)
        pb__fanout_reply__free_unpacked(r, NULL);
    s->open--;
    fanout_settle(s);
}

/* ---- the order ---- */

static void follow_locally(struct agent *a, const Pb__Fanout *o, const Pb__KillOrder *kill)
{
    if (kill) {
        kill_follow(a, kill);
        return;
    }
    auto_buf struct buf body = BUF_INIT;
    size_t n = pb__signed__get_packed_size(o->launch);
    pb__signed__pack(o->launch, (uint8_t *)buf_room(&body, n));
    struct frame f = { .type = MSG_LAUNCH, .flags = LAUNCH_BY_TREE, .body = (uint8_t *)body.s, .len = (uint32_t)n };
    launch_order(a, &f);
}

static int fanout_check(const Pb__Fanout *o, struct err *err)
{
    size_t n = 0;
    if ((!o->launch) == (!o->kill))
        return err_set(err, EBADMSG, "an order for many nodes says nothing to do");
    if (!o->width || o->width > WIDTH_MAX)
        return err_set(err, EBADMSG, "an order for many nodes has %u branches", o->width);
    if (hostlist_count(o->below, &n, err))
        return err->code;
    return n > ORDER_NODES_MAX ? err_set(err, EBADMSG, "an order for %zu nodes", n) : 0;
}

/* Does the order make each node send a report? */
static bool order_reports(const Pb__Fanout *o, const Pb__KillOrder *kill)
{
    return kill ? kill->terminate && !kill->one_step : !hook_step(o->step_id);
}

/* The order inside, which a controller signed, is the one that the envelope names: another node wrote the envelope. */
static int verify_launch(const struct agent *a, const Pb__Fanout *o, struct err *err)
{
    Pb__LaunchOrder *l = NULL;
    if (!cred_verify(&a->key, CRED_LAUNCH, o->launch))
        return err_set(err, ESLURM_INVALID_JOB_CREDENTIAL, "the order is not signed by a controller of this cluster");
    l = pb__launch_order__unpack(NULL, o->launch->body.len, o->launch->body.data);
    bool same = l && l->job_id == o->job_id && l->step_id == o->step_id && l->attempt == o->attempt;
    if (l)
        pb__launch_order__free_unpacked(l, NULL);
    return same ? 0 : err_set(err, EBADMSG, "an order for many nodes with another order in it");
}

static int verify_kill(const struct agent *a, const Pb__Fanout *o, int64_t now_ms, Pb__KillOrder **kill,
                       struct err *err)
{
    Pb__KillOrder *k = order_open_kill(&a->key, o->kill, a->name, now_ms, err);
    if (!k)
        return err->code;
    uint32_t step = k->one_step ? k->step_id : PB__STEP_NUMBER__STEP_EXTERN;
    if (k->job_id == o->job_id && k->attempt == o->attempt && step == o->step_id) {
        *kill = k;
        return 0;
    }
    pb__kill_order__free_unpacked(k, NULL);
    return err_set(err, EBADMSG, "an order for many nodes with another order in it");
}

/* An order to end a job may come twice and does no harm.  A signal counts once: a node that has forwarded it must not
 * be able to send it again, and the branches of a tree may overlap after a failure. */
static bool is_repeated(struct agent *a, const Pb__Fanout *o, const Pb__KillOrder *kill)
{
    return kill && !kill->terminate &&
           !launched_log_signal(&a->launched, o->kill->body.data, o->kill->body.len, clock_cluster_ms());
}

/* Takes the order over if it is good. */
static int fanout_begin(struct agent *a, uint64_t inbound, uint64_t number, Pb__Fanout *o, struct err *err)
{
    Pb__KillOrder *kill = NULL;
    int rc = o->kill   ? verify_kill(a, o, inbound ? clock_cluster_ms() : 0, &kill, err)
             : inbound ? verify_launch(a, o, err)
                       : 0;
    if (rc)
        return rc;
    struct fanout *s = NEW(struct fanout);
    *s = (struct fanout){ .agent = a, .number = number, .inbound = inbound, .order = o, .kill = kill };
    hostlist_expand(o->below, &s->below, NULL);
    if (order_reports(o, kill))
        gather_begin(a, key_of(o), o->from, &s->below);
    if (s->below.n)
        set_patience(s);
    hand_on(s, 0, s->below.n);
    if (!is_repeated(a, o, kill))
        follow_locally(a, o, kill);
    fanout_settle(s);
    return 0;
}

Pb__Fanout *fanout_read(const struct frame *f, struct err *err)
{
    Pb__Fanout *o = pb__fanout__unpack(NULL, f->len, f->body);
    if (!o)
        err_set(err, EBADMSG, "an order for many nodes does not parse");
    else if (!fanout_check(o, err))
        return o;
    if (o)
        pb__fanout__free_unpacked(o, NULL);
    return NULL;
}

void fanout_order(struct agent *a, const struct frame *f)
{
    struct err err = ERR_INIT;
    Pb__Fanout *o = fanout_read(f, &err);
    if (o && !fanout_begin(a, 0, f->number, o, &err))
        return;
    log_error("order refused: %s", err.text);
    if (o)
        pb__fanout__free_unpacked(o, NULL);
}

void fanout_received(struct agent *a, struct link *c, const struct frame *f, const struct link_peer *peer)
{
    struct err err = ERR_INIT;
    Pb__Fanout *o = fanout_read(f, &err);
    struct agent *to = o ? tree_agent(a->tree, o->to) : NULL;
    if (to && !fanout_begin(to, inbound_number(a->tree, c), f->number, o, &err))
        return;
    if (to)
        log_error("order refused from=%s: %s", peer->node, err.text);
    else if (o)
        err_set(&err, EHOSTUNREACH, "node %s is not here", o->to);
    listen_refuse(c, f->number, err.code, "%s", err.text);
    if (o)
        pb__fanout__free_unpacked(o, NULL);
}
