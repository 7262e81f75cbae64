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

void fault_happen(struct sim *s)
{
    uint32_t node = rng_below(&s->faults, s->conf.nodes), which = rng_below(&s->faults, 100);
    s->stats.faults++;
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
