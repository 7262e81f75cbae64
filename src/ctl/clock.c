/* clock - the vote of the clocks; see clock.h. */
#include "ctl/clock.h"

#include "ctl/agent.h"
#include "ctl/cluster_clock.h"

#define VOTE_MS 5000 /* a result is used for so long */
#define REASON "Clock skew"

struct clock {
    struct ctl_clock last;
    int64_t voted_ms;
    bool voted;
};

void clock_open(struct ctl *t)
{
    t->clock = NEW(struct clock);
}

void clock_close(struct ctl *t)
{
    free(take(t->clock));
}

static int64_t max_skew_ms(const struct ctl *t)
{
    return (int64_t)t->site->clock_max_skew_s * 1000;
}

static void set_reason(struct ctl *t, struct node *n, const char *reason)
{
    EVENT(ev);
    Pb__EvNodeState e = PB__EV_NODE_STATE__INIT;
    e.node = n->index;
    e.state = n->state;
    e.has_reason = true;
    e.reason = (char *)reason;
    BODY(ev, NODE_STATE, node_state, &e);
    ctl_emit(t, &ev, NULL);
}

void clock_told(struct ctl *t, struct node *n, int64_t wall_ms)
{
    n->skew_ms = wall_ms ? wall_ms - t->now_ms : 0;
    bool off = llabs(n->skew_ms) > max_skew_ms(t), told = str_has_prefix(str_or(n->reason, ""), REASON);
    if (off && str_empty(n->reason)) {
        char reason[64];
        snprintf(reason, sizeof(reason), REASON " %+lld s", (long long)n->skew_ms / 1000);
        log_error("the clock of a node is wrong node=%s skew_s=%+lld", n->name, (long long)n->skew_ms / 1000);
        set_reason(t, n, reason);
    } else if (!off && told) {
        log_info("the clock of a node is right again node=%s", n->name);
        set_reason(t, n, "");
    }
}

/* The wall clocks of the nodes that are connected, and of the other controllers. */
static size_t gather(const struct ctl *t, const int64_t *peers, size_t npeers, int64_t *out)
{
    size_t n = 0;
    for (size_t i = 0; i < npeers; i++)
        out[n++] = peers[i];
    for (size_t i = 0; i < t->c->nnodes; i++)
        if (agent_session(t, (uint32_t)i))
            out[n++] = t->now_ms + t->c->node[i].skew_ms;
    return n;
}

struct ctl_clock ctl_clock(struct ctl *t, int64_t wall_ms, int64_t mono_ms, const int64_t *peers, size_t npeers)
{
    struct clock *k = t->clock;
    if (k->voted && mono_ms - k->voted_ms < VOTE_MS)
        return k->last;
    auto_free int64_t *clocks = mem_array(npeers + t->c->nnodes + 1, sizeof(*clocks));
    size_t n = gather(t, peers, npeers, clocks);
    int64_t skew_ms = cluster_clock_median(wall_ms, clocks, n) - wall_ms;
    bool off = llabs(skew_ms) > max_skew_ms(t);
    if (off && !k->last.off)
        log_error("the wall clock of this machine differs from the median of all clocks skew_s=%+lld clocks=%zu",
                  (long long)-skew_ms / 1000, n);
    else if (!off && k->last.off)
        log_info("this machine's clock is right again");
    k->last = (struct ctl_clock){ .correct_ms = off ? skew_ms : 0, .off = off };
    k->voted_ms = mono_ms;
    k->voted = true;
    return k->last;
}
