/* watchdog - how long the turns of the controller take; see watchdog.h. */
#include "ctl/watchdog.h"

#define LONG_US 20000
#define VERY_LONG_US 100000
#define LOGGED_US 1000000

struct watchdog {
    uint64_t turns, over_20ms, over_100ms, worst_us;
    int64_t worst_s;
    char worst[64]; /* its cause */
    enum msg_type slowest; /* request of this turn ... */
    int64_t slowest_us;    /* ... and its time; 0: none */
};

static const char *const part_names[TURN_PARTS] = {
    [TURN_DECIDE] = "requests", [TURN_PLAN] = "plan", [TURN_APPEND] = "append", [TURN_READ] = "queries",
    [TURN_SEND] = "send",
};

void watchdog_open(struct ctl *t)
{
    t->watchdog = NEW(struct watchdog);
}

void watchdog_close(struct ctl *t)
{
    free(take(t->watchdog));
}

void watchdog_reset(struct ctl *t)
{
    *t->watchdog = (struct watchdog){ 0 };
}

void watchdog_request(struct ctl *t, enum msg_type type, int64_t us)
{
    struct watchdog *w = t->watchdog;
    if (us <= w->slowest_us)
        return;
    w->slowest = type;
    w->slowest_us = us;
}

/* The part that took most; of requests the slowest one as well. */
static void find_cause(const struct watchdog *w, const int64_t us[TURN_PARTS], char *out, size_t size)
{
    enum turn_part most = 0;
    for (enum turn_part p = 0; p < TURN_PARTS; p++)
        most = us[p] > us[most] ? p : most;
    if (most == TURN_DECIDE && w->slowest_us)
        snprintf(out, size, "%s, %s %lld us", part_names[most], msg_name(w->slowest), (long long)w->slowest_us);
    else
        snprintf(out, size, "%s", part_names[most]);
}

void ctl_turn_took(struct ctl *t, const int64_t us[TURN_PARTS])
{
    struct watchdog *w = t->watchdog;
    uint64_t all = 0;
    for (enum turn_part p = 0; p < TURN_PARTS; p++)
        all += (uint64_t)us[p];
    w->turns++;
    w->over_20ms += all > LONG_US;
    w->over_100ms += all > VERY_LONG_US;
    if (all > w->worst_us) {
        w->worst_us = all;
        w->worst_s = NOW_S(t);
        find_cause(w, us, w->worst, sizeof(w->worst));
    }
    if (all > LOGGED_US) {
        char cause[sizeof(w->worst)];
        find_cause(w, us, cause, sizeof(cause));
        log_error("a turn took %llu ms: %s", (unsigned long long)all / 1000, cause);
    }
    w->slowest_us = 0;
}

void watchdog_tell(const struct ctl *t, Pb__DiagTurns *out)
{
    const struct watchdog *w = t->watchdog;
    pb__diag_turns__init(out);
    out->n = w->turns, out->over_20ms = w->over_20ms, out->over_100ms = w->over_100ms;
    out->worst_us = w->worst_us, out->worst_s = w->worst_s, out->worst_cause = t->watchdog->worst;
    out->user_connections = t->facts.user_connections, out->slowed_down = t->facts.slowed_down;
}
