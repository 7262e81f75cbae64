/* faults - which faults happen, and when. */
#include "sim/world.h"

void faults_start(struct sim *s)
{
    uint32_t n = 20 + s->conf.nodes / 8;
    for (uint32_t i = 0; i < n; i++)
        sim_push(s, rng_range(&s->faults, 2000, s->quiet_ms - 250000), W_FAULT, 0, 0, NULL);
}

/* Clocks step, but not so far that nodes would take orders for outdated. */
static void step_clock(struct sim *s)
{
    uint32_t target = rng_below(&s->faults, s->conf.controllers);
    s->ctl[target].off_ms = rng_range(&s->faults, -120000, 120000);
    sim_tell(s, "the clock of controller %u steps to %+lld s", target + 1, (long long)(s->ctl[target].off_ms / 1000));
    ctl_want_turn(s, target, s->now_ms);
}

void fault_happen(struct sim *s)
{
    uint32_t node = rng_below(&s->faults, s->conf.nodes), which = rng_below(&s->faults, 100);
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
        step_clock(s);
        return;
    }
    s->stats.node_faults++;
    if (which < 45)
        node_crash(s, node);
    else
        node_restart_agent(s, node);
}
