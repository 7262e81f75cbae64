/*
 * tree - simulated nodes that forward orders and carry each other's reports.
 *
 * How they forward is left out.  What matters to the controllers is kept: one message reaches many nodes, some are
 * reported as unreachable, sometimes the first node dies before it has forwarded anything, and reports of many nodes
 * come in one message, some of them twice.
 */
#include "sim/world.h"
#include "text/hostlist.h"

struct carried {
    uint32_t job, step, attempt;
    VEC(uint32_t) target;
};

static uint32_t node_number(const struct sim *s, const char *name)
{
    uint32_t n = (uint32_t)strtoul(name + 1, NULL, 10);
    return n && n <= s->conf.nodes ? n - 1 : NO_LEADER;
}

/* ---- down ---- */

static void tree_deliver(struct sim *s, uint32_t target, const Pb__Fanout *m)
{
    if (m->kill) {
        Pb__KillOrder *k = cred_verify(&s->key, CRED_KILL, m->kill)
                               ? pb__kill_order__unpack(NULL, m->kill->body.len, m->kill->body.data)
                               : NULL;
        if (!k) {
            sim_break(s, "%s got an order to end a job that is not signed", s->node[target].name);
            return;
        }
        node_kill(s, target, k);
        pb__kill_order__free_unpacked(k, NULL);
        return;
    }
    auto_buf struct buf body = BUF_INIT;
    pb_pack(&body, &m->launch->base);
    struct mail mail = { .type = MSG_LAUNCH, .body = body.s, .len = body.len };
    node_launch(s, target, &mail, true, true);
}

void tree_spread(struct sim *s, uint32_t target, uint64_t number, const Pb__Fanout *m)
{
    auto_strs struct strs below = { 0 }, unreached = { 0 };
    bool faults = s->conf.faults && s->now_ms < s->quiet_ms;
    if (!str_eq(m->to, s->node[target].name) || hostlist_expand(m->below, &below, NULL) || !below.n || !m->width) {
        sim_break(s, "%s got an order for many nodes that it cannot follow", s->node[target].name);
        return;
    }
    uint64_t session = s->node[target].session;
    tree_deliver(s, target, m);
    bool dies = faults && rng_chance(&s->rng, 3);
    size_t told = dies ? (size_t)rng_range(&s->rng, 0, (int64_t)below.n - 1) : below.n;
    for (size_t i = 0; i < told; i++) {
        uint32_t n = node_number(s, below.at[i]);
        if (n == NO_LEADER || !s->node[n].up || s->now_ms < s->node[n].slow_ms || (faults && rng_chance(&s->rng, 2)))
            strs_add(&unreached, below.at[i]);
        else
            tree_deliver(s, n, m);
    }
    if (dies)
        return;
    auto_free char *list = hostlist_compress(unreached.at, unreached.n);
    Pb__FanoutReply reply = PB__FANOUT_REPLY__INIT;
    reply.unreached = list;
    net_send(s, session, MSG_FANOUT_REPLY, number, &reply.base);
}

/* ---- up ---- */

static const struct prun *same_run(const struct pnode *n, const struct prun *r)
{
    for (size_t i = 0; i < n->runs.n; i++) {
        const struct prun *x = &n->runs.at[i];
        if (x->job == r->job && x->step == r->step && x->attempt == r->attempt && x->ended)
            return x;
    }
    return NULL;
}

/* Its own report, and unacknowledged ones of other nodes, which may have sent them themselves. */
void tree_report(struct sim *s, uint32_t target, const struct prun *r)
{
    VEC(Pb__NodeReport) nodes = { 0 };
    VEC(Pb__Report) reports = { 0 };
    struct carried *c = NEW(struct carried);
    c->job = r->job, c->step = r->step, c->attempt = r->attempt;
    for (uint32_t i = 0; i < s->conf.nodes; i++) {
        const struct prun *x = i == target ? r : s->node[i].up ? same_run(&s->node[i], r) : NULL;
        if (!x)
            continue;
        Pb__Report rep = PB__REPORT__INIT;
        rep.job_id = x->job, rep.step_id = x->step, rep.attempt = x->attempt;
        rep.exit_code = x->status;
        rep.node_clean = x->clean;
        Pb__NodeReport one = PB__NODE_REPORT__INIT;
        one.node = s->node[i].name;
        vec_push(&reports, rep);
        vec_push(&nodes, one);
        vec_push(&c->target, i);
    }
    auto_free Pb__NodeReport **list = mem_array(nodes.n, sizeof(*list));
    for (size_t i = 0; i < nodes.n; i++) {
        nodes.at[i].report = &reports.at[i];
        list[i] = &nodes.at[i];
    }
    Pb__Reports m = PB__REPORTS__INIT;
    m.nodes = list, m.n_nodes = nodes.n;
    map_put(&s->carried, ++s->next_carried, c);
    net_send(s, s->node[target].session, MSG_REPORTS, s->next_carried, &m.base);
    vec_clear(&nodes);
    vec_clear(&reports);
}

static void carried_free(struct carried *c)
{
    vec_clear(&c->target);
    free(c);
}

void tree_acked(struct sim *s, uint32_t target, uint64_t number)
{
    struct carried *c = map_del(&s->carried, number);
    if (!c) {
        sim_break(s, "%s hears that a message arrived that it did not send", s->node[target].name);
        return;
    }
    Pb__ReportAck a = PB__REPORT_ACK__INIT;
    a.job_id = c->job, a.step_id = c->step, a.attempt = c->attempt;
    for (size_t i = 0; i < c->target.n; i++)
        if (s->node[c->target.at[i]].up)
            node_acked(s, c->target.at[i], &a);
    carried_free(c);
}

void tree_free(struct sim *s)
{
    size_t pos = 0;
    uint64_t number;
    for (struct carried *c; (c = map_next(&s->carried, &pos, &number));)
        carried_free(c);
    map_clear(&s->carried);
}
