/* link_watch - ask a silent peer whether it lives, and leave a dead one; see link.h and liveness.h. */
#include "base/clock.h"
#include "base/mem.h"
#include "io/link_priv.h"

static void on_silence(uv_timer_t *t);

static void set_timer(struct link *l)
{
    uv_timer_start(&l->timer, on_silence, (uint64_t)MAX(liveness_next(l->live) - clock_mono_ms(), 1), 0);
}

static void on_silence(uv_timer_t *t)
{
    struct link *l = t->data;
    enum liveness_verdict v = liveness_check(l->live, clock_mono_ms());
    if (v == LIVENESS_DEAD) {
        link_fail(l, ETIMEDOUT, "the peer does not answer");
        return;
    }
    if (v == LIVENESS_ASK)
        link_send(l, MSG_PING, 0, 0, NULL, 0);
    if (!link_closing(l))
        set_timer(l);
}

void link_watch(struct link *l, uint32_t slurmd_timeout_s)
{
    if (l->live || link_closing(l))
        return;
    l->live = NEW(struct liveness);
    liveness_start(l->live, slurmd_timeout_s, clock_mono_ms());
    link_deadline_within(l, (uint64_t)l->live->silence_ms);
    if (l->stage == LINK_OPEN)
        link_watch_opened(l);
}

void link_watch_opened(struct link *l)
{
    liveness_heard(l->live, clock_mono_ms());
    set_timer(l);
}

bool link_watch_heard(struct link *l, const struct frame *f)
{
    if (l->live)
        liveness_heard(l->live, clock_mono_ms());
    return l->live && f->type == MSG_PONG;
}
