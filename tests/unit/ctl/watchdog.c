/* watchdog - long turns are counted, and sdiag names the cause of the longest. */
#include "rig.h"

static Pb__DiagReply *diag(struct rig *r, bool reset)
{
    Pb__DiagRequest q = PB__DIAG_REQUEST__INIT;
    q.reset = reset;
    rig_ask(r, ROOT, MSG_DIAG, &q.base);
    return rig_said(r, ASKER, MSG_DIAG_REPLY);
}

static void is_turns(struct rig *r, uint64_t n, uint64_t over_20ms, uint64_t over_100ms, uint64_t worst_us,
                     const char *cause)
{
    Pb__DiagReply *d = diag(r, false);
    const Pb__DiagTurns *t = d ? d->turns : NULL;
    is_int(t ? (int)t->n : -1, (int)n, "%s: turns", cause);
    is_int(t ? (int)t->over_20ms : -1, (int)over_20ms, "%s: over 20 ms", cause);
    is_int(t ? (int)t->over_100ms : -1, (int)over_100ms, "%s: over 100 ms", cause);
    is_int(t ? (int)t->worst_us : -1, (int)worst_us, "%s: the worst", cause);
    is_str(t ? t->worst_cause : NULL, cause, "%s: its cause", cause);
    rig_free(d);
}

int main(void)
{
    struct rig r;
    rig_up(&r);
    ctl_turn_took(r.t, (int64_t[TURN_PARTS]){ [TURN_DECIDE] = 10, [TURN_PLAN] = 20 });
    is_turns(&r, 1, 0, 0, 30, "plan");
    ctl_turn_took(r.t, (int64_t[TURN_PARTS]){ [TURN_READ] = 20001 });
    is_turns(&r, 2, 1, 0, 20001, "queries");
    ctl_turn_took(r.t, (int64_t[TURN_PARTS]){ [TURN_SEND] = 100000, [TURN_APPEND] = 1 });
    is_turns(&r, 3, 2, 1, 100001, "send");
    ctl_turn_took(r.t, (int64_t[TURN_PARTS]){ [TURN_PLAN] = 50000 });
    is_turns(&r, 4, 3, 1, 100001, "send");
    rig_free(diag(&r, true));
    is_turns(&r, 0, 0, 0, 0, "");
    rig_down(&r);
    return test_done();
}
