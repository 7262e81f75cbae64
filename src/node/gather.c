/* gather - reports on the way to the controller: the reports of a branch become one message; see tree.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "node/tree.h"

#define HOLD_MS 100    /* how long the first report waits for further reports of its branch */
#define PARENT_MS 12000 /* a parent that has not acknowledged by then is bypassed; a dead one at once */
#define AGAIN_MS 20000 /* a controller may have lost a report before committing it */
#define LOOK_MS 2000
#define STALE_MS 600000

struct below { /* a message from below that is part of one of ours */
    uint64_t inbound, number;
};
typedef VEC(struct below) below_vec;

/* The reports that this part of the tree expects for one step, or for one job's cleaning. */
struct branch {
    struct agent *agent;
    struct step_key key;
    char parent[65]; /* "": the controller */
    struct strs below; /* the nodes that report by this one */
    struct smap is_below; /* the same, for look-ups; filled when the first report comes */
    uint32_t expect, got;
    bool own, own_acked; /* this node's report was sent or held; was acknowledged */
    struct buf held; /* reports that wait for further reports, as a packed pb.Reports */
    uint32_t nheld;
    bool own_held;
    uint32_t in_flight; /* bundles under way */
    below_vec taken; /* from below, in `held` */
    uv_timer_t *hold;
    uint64_t touched_ms;
};

/* A sent message without acknowledgement. */
struct bundle {
    uint64_t number;
    struct agent *agent;
    struct step_key key;
    bool own;
    below_vec below;
    struct buf body;
    uint64_t link; /* 0: sent to the controller */
    uint64_t sent_ms;
};

/* ---- branches ---- */

static uint64_t hash_of(const struct agent *a, struct step_key key)
{
    struct {
        const struct agent *a;
        struct step_key key;
        uint32_t zero;
    } k = { a, key, 0 };
    return map_hash_bytes(&k, sizeof(k));
}

static struct branch *branch_find(const struct agent *a, struct step_key key)
{
    struct branch *b = map_get(&a->tree->branches, hash_of(a, key));
    return b && b->agent == a && step_key_eq(b->key, key) ? b : NULL;
}

static void timer_closed(uv_handle_t *h)
{
    free(h);
}

static void branch_free(struct branch *b)
{
    map_del(&b->agent->tree->branches, hash_of(b->agent, b->key));
    if (b->hold)
        uv_close((uv_handle_t *)b->hold, timer_closed);
    buf_clear(&b->held);
    vec_clear(&b->taken);
    strs_clear(&b->below);
    smap_clear(&b->is_below);
    free(b);
}

/* Drop stale branches: some of their nodes reported to the controller directly. */
static void branch_sweep(struct tree *t)
{
    VEC(struct branch *) old = { 0 };
    size_t pos = 0;
    uint64_t key;
    for (struct branch *b; (b = map_next(&t->branches, &pos, &key));)
        if (!b->nheld && !b->in_flight && uv_now(t->loop) - b->touched_ms > STALE_MS && !run_find(b->agent, b->key))
            vec_push(&old, b);
    for (size_t i = 0; i < old.n; i++)
        branch_free(old.at[i]);
    vec_clear(&old);
    t->sweep_at = MAX(t->branches.n * 2, (size_t)1024);
}

static struct branch *branch_get(struct agent *a, struct step_key key)
{
    struct tree *t = a->tree;
    struct branch *b = branch_find(a, key);
    if (!b) {
        if (t->branches.n >= t->sweep_at)
            branch_sweep(t);
        b = NEW(struct branch);
        b->agent = a;
        b->key = key;
        map_put(&t->branches, hash_of(a, key), b);
    }
    b->touched_ms = uv_now(t->loop);
    return b;
}

static void done_with(struct branch *b)
{
    if (b->own_acked && !b->nheld && !b->in_flight && b->got >= b->expect)
        branch_free(b);
}

/* ---- sending ---- */

static void look_again(uv_timer_t *timer);

static void wait_for_ack(struct tree *t)
{
    if (!uv_is_active((uv_handle_t *)&t->again))
        uv_timer_start(&t->again, look_again, LOOK_MS, LOOK_MS);
}

static void tell_controller(struct bundle *w)
{
    struct agent *a = w->agent;
    w->link = 0;
    w->sent_ms = uv_now(a->loop);
    if (a->controller && a->registered)
        link_send(a->controller, MSG_REPORTS, 0, w->number, w->body.s, w->body.len);
}

static void tell_parent(struct bundle *w, const char *parent)
{
    struct peer_conn *l = peer_pool_get(w->agent->tree, parent);
    if (!l) {
        tell_controller(w);
        return;
    }
    Pb__Reports to = PB__REPORTS__INIT; /* concatenated messages are one message: this adds the receiver */
    to.to = (char *)parent;
    auto_buf struct buf body = BUF_INIT;
    size_t n = pb__reports__get_packed_size(&to);
    buf_add(&body, w->body.s, w->body.len);
    body.len += pb__reports__pack(&to, (uint8_t *)buf_room(&body, n));
    w->link = peer_pool_number(l);
    w->sent_ms = uv_now(w->agent->loop);
    link_send(peer_pool_link(l), MSG_REPORTS, 0, w->number, body.s, body.len);
}

static void branch_flush(struct branch *b)
{
    struct tree *t = b->agent->tree;
    struct bundle *w = NEW(struct bundle);
    *w = (struct bundle){ .number = t->next++, .agent = b->agent, .key = b->key, .own = b->own_held };
    w->below.at = b->taken.at, w->below.n = b->taken.n, w->below.cap = b->taken.cap;
    w->body = b->held;
    b->taken.at = NULL, b->taken.n = b->taken.cap = 0;
    b->held = (struct buf)BUF_INIT;
    b->nheld = 0;
    b->own_held = false;
    b->in_flight++;
    if (b->hold)
        uv_timer_stop(b->hold);
    map_put(&t->bundles, w->number, w);
    wait_for_ack(t);
    log_debug("reports go up job=%u bytes=%zu to=%s", b->key.job_id, w->body.len, str_or(b->parent, "the controller"));
    if (str_empty(b->parent))
        tell_controller(w);
    else
        tell_parent(w, b->parent);
}

static void held_long_enough(uv_timer_t *timer)
{
    branch_flush(timer->data);
}

/* Send the reports once the branch is complete, else after HOLD_MS. */
static void flush_or_hold(struct branch *b)
{
    if (b->got >= b->expect) {
        branch_flush(b);
        return;
    }
    if (!b->hold) {
        b->hold = NEW(uv_timer_t);
        uv_timer_init(b->agent->loop, b->hold);
        b->hold->data = b;
    }
    if (!uv_is_active((uv_handle_t *)b->hold))
        uv_timer_start(b->hold, held_long_enough, HOLD_MS, 0);
}

static void branch_hold(struct branch *b, const Pb__Reports *m)
{
    size_t n = pb__reports__get_packed_size(m);
    b->held.len += pb__reports__pack(m, (uint8_t *)buf_room(&b->held, n));
    b->nheld += (uint32_t)m->n_nodes;
    b->got += (uint32_t)m->n_nodes;
}

/* ---- receiving ---- */

void gather_begin(struct agent *a, struct step_key key, const char *parent, const struct strs *below)
{
    struct branch *b = branch_get(a, key);
    snprintf(b->parent, sizeof(b->parent), "%s", parent);
    b->expect = (uint32_t)below->n + 1;
    smap_clear(&b->is_below);
    strs_clear(&b->below);
    for (size_t i = 0; i < below->n; i++)
        strs_add(&b->below, below->at[i]);
}

void gather_less(struct agent *a, struct step_key key, uint32_t unreached)
{
    struct branch *b = branch_find(a, key);
    if (!b)
        return;
    b->expect -= MIN(b->expect, unreached);
    if (b->nheld)
        flush_or_hold(b);
}

bool gather_has(const struct agent *a, struct step_key key)
{
    return branch_find(a, key);
}

bool gather_report(struct agent *a, const Pb__Report *r)
{
    struct branch *b = branch_find(a, (struct step_key){ r->job_id, r->step_id, r->attempt });
    if (!b)
        return false;
    if (b->own)
        return true; /* sent already, and kept until it is acknowledged */
    Pb__NodeReport one = PB__NODE_REPORT__INIT, *list = &one;
    Pb__Reports m = PB__REPORTS__INIT;
    one.node = (char *)a->name;
    one.report = (Pb__Report *)r;
    m.nodes = &list;
    m.n_nodes = 1;
    b->own = b->own_held = true;
    branch_hold(b, &m);
    flush_or_hold(b);
    return true;
}

static bool same_step(const Pb__Reports *m)
{
    const Pb__Report *r = m->n_nodes ? m->nodes[0]->report : NULL;
    for (size_t i = 0; r && i < m->n_nodes; i++) {
        const Pb__Report *x = m->nodes[i]->report;
        if (!x || x->job_id != r->job_id || x->step_id != r->step_id || x->attempt != r->attempt)
            return false;
    }
    return r;
}

Pb__Reports *gather_read(const struct frame *f)
{
    Pb__Reports *m = pb__reports__unpack(NULL, f->len, f->body);
    if (m && same_step(m))
        return m;
    if (m)
        pb__reports__free_unpacked(m, NULL);
    return NULL;
}

/* Do these reports come from a node below, about nodes below?  Emulated nodes share one identity. */
static bool branch_expects(struct branch *b, const Pb__Reports *m, const char *peer)
{
    if (!b->is_below.n)
        for (size_t i = 0; i < b->below.n; i++)
            smap_put(&b->is_below, b->below.at[i], b);
    for (size_t i = 0; i < m->n_nodes; i++)
        if (!smap_get(&b->is_below, m->nodes[i]->node))
            return false;
    return b->agent->emulated || smap_get(&b->is_below, str_or(peer, ""));
}

static struct branch *branch_of(const struct agent *a, const Pb__Reports *m, const struct link_peer *peer)
{
    const Pb__Report *r = m->nodes[0]->report;
    struct branch *b = branch_find(a, (struct step_key){ r->job_id, r->step_id, r->attempt });
    return b && branch_expects(b, m, peer->node) ? b : NULL;
}

void gather_received(struct agent *any, struct link *c, const struct frame *f, const struct link_peer *peer)
{
    Pb__Reports *m = gather_read(f);
    struct agent *a = m ? tree_agent(any->tree, m->to) : NULL;
    struct branch *b = a ? branch_of(a, m, peer) : NULL;
    if (b) {
        if (m->to != protobuf_c_empty_string)
            free(m->to);
        m->to = (char *)protobuf_c_empty_string;
        branch_hold(b, m);
        vec_push(&b->taken, (struct below){ inbound_number(a->tree, c), f->number });
        flush_or_hold(b);
    } else if (a) { /* after a restart, or from a node that has no part in the job: the controller is to judge */
        listen_refuse(c, f->number, EPERM, "reports that this node does not expect from %s", str_or(peer->node, "?"));
    } else {
        listen_refuse(c, f->number, EBADMSG, "reports that are not for a node here, or not of one step");
    }
    if (m)
        pb__reports__free_unpacked(m, NULL);
}

/* ---- acknowledged, or not ---- */

static void bundle_free(struct bundle *w)
{
    buf_clear(&w->body);
    vec_clear(&w->below);
    free(w);
}

void gather_acked(struct tree *t, uint64_t number)
{
    struct bundle *w = map_del(&t->bundles, number);
    if (!w)
        return;
    Pb__ReportsAck ack = PB__REPORTS_ACK__INIT;
    for (size_t i = 0; i < w->below.n; i++) {
        struct link *c = inbound_link(t, w->below.at[i].inbound);
        if (c)
            link_send_pb(c, MSG_REPORTS_ACK, 0, w->below.at[i].number, &ack.base);
    }
    struct branch *b = branch_find(w->agent, w->key);
    if (b) {
        b->in_flight -= MIN(b->in_flight, 1u);
        b->own &= !w->own;
        b->own_acked |= w->own;
        done_with(b);
    }
    if (w->own)
        report_acked(w->agent, w->key, true);
    bundle_free(w);
}

void gather_ack(struct agent *a, const struct frame *f)
{
    gather_acked(a->tree, f->number);
}

bool gather_failed(struct tree *t, uint64_t number)
{
    struct bundle *w = map_get(&t->bundles, number);
    if (w && w->link)
        tell_controller(w);
    return w;
}

void gather_peer_lost(struct tree *t, uint64_t link)
{
    size_t pos = 0;
    uint64_t number;
    for (struct bundle *w; (w = map_next(&t->bundles, &pos, &number));)
        if (w->link == link)
            tell_controller(w);
}

void gather_registered(struct agent *a)
{
    size_t pos = 0;
    uint64_t number;
    for (struct bundle *w; (w = map_next(&a->tree->bundles, &pos, &number));)
        if (w->agent == a && !w->link)
            tell_controller(w);
}

static void look_again(uv_timer_t *timer)
{
    struct tree *t = timer->data;
    size_t pos = 0;
    uint64_t number, now = uv_now(t->loop);
    for (struct bundle *w; (w = map_next(&t->bundles, &pos, &number));)
        if (now - w->sent_ms >= (w->link ? PARENT_MS : AGAIN_MS))
            tell_controller(w);
    if (!t->bundles.n)
        uv_timer_stop(timer);
}
