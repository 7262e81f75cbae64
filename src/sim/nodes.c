/*
 * nodes - simulated nodes: they check orders, "run" a job for as long as its script says, and report until they are
 * acknowledged.
 */
#include <errno.h>
#include <signal.h>

#include "sim/world.h"
#include "text/hostlist.h"
#include "text/strs.h"

#define AGAIN_MS 10000
#define TREE_WIDTH 2             /* as configured in replay.c */
#define WINDOW_MS (10 * 60000LL) /* how old an order may be, as in spurd */

static uint64_t order_hash(uint32_t job, uint32_t step, uint32_t attempt)
{
    uint32_t k[3] = { job, step, attempt };
    return map_hash_bytes(k, sizeof(k));
}

/* A run is identified by its order, so that events for an earlier run have no effect. */
static struct prun *node_find_run(struct pnode *n, uint64_t hash)
{
    for (size_t i = 0; i < n->runs.n; i++)
        if (order_hash(n->runs.at[i].job, n->runs.at[i].step, n->runs.at[i].attempt) == hash)
            return &n->runs.at[i];
    return NULL;
}

static bool any_alive(const struct pnode *n, uint32_t job, uint32_t attempt)
{
    for (size_t i = 0; i < n->runs.n; i++)
        if (n->runs.at[i].job == job && n->runs.at[i].attempt == attempt && !n->runs.at[i].ended)
            return true;
    return false;
}

void nodes_start(struct sim *s)
{
    s->node = mem_array(s->conf.nodes, sizeof(*s->node));
    for (uint32_t i = 0; i < s->conf.nodes; i++) {
        struct pnode *n = &s->node[i];
        snprintf(n->name, sizeof(n->name), "n%u", i + 1);
        n->up = true;
        n->boot = 1;
        n->cluster_off_ms = INT64_MIN;
        sim_push(s, rng_range(&s->rng, 500, 3000), W_NODE_CONNECT, i, 0, NULL);
    }
}

/* ---- reports ---- */

static void node_check_later(struct sim *s, uint32_t target)
{
    if (s->node[target].again)
        return;
    s->node[target].again = true;
    sim_push(s, s->now_ms + AGAIN_MS, W_NODE_AGAIN, target, 0, NULL);
}

static void send_report(struct sim *s, uint32_t target, struct prun *r)
{
    struct pnode *n = &s->node[target];
    node_check_later(s, target);
    if (!n->registered || s->now_ms < n->slow_ms)
        return;
    Pb__Report rep = PB__REPORT__INIT;
    rep.job_id = r->job, rep.step_id = r->step, rep.attempt = r->attempt;
    rep.exit_code = r->status;
    rep.lost = r->lost;
    rep.node_clean = r->clean;
    r->sent_at = s->now_ms;
    if (r->by_tree) {
        tree_report(s, target, r);
        return;
    }
    net_send(s, n->session, MSG_REPORT, 0, &rep.base);
    if (s->conf.faults && rng_chance(&s->rng, 2))
        net_send(s, n->session, MSG_REPORT, 0, &rep.base);
}

static void send_clean(struct sim *s, uint32_t target, struct pclean *c)
{
    struct pnode *n = &s->node[target];
    node_check_later(s, target);
    if (!n->registered || s->now_ms < n->slow_ms || any_alive(n, c->job, c->attempt))
        return;
    Pb__Report rep = PB__REPORT__INIT;
    rep.job_id = c->job, rep.attempt = c->attempt;
    rep.step_id = PB__STEP_NUMBER__STEP_EXTERN;
    rep.node_clean = true;
    net_send(s, n->session, MSG_REPORT, 0, &rep.base);
    c->sent_at = s->now_ms;
}

void node_tell_all(struct sim *s, uint32_t target, int64_t older_than)
{
    struct pnode *n = &s->node[target];
    for (size_t i = 0; i < n->runs.n; i++)
        if (n->runs.at[i].ended && n->runs.at[i].sent_at <= older_than)
            send_report(s, target, &n->runs.at[i]);
    for (size_t i = 0; i < n->cleans.n; i++)
        if (n->cleans.at[i].sent_at <= older_than)
            send_clean(s, target, &n->cleans.at[i]);
}

void node_again(struct sim *s, uint32_t target)
{
    s->node[target].again = false;
    node_tell_all(s, target, s->now_ms - AGAIN_MS);
}

void node_acked(struct sim *s, uint32_t target, const Pb__ReportAck *a)
{
    struct pnode *n = &s->node[target];
    for (size_t i = 0; a->step_id == PB__STEP_NUMBER__STEP_EXTERN && i < n->cleans.n; i++)
        if (n->cleans.at[i].job == a->job_id && n->cleans.at[i].attempt == a->attempt) {
            vec_remove(&n->cleans, i);
            break;
        }
    struct prun *r = node_find_run(n, order_hash(a->job_id, a->step_id, a->attempt));
    if (!r || !r->ended)
        return;
    if (a->step_id == PB__STEP_NUMBER__STEP_BATCH)
        check_reported(s, a->job_id, a->attempt);
    vec_remove(&n->runs, (size_t)(r - n->runs.at));
}

/* ---- runs ---- */

static void node_end_run(struct sim *s, uint32_t target, struct prun *r)
{
    struct pnode *n = &s->node[target];
    r->ended = true;
    r->sent_at = 0;
    r->clean = r->step == PB__STEP_NUMBER__STEP_BATCH && !any_alive(n, r->job, r->attempt);
    uint32_t job = r->job, attempt = r->attempt;
    send_report(s, target, r);
    for (size_t i = 0; i < n->cleans.n; i++)
        if (n->cleans.at[i].job == job && n->cleans.at[i].attempt == attempt)
            send_clean(s, target, &n->cleans.at[i]);
}

void node_run_end(struct sim *s, uint32_t target, uint64_t arg)
{
    struct pnode *n = &s->node[target];
    struct prun *r = node_find_run(n, arg);
    if (n->up && r && !r->ended && !r->paused && r->end_at == s->now_ms)
        node_end_run(s, target, r);
}

static void set_end(struct sim *s, uint32_t target, struct prun *r, int64_t at_ms)
{
    r->end_at = at_ms;
    sim_push(s, at_ms, W_RUN_END, target, order_hash(r->job, r->step, r->attempt), NULL);
}

/* "sleep 30 exit 1": seconds, and a wait status' exit code. */
static bool read_program(const Pb__LaunchOrder *o, unsigned *secs, unsigned *code)
{
    if (o->step_id != PB__STEP_NUMBER__STEP_BATCH)
        return o->step && o->step->n_argv == 1 && sscanf(o->step->argv[0], "sleep %u exit %u", secs, code) == 2;
    auto_free char *text = mem_strn((char *)o->script.data, o->script.len);
    return sscanf(text, "#!/bin/sh\nsleep %u exit %u", secs, code) == 2;
}

static int node_follow(struct sim *s, uint32_t target, const Pb__LaunchOrder *o, bool by_tree)
{
    struct pnode *n = &s->node[target];
    uint64_t hash = order_hash(o->job_id, o->step_id, o->attempt);
    unsigned secs = 0, code = 0;
    if (node_find_run(n, hash))
        return 0;
    if (map_get(&n->ran, hash))
        return EALREADY;
    if (map_get(&n->ran, order_hash(o->job_id, PB__STEP_NUMBER__STEP_EXTERN, o->attempt)))
        return ECANCELED; /* this attempt was ended here, and the order comes late: launched_log_job_ended() of spurd */
    if (!read_program(o, &secs, &code)) {
        sim_break(s, "the order of job %u does not carry its program", o->job_id);
        return EBADMSG;
    }
    if (code == 99) /* a program that cannot be started */
        return ENOENT;
    map_put(&n->ran, hash, n);
    check_twice(s, target, o->job_id, o->attempt);
    struct prun r = {
        .job = o->job_id, .attempt = o->attempt, .step = o->step_id, .status = code << 8, .by_tree = by_tree
    };
    vec_push(&n->runs, r);
    s->stats.runs++;
    int64_t saved_ms = o->step_id == PB__STEP_NUMBER__STEP_BATCH ? check_track(s, o->job_id)->saved_ms : 0;
    int64_t takes_ms = MAX(secs * 1000LL - saved_ms, 0);
    set_end(s, target, &n->runs.at[n->runs.n - 1], s->now_ms + takes_ms + rng_range(&s->rng, 1, 900));
    return 0;
}

/* The cluster's time as the node knows it: clock_cluster_ms() of spurd. */
static int64_t node_time_ms(const struct sim *s, uint32_t target)
{
    const struct pnode *n = &s->node[target];
    return SIM_EPOCH_S * 1000LL + s->now_ms + (n->cluster_off_ms == INT64_MIN ? n->off_ms : n->cluster_off_ms);
}

void node_set_time(struct sim *s, uint32_t target, int64_t cluster_ms)
{
    s->node[target].cluster_off_ms = cluster_ms - SIM_EPOCH_S * 1000LL - s->now_ms;
}

/* Is the order for this node?  A script belongs to the first node, a step to the nodes that it names. */
static bool order_names_node(const Pb__LaunchOrder *o, const char *name)
{
    auto_strs struct strs names = { 0 };
    bool batch = o->step_id == PB__STEP_NUMBER__STEP_BATCH;
    if (hostlist_expand(batch ? o->nodes : o->step_nodes, &names, NULL) || !names.n)
        return false;
    for (size_t i = 0; i < (batch ? 1 : names.n); i++)
        if (str_eq(names.at[i], name))
            return true;
    return false;
}

/* With a step on more nodes than are told at once, a branch may get the order again while its node's end is on its way.
 */
static bool may_be_told_again(const Pb__LaunchOrder *o)
{
    return o->step_id != PB__STEP_NUMBER__STEP_BATCH && o->n_step_node > TREE_WIDTH;
}

/* `by_tree`: forwarded by another node; it may then arrive a second time legitimately. */
void node_launch(struct sim *s, uint32_t target, const struct mail *m, bool by_tree, bool twice)
{
    Pb__Signed *sg = pb__signed__unpack(NULL, m->len, (uint8_t *)m->body);
    Pb__LaunchOrder *o = sg && cred_verify(&s->key, CRED_LAUNCH, sg)
                             ? pb__launch_order__unpack(NULL, sg->body.len, sg->body.data)
                             : NULL;
    if (!o || !order_names_node(o, s->node[target].name) || !o->spec) {
        sim_break(s, "%s got an order that it cannot follow", s->node[target].name);
    } else if (o->issued_ms < s->node[target].registered_ms) {
        sim_tell(s, "%s drops a late order of job %u", s->node[target].name, o->job_id); /* is_outdated() of spurd */
    } else if (s->node[target].lease_ms && s->now_ms >= s->node[target].lease_ms) {
        sim_tell(s, "%s has no lease for job %u", s->node[target].name, o->job_id);
        net_cut(s, s->node[target].session, 1);
        if (s->node[target].session)
            node_disconnected(s, target);
    } else {
        int64_t old_ms = node_time_ms(s, target) - o->issued_ms;
        int rc = old_ms > WINDOW_MS || old_ms < -WINDOW_MS ? ETIME : node_follow(s, target, o, by_tree);
        if (rc == EALREADY && !twice && !may_be_told_again(o))
            sim_break(s, "%s is ordered to run job %u attempt %u again after its end was acknowledged",
                      s->node[target].name, o->job_id, o->attempt);
        Pb__LaunchReply reply = PB__LAUNCH_REPLY__INIT;
        reply.job_id = o->job_id, reply.step_id = o->step_id, reply.attempt = o->attempt;
        reply.code = rc == ECANCELED ? EALREADY : rc;
        reply.text = rc ? (char *)"it cannot be started" : NULL;
        if (!by_tree || (rc && rc != EALREADY && rc != ECANCELED))
            net_send(s, s->node[target].session, MSG_LAUNCH_REPLY, m->number, &reply.base);
    }
    if (o)
        pb__launch_order__free_unpacked(o, NULL);
    if (sg)
        pb__signed__free_unpacked(sg, NULL);
}

static void stop_or_go(struct sim *s, uint32_t target, struct prun *r, uint32_t signal)
{
    if (signal == SIGSTOP && !r->paused) {
        r->paused = true;
        r->left_ms = r->end_at - s->now_ms;
    } else if (signal == SIGCONT && r->paused) {
        r->paused = false;
        set_end(s, target, r, s->now_ms + MAX(r->left_ms, 1));
    }
}

/* ---- the lease: step/lease.h ---- */

void node_renew_lease(struct sim *s, uint32_t target, int64_t sent_ms, uint32_t lease_s)
{
    struct pnode *n = &s->node[target];
    n->lease_ms = lease_s ? sent_ms + (int64_t)lease_s * 1000 : 0;
    if (lease_s)
        sim_push(s, n->lease_ms + rng_range(&s->rng, 0, 1000), W_NODE_LEASE, target, 0, NULL);
}

/* The supervisors end the steps; the agent has no part in it. */
void node_lease_end(struct sim *s, uint32_t target)
{
    struct pnode *n = &s->node[target];
    if (!n->up || !n->lease_ms || s->now_ms < n->lease_ms)
        return;
    for (size_t i = 0; i < n->runs.n; i++) {
        struct prun *r = &n->runs.at[i];
        if (r->ended || r->lost)
            continue;
        sim_tell(s, "%s ends job %u, its lease is over", n->name, r->job);
        r->lost = true;
        r->paused = false;
        r->status = SIGTERM;
        set_end(s, target, r, s->now_ms + rng_range(&s->rng, 1, 5000));
    }
}

void node_kill(struct sim *s, uint32_t target, const Pb__KillOrder *k)
{
    struct pnode *n = &s->node[target];
    for (size_t i = 0; i < n->runs.n; i++) {
        struct prun *r = &n->runs.at[i];
        if (r->job != k->job_id || r->attempt != k->attempt || r->ended || (k->one_step && r->step != k->step_id))
            continue;
        if (!k->terminate) {
            stop_or_go(s, target, r, k->signal);
            continue;
        }
        r->paused = false;
        r->status = SIGTERM;
        set_end(s, target, r, s->now_ms + rng_range(&s->rng, 1, 2000));
    }
    if (!k->terminate || k->one_step)
        return;
    map_put(&n->ran, order_hash(k->job_id, PB__STEP_NUMBER__STEP_EXTERN, k->attempt), n);
    size_t i = 0;
    while (i < n->cleans.n && (n->cleans.at[i].job != k->job_id || n->cleans.at[i].attempt != k->attempt))
        i++;
    if (i == n->cleans.n)
        vec_push(&n->cleans, (struct pclean){ k->job_id, k->attempt, 0 });
    send_clean(s, target, &n->cleans.at[i]);
}

/* ---- faults ---- */

void node_crash(struct sim *s, uint32_t target)
{
    struct pnode *n = &s->node[target];
    if (!n->up)
        return;
    sim_tell(s, "%s crashed", n->name);
    net_cut(s, n->session, rng_range(&s->faults, 10, 20000));
    n->up = n->registered = false;
    n->session = 0;
    n->runs.n = n->cleans.n = 0; /* the runs on the node are gone, and all their reports */
    n->boot++;
    n->off_ms = 0, n->cluster_off_ms = INT64_MIN; /* a machine that boots sets its clock */
    n->lease_ms = n->slow_ms = 0;
    int64_t boot_ms = s->now_ms + rng_range(&s->faults, 2000, 200000);
    n->fault_ms = MAX(n->fault_ms, boot_ms);
    sim_push(s, boot_ms, W_NODE_BOOT, target, 0, NULL);
}

void node_boot(struct sim *s, uint32_t target)
{
    s->node[target].up = true;
    s->node[target].start_s = 0;
    sim_tell(s, "%s booted", s->node[target].name);
    node_connect(s, target);
}

void node_restart_agent(struct sim *s, uint32_t target)
{
    struct pnode *n = &s->node[target];
    if (!n->up || !n->session)
        return;
    bool restart = rng_chance(&s->faults, 50);
    sim_tell(s, "%s %s", n->name, restart ? "restarts its agent" : "loses its connection");
    net_cut(s, n->session, rng_range(&s->faults, 1, 5000));
    if (restart)
        n->start_s = 0;
    n->session = 0;
    n->registered = false;
    int64_t away_ms =
        rng_chance(&s->faults, 20) ? rng_range(&s->faults, 30000, 150000) : rng_range(&s->faults, 10, 5000);
    n->fault_ms = MAX(n->fault_ms, s->now_ms + away_ms);
    sim_push(s, s->now_ms + away_ms, W_NODE_CONNECT, target, 0, NULL);
}
