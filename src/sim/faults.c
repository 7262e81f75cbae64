/* faults - which faults happen, and when. */
#include "sim/world.h"

void faults_start(struct sim *s)
{
    uint32_t n = s->conf.fault_count ? s->conf.fault_count : 20 + s->conf.nodes / 8;
    for (uint32_t i = 0; i < n; i++)
        sim_push(s, rng_range(&s->faults, 2000, s->quiet_ms - 250000), W_FAULT, 0, 0, NULL);
}

#define STEP_MS 7200000

/* A step of up to two hours, or back to the true time. */
static int64_t clock_step(struct sim *s)
{
    return rng_chance(&s->faults, 25) ? 0 : rng_range(&s->faults, -STEP_MS, STEP_MS);
}

/* One controller at a time has a wrong clock: where most are wrong, nothing is right.  A controller that has just
 * booted has the right time until it has heard of the cluster's. */
static void step_controller_clock(struct sim *s)
{
    uint32_t target = rng_below(&s->faults, s->conf.controllers);
    for (uint32_t i = 0; i < s->conf.controllers; i++)
        if (i != target)
            s->ctl[i].off_ms = 0;
    if (!s->ctl[target].t || !s->ctl[target].clock.anchored)
        return;
    s->ctl[target].off_ms = clock_step(s);
    sim_tell(s, "the clock of controller %u steps to %+lld s", target + 1, (long long)(s->ctl[target].off_ms / 1000));
    ctl_want_turn(s, target, s->now_ms);
}

/* At most every third node has a wrong clock. */
static void step_node_clock(struct sim *s)
{
    uint32_t target = rng_below(&s->faults, s->conf.nodes);
    s->node[target].off_ms = target % 3 ? 0 : clock_step(s);
    sim_tell(s, "the clock of %s steps to %+lld s", s->node[target].name,
             (long long)(s->node[target].off_ms / 1000));
}

/* ---- silence ---- */

#define SILENCE_MS 15000 /* then a node leaves a connection, as io/liveness.h */

/* How long a cut or a pause lasts: mostly seconds, sometimes longer than SlurmdTimeout and any lease. */
static int64_t fault_length(struct sim *s)
{
    return rng_chance(&s->faults, 40) ? rng_range(&s->faults, 200, 20000) : rng_range(&s->faults, 20000, 240000);
}

static void node_may_leave(struct sim *s, uint32_t node)
{
    int64_t after_ms = SILENCE_MS + rng_range(&s->faults, 0, 5000);
    sim_push(s, s->now_ms + after_ms, W_NODE_SILENCE, node, s->node[node].session, NULL);
}

/* A cable is cut: both ways, or one. */
static void cut_node(struct sim *s, uint32_t node)
{
    struct pnode *n = &s->node[node];
    int64_t until_ms = s->now_ms + fault_length(s);
    uint32_t way = rng_below(&s->faults, 3);
    if (way != 1)
        n->cut_in_ms = until_ms;
    if (way != 2)
        n->cut_out_ms = until_ms;
    n->fault_ms = MAX(n->fault_ms, until_ms);
    sim_tell(s, "%s is cut off %s until %lld s", n->name, way == 0 ? "both ways" : way == 1 ? "outwards" : "inwards",
             (long long)until_ms / 1000);
    node_may_leave(s, node);
}

/* The agent stands still; what its supervisors run goes on. */
static void slow_node(struct sim *s, uint32_t node)
{
    struct pnode *n = &s->node[node];
    if (!n->up)
        return;
    n->slow_ms = s->now_ms + fault_length(s);
    n->fault_ms = MAX(n->fault_ms, n->slow_ms);
    sim_tell(s, "the agent of %s stands still until %lld s", n->name, (long long)n->slow_ms / 1000);
}

static void stop_leader(struct sim *s)
{
    if (s->leader == NO_LEADER)
        return;
    uint32_t leader = s->leader;
    ctl_stop(s, fault_length(s) / 2);
    for (uint32_t i = 0; i < s->conf.nodes; i++) {
        const struct session *c = net_find(s, s->node[i].session);
        if (c && c->ctl == leader)
            node_may_leave(s, i);
    }
}

static void silence_happen(struct sim *s, uint32_t node)
{
    uint32_t which = rng_below(&s->faults, 100);
    if (which < 30)
        stop_leader(s);
    else if (which < 75)
        cut_node(s, node);
    else
        slow_node(s, node);
}

void fault_happen(struct sim *s)
{
    uint32_t node = rng_below(&s->faults, s->conf.nodes), which = rng_below(&s->faults, 100);
    s->stats.faults++;
    if (s->conf.fault_count && rng_chance(&s->faults, 40)) {
        silence_happen(s, node);
        return;
    }
    if (which < 12) {
        ctl_crash(s, rng_chance(&s->faults, 80) && s->leader != NO_LEADER ? s->leader
                                                                          : rng_below(&s->faults, s->conf.controllers));
        return;
    }
    if (which < 18) {
        ctl_step_down(s);
        return;
    }
    if (which < 22) {
        if (rng_chance(&s->faults, 50))
            step_controller_clock(s);
        else
            step_node_clock(s);
        return;
    }
    s->stats.node_faults++;
    if (which < 45)
        node_crash(s, node);
    else
        node_restart_agent(s, node);
}
