/* ctls - the controllers: the real ctl on a simulated ledger, and their faults. */
#include "base/log.h"
#include "sim/world.h"

#define SNAP_EVERY 256
#define ELECTION_MS 1000

static struct ctl *make_ctl(struct sim *s, uint32_t target)
{
    static const enum sim_place places[] = {
        [RULES_NONE] = SIM_HERE, [RULES_QOS] = SIM_RULES, [RULES_SHORT] = SIM_SHORT
    };
    enum sim_place place = s->conf.confirm ? SIM_CONFIRM
                           : s->conf.lease ? SIM_LEASE
                           : s->conf.turns ? SIM_TURNS
                                           : places[s->conf.rules];
    struct ctl_conf conf = { .site = sim_site(s->conf.nodes, place),
                             .key = &s->key,
                             .admin_uid = 0,
                             .id = target + 1,
                             .accounts = &sim_accounts };
    return ctl_new(&conf);
}

/* ---- time, as in timekeeper.c ---- */

#define RESIGN_AGAIN_MS 600000

static int64_t true_ms(const struct sim *s)
{
    return SIM_EPOCH_S * 1000LL + s->now_ms;
}

static struct ctl_clock vote(struct sim *s, uint32_t target)
{
    struct controller *c = &s->ctl[target];
    int64_t *peers = mem_array(s->conf.controllers, sizeof(*peers));
    size_t n = 0;
    for (uint32_t i = 0; i < s->conf.controllers; i++)
        if (i != target && s->ctl[i].t)
            peers[n++] = true_ms(s) + c->peer_off_ms[i];
    struct ctl_clock v = ctl_clock(c->t, true_ms(s) + c->off_ms, s->now_ms, peers, n);
    free(peers);
    return v;
}

static int64_t right_wall_ms(struct sim *s, uint32_t target)
{
    return true_ms(s) + s->ctl[target].off_ms + vote(s, target).correct_ms;
}

static int64_t cluster_ms(struct sim *s, uint32_t target)
{
    return cluster_clock_read(&s->ctl[target].clock, right_wall_ms(s, target), s->now_ms);
}

/* Controllers tell each other their wall clocks when they connect. */
static void exchange_clocks(struct sim *s, uint32_t target)
{
    for (uint32_t i = 0; i < s->conf.controllers; i++) {
        s->ctl[target].peer_off_ms[i] = s->ctl[i].off_ms;
        s->ctl[i].peer_off_ms[target] = s->ctl[target].off_ms;
    }
}

static void resign_if_off(struct sim *s, uint32_t target)
{
    struct controller *c = &s->ctl[target];
    bool early = c->resigned_ms && s->now_ms - c->resigned_ms < RESIGN_AGAIN_MS;
    if (c->in_flight || early || s->leader != target || !vote(s, target).off)
        return;
    c->resigned_ms = s->now_ms;
    sim_tell(s, "the clock of controller %u is off", target + 1);
    ctl_step_down(s);
}

void ctls_start(struct sim *s)
{
    s->ctl = mem_array(s->conf.controllers, sizeof(*s->ctl));
    s->leader = NO_LEADER;
    for (uint32_t i = 0; i < s->conf.controllers; i++)
        s->ctl[i].peer_off_ms = mem_array(s->conf.controllers, sizeof(int64_t));
    for (uint32_t i = 0; i < s->conf.controllers; i++)
        sim_push(s, i * 100, W_CTL_UP, i, 0, NULL);
}

void ctl_want_turn(struct sim *s, uint32_t target, int64_t at_ms)
{
    struct controller *c = &s->ctl[target];
    at_ms = MAX(at_ms, s->now_ms);
    if (!c->t || !c->leading || (c->turn_at && c->turn_at <= at_ms))
        return;
    c->turn_at = at_ms;
    sim_push(s, at_ms, W_TURN, target, 0, NULL);
}

void ctl_mail(struct sim *s, struct mail *m)
{
    struct session *n = net_find(s, m->session);
    if (!n || !s->ctl[n->ctl].leading) {
        mail_free(m);
        return;
    }
    vec_push(&s->ctl[n->ctl].queue, m);
    ctl_want_turn(s, n->ctl, s->now_ms + rng_range(&s->rng, 0, 2));
}

/* ---- a turn, as in the daemon ---- */

static void ctl_send(struct sim *s, struct controller *c)
{
    struct ctl_out *outs;
    size_t n = ctl_outs(c->t, &outs);
    for (size_t i = 0; i < n; i++) {
        struct shared_buf *shared = outs[i].shared;
        if (shared) /* net_reply() frees the body */
            outs[i].body = memcpy(mem_alloc(outs[i].len + 1), outs[i].body, outs[i].len);
        net_reply(s, &outs[i]);
        shared_buf_unref(shared);
    }
}

static void next_turn(struct sim *s, uint32_t target)
{
    struct controller *c = &s->ctl[target];
    if (c->in_flight)
        return;
    int64_t next = ctl_next_ms(c->t);
    if (c->queue.n || c->gone.n || c->lead_wanted || ctl_again(c->t))
        ctl_want_turn(s, target, s->now_ms + 1);
    else if (next)
        ctl_want_turn(s, target, s->now_ms + MAX(next - cluster_ms(s, target), 1));
}

static void ctl_hear(struct sim *s, struct controller *c)
{
    size_t i = 0;
    for (; i < c->queue.n && !ctl_full(c->t); i++) {
        struct mail *m = c->queue.at[i];
        struct session *n = net_find(s, m->session);
        struct ctl_peer peer = { 0 };
        if (n && n->node)
            peer = (struct ctl_peer){ 0, 0, true, s->node[n->owner].name };
        else if (n)
            peer.uid = peer.gid = s->ops.at[n->owner].uid;
        struct frame f = { m->type, 0, m->number, (uint8_t *)m->body, (uint32_t)m->len };
        if (n)
            ctl_request(c->t, m->session, &peer, &f);
        mail_free(m);
    }
    if (i)
        memmove(c->queue.at, c->queue.at + i, (c->queue.n - i) * sizeof(*c->queue.at));
    c->queue.n -= i;
}

static void forget_gone(struct sim *s, struct controller *c)
{
    for (size_t i = 0; i < c->gone.n; i++) {
        ctl_gone(c->t, c->gone.at[i]);
        free(map_del(&s->sessions, c->gone.at[i]));
    }
    c->gone.n = 0;
}

static int64_t commit_delay(struct sim *s)
{
    if (!s->conf.faults)
        return 1;
    return rng_chance(&s->rng, 1) ? rng_range(&s->rng, 1000, 20000) : rng_range(&s->rng, 1, 30);
}

void ctl_turn(struct sim *s, uint32_t target, int64_t at_ms)
{
    struct controller *c = &s->ctl[target];
    if (!c->t || !c->leading || c->turn_at != at_ms)
        return;
    c->turn_at = 0;
    if (c->in_flight || c->stopped)
        return;
    if (c->lead_wanted)
        cluster_clock_lead(&c->clock, ctl_cluster(c->t)->last_ms, right_wall_ms(s, target), s->now_ms);
    int64_t now_ms = cluster_ms(s, target);
    ctl_begin(c->t, now_ms, NULL);
    if (c->lead_wanted)
        ctl_lead(c->t, now_ms, NULL);
    c->lead_wanted = false;
    forget_gone(s, c);
    ctl_timers(c->t);
    ctl_hear(s, c);
    const struct buf *entry = ctl_end(c->t);
    if (entry->len) {
        c->in_flight = true;
        buf_reset(&c->entry);
        buf_add(&c->entry, entry->s, entry->len);
        sim_push(s, s->now_ms + commit_delay(s), W_COMMIT, target, c->life, NULL);
        return;
    }
    ctl_send(s, c);
    next_turn(s, target);
    resign_if_off(s, target);
}

/* ---- the simulated ledger ---- */

static void keep_snapshot(struct sim *s, struct controller *c)
{
    struct sim_snap snap = { .entries = s->log.entries.n };
    ctl_encode(c->t, &snap.bytes);
    check_kept_bytes(s, ctl_cluster(c->t), &snap.bytes);
    vec_push(&s->log.snaps, snap);
}

static void ctl_record(struct sim *s, const struct buf *entry)
{
    struct buf copy = BUF_INIT;
    buf_add(&copy, entry->s, entry->len);
    vec_push(&s->log.entries, copy);
    for (uint32_t i = 0; i < s->conf.controllers; i++)
        if (i != s->leader && s->ctl[i].t)
            sim_push(s, s->now_ms + rng_range(&s->rng, 1, 500), W_FOLLOW, i, 0, NULL);
    check_entry(s, entry);
}

void ctl_committed(struct sim *s, uint32_t target, uint64_t life)
{
    struct controller *c = &s->ctl[target];
    if (!c->t || c->life != life || !c->in_flight)
        return;
    c->in_flight = false;
    ctl_record(s, &c->entry);
    c->applied = s->log.entries.n;
    ctl_send(s, c);
    if (s->conf.nodes <= 100 || s->log.entries.n % 16 == 0)
        check_state(s, ctl_cluster(c->t));
    if (s->log.entries.n % SNAP_EVERY == 0) {
        keep_snapshot(s, c);
        for (uint32_t i = 0; i < s->conf.controllers; i++)
            check_same(s, i);
    }
    next_turn(s, target);
}

void ctl_catch_up(struct sim *s, uint32_t target)
{
    struct controller *c = &s->ctl[target];
    if (!c->t || c->leading)
        return;
    for (; c->applied < s->log.entries.n; c->applied++) {
        struct err err = ERR_INIT;
        const struct buf *entry = &s->log.entries.at[c->applied];
        if (ctl_replay(c->t, entry->s, entry->len, &err))
            sim_break(s, "controller %u cannot follow entry %zu: %s", target, c->applied, err.text);
        cluster_clock_follow(&c->clock, ctl_cluster(c->t)->last_ms, right_wall_ms(s, target), s->now_ms);
    }
}

/* ---- leadership ---- */

static void ctl_become_leader(struct sim *s, uint32_t target)
{
    struct controller *c = &s->ctl[target];
    ctl_catch_up(s, target);
    s->leader = target;
    c->leading = c->lead_wanted = true;
    c->turn_at = 0;
    sim_tell(s, "controller %u leads", target + 1);
    ctl_want_turn(s, target, s->now_ms);
}

/* Rebuild the state from a snapshot, not always the latest, and the entries after it. */
static void ctl_rebuild(struct sim *s, uint32_t target)
{
    struct controller *c = &s->ctl[target];
    size_t pick = s->log.snaps.n ? rng_below(&s->faults, (uint32_t)MIN(s->log.snaps.n, 3)) : 0;
    c->t = make_ctl(s, target);
    c->applied = 0;
    if (s->log.snaps.n) {
        const struct sim_snap *snap = &s->log.snaps.at[s->log.snaps.n - 1 - pick];
        struct err err = ERR_INIT;
        if (ctl_decode(c->t, snap->bytes.s, snap->bytes.len, &err))
            sim_break(s, "a snapshot cannot be read: %s", err.text);
        c->applied = snap->entries;
    }
    ctl_catch_up(s, target);
}

void ctl_up(struct sim *s, uint32_t target)
{
    if (s->ctl[target].stopped) {
        sim_push(s, s->now_ms + 1000, W_CTL_UP, target, 0, NULL);
        return;
    }
    if (!s->ctl[target].t) {
        exchange_clocks(s, target); /* what an earlier life was told is forgotten */
        ctl_rebuild(s, target);
    }
    if (s->leader != NO_LEADER) {
        check_same(s, target);
        return;
    }
    ctl_become_leader(s, target);
    if (s->log.entries.n)
        check_state(s, ctl_cluster(s->ctl[target].t));
    for (size_t i = 0; i < s->acked.n; i++)
        check_acked(s, s->acked.at[i]);
}

static void lose_queue(struct controller *c)
{
    for (size_t i = 0; i < c->queue.n; i++)
        mail_free(c->queue.at[i]);
    c->queue.n = c->gone.n = 0;
}

static void elect_leader(struct sim *s, uint32_t not_this)
{
    for (uint32_t i = 0; i < s->conf.controllers; i++)
        if (i != not_this && s->ctl[i].t && !s->ctl[i].stopped) {
            s->stats.failovers++;
            sim_push(s, s->now_ms + rng_range(&s->faults, 300, 3000), W_CTL_UP, i, 0, NULL);
            return;
        }
}

/* The turn in progress is lost, or it is in the log and no client was answered: both happen. */
void ctl_crash(struct sim *s, uint32_t target)
{
    struct controller *c = &s->ctl[target];
    if (!c->t)
        return;
    bool led = c->leading && !c->deposed, kept = c->in_flight && rng_chance(&s->faults, 50);
    sim_tell(s, "controller %u crashed%s", target + 1,
             !c->in_flight ? ""
             : kept        ? ", its last words are in the log"
                           : ", its last words are lost");
    s->stats.crashes++;
    if (led)
        s->leader = NO_LEADER;
    if (kept)
        ctl_record(s, &c->entry);
    c->leading = c->lead_wanted = c->in_flight = c->stopped = c->deposed = false;
    c->life++;
    lose_queue(c);
    ctl_free(c->t);
    c->t = NULL;
    /* A machine that boots sets its clock; a process that starts again goes on from its note. */
    if (rng_chance(&s->faults, 30)) {
        c->clock = (struct cluster_clock){ 0 };
        c->off_ms = 0;
    }
    net_drop_ctl(s, target);
    sim_push(s, s->now_ms + rng_range(&s->faults, 200, 30000), W_CTL_UP, target, 0, NULL);
    if (led)
        elect_leader(s, target);
}

void ctl_step_down(struct sim *s)
{
    uint32_t target = s->leader;
    struct controller *c = &s->ctl[target];
    if (target == NO_LEADER || c->in_flight || c->lead_wanted || c->stopped || s->conf.controllers < 2)
        return;
    sim_tell(s, "controller %u steps down", target + 1);
    s->leader = NO_LEADER;
    c->leading = false;
    c->turn_at = 0;
    lose_queue(c);
    ctl_follow(c->t);
    net_drop_ctl(s, target);
    elect_leader(s, target);
    sim_push(s, s->now_ms + 5000, W_CTL_UP, target, 0, NULL); /* if no other controller is up */
}

/* ---- a leader that stands still ---- */

void ctl_stop(struct sim *s, int64_t ms)
{
    uint32_t target = s->leader;
    struct controller *c = &s->ctl[target];
    if (target == NO_LEADER || c->in_flight || c->lead_wanted || c->stopped)
        return;
    bool other = false;
    for (uint32_t i = 0; i < s->conf.controllers; i++)
        other |= i != target && s->ctl[i].t && !s->ctl[i].stopped;
    sim_tell(s, "controller %u stands still for %lld s", target + 1, (long long)ms / 1000);
    c->stopped = true;
    sim_push(s, s->now_ms + ms, W_CTL_GO, target, c->life, NULL);
    if (!other || ms < ELECTION_MS)
        return;
    c->deposed = true;
    s->leader = NO_LEADER;
    elect_leader(s, target);
}

/* The process goes on with its old state.  One that was deposed learns it when it appends, and starts again; a turn
 * that appends nothing is answered before. */
static void stale_turn(struct sim *s, uint32_t target)
{
    struct controller *c = &s->ctl[target];
    ctl_begin(c->t, cluster_ms(s, target), NULL);
    forget_gone(s, c);
    ctl_timers(c->t);
    ctl_hear(s, c);
    if (!ctl_end(c->t)->len)
        ctl_send(s, c);
}

void ctl_go(struct sim *s, uint32_t target)
{
    struct controller *c = &s->ctl[target];
    if (!c->stopped)
        return;
    c->stopped = false;
    sim_tell(s, "controller %u goes on", target + 1);
    if (!c->deposed) {
        c->turn_at = 0;
        ctl_want_turn(s, target, s->now_ms);
        return;
    }
    stale_turn(s, target);
    ctl_crash(s, target);
}
