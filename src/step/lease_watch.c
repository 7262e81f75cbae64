/* lease_watch - a supervisor ends its step when the lease of its node is over; see lease.h. */
#include <signal.h>
#include <stdio.h>

#include "base/clock.h"
#include "step/lease.h"
#include "step/watch.h"

#define LOOK_MS 1000

/* The step counts as lost with its node: the controller requeues its job. */
static void lease_mark(struct step *s)
{
    s->report.lost = true;
    snprintf(s->why, sizeof(s->why), "the node heard of no controller for SpurLeaseTime");
}

static void lease_look(struct step *s, void *arg)
{
    if (!lease_is_over(arg)) {
        watch_at(s, clock_mono_ms() + LOOK_MS, lease_look, arg);
        return;
    }
    if (s->over || s->terminating)
        return;
    Pb__KillOrder k = PB__KILL_ORDER__INIT;
    k.terminate = true;
    k.signal = SIGTERM;
    k.grace_s = s->order->kill_wait_s;
    k.reason = (char *)"DUE TO LOST CONTROLLER";
    lease_mark(s);
    step_kill(s, &k);
}

bool lease_begin(struct step *s)
{
    const struct lease *l = s->hook ? NULL : lease_find();
    if (!l)
        return true;
    if (lease_is_over(l)) {
        lease_mark(s);
        s->report.exit_code = SIGKILL;
        return false;
    }
    watch_at(s, clock_mono_ms() + LOOK_MS, lease_look, (void *)l);
    return true;
}
