/* liveness - ask a silent peer, leave a dead one; see liveness.h. */
#include "io/liveness.h"

#include "base/mem.h"

void liveness_start(struct liveness *l, uint32_t slurmd_timeout_s, int64_t now_ms)
{
    int64_t silence_ms = slurmd_timeout_s ? (int64_t)slurmd_timeout_s * 1000 / 4 : LIVENESS_SILENCE_MAX_MS;
    silence_ms = MAX(MIN(silence_ms, LIVENESS_SILENCE_MAX_MS), LIVENESS_SILENCE_MIN_MS);
    *l = (struct liveness){ .interval_ms = silence_ms / LIVENESS_INTERVALS, .silence_ms = silence_ms };
    liveness_heard(l, now_ms);
}

void liveness_heard(struct liveness *l, int64_t now_ms)
{
    l->heard_ms = l->checked_ms = now_ms;
    l->asked_ms = l->since_ms = 0;
}

/* A process that stood still has not listened, either: the peer gets its whole time from now on. */
static void forgive(struct liveness *l, int64_t now_ms)
{
    if (now_ms - l->checked_ms > 2 * l->interval_ms && l->since_ms)
        l->since_ms = now_ms;
    l->checked_ms = now_ms;
}

enum liveness_verdict liveness_check(struct liveness *l, int64_t now_ms)
{
    forgive(l, now_ms);
    if (now_ms < liveness_next(l))
        return LIVENESS_FINE;
    if (l->since_ms && now_ms - l->since_ms >= l->silence_ms - l->interval_ms)
        return LIVENESS_DEAD;
    l->asked_ms = now_ms;
    if (!l->since_ms)
        l->since_ms = now_ms;
    return LIVENESS_ASK;
}

int64_t liveness_next(const struct liveness *l)
{
    return (l->asked_ms ? l->asked_ms : l->heard_ms) + l->interval_ms;
}
