/* sim - the event loop of the simulation; see sim.h. */
#include "sim/sim.h"

#include <stdarg.h>

#include "sim/world.h"

#define TOO_MANY 60000000u /* simulated events: it does not come to rest */
#define TOO_LONG_MS (100 * 3600000LL)

static bool happens_before(const struct happening *a, const struct happening *b)
{
    return a->at_ms != b->at_ms ? a->at_ms < b->at_ms : a->seq < b->seq;
}

static void swap_happenings(struct happening *a, struct happening *b)
{
    struct happening t = *a;
    *a = *b;
    *b = t;
}

void sim_push(struct sim *s, int64_t at_ms, enum what what, uint32_t target, uint64_t arg, struct mail *mail)
{
    struct happening h = { MAX(at_ms, s->now_ms), s->seq++, what, target, arg, mail };
    vec_push(&s->heap, h);
    for (size_t i = s->heap.n - 1; i && happens_before(&s->heap.at[i], &s->heap.at[(i - 1) / 2]); i = (i - 1) / 2)
        swap_happenings(&s->heap.at[i], &s->heap.at[(i - 1) / 2]);
}

static bool pop_happening(struct sim *s, struct happening *out)
{
    if (!s->heap.n)
        return false;
    *out = s->heap.at[0];
    s->heap.at[0] = s->heap.at[--s->heap.n];
    for (size_t i = 0;;) {
        size_t least = i, l = 2 * i + 1;
        for (size_t k = l; k <= l + 1 && k < s->heap.n; k++)
            if (happens_before(&s->heap.at[k], &s->heap.at[least]))
                least = k;
        if (least == i)
            return true;
        swap_happenings(&s->heap.at[i], &s->heap.at[least]);
        i = least;
    }
}

void sim_break(struct sim *s, const char *fmt, ...)
{
    char text[400];
    va_list ap;
    if (s->broken.code)
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    err_set(&s->broken, EPROTO, "at %lld.%03lld s: %s", (long long)(s->now_ms / 1000), (long long)(s->now_ms % 1000),
            text);
    sim_tell(s, "BROKEN: %s", text);
}

void sim_tell(struct sim *s, const char *fmt, ...)
{
    va_list ap;
    if (!s->conf.story)
        return;
    fprintf(s->conf.story, "[%6lld] ", (long long)(s->now_ms / 1000));
    va_start(ap, fmt);
    vfprintf(s->conf.story, fmt, ap);
    va_end(ap);
    fputc('\n', s->conf.story);
}

void mail_free(struct mail *m)
{
    if (!m)
        return;
    free(m->body);
    free(m);
}

struct sim *sim_new(const struct sim_conf *conf)
{
    struct sim *s = NEW(struct sim);
    s->conf = *conf;
    s->conf.controllers = MAX(conf->controllers, 1u);
    s->conf.nodes = MAX(conf->nodes, 1u);
    s->rng.state = conf->seed;
    s->request_rng.state = rng_next(&s->rng);
    s->faults.state = rng_next(&s->rng);
    s->steps.state = conf->seed + 77;
    s->rules.state = conf->seed + 99;
    for (size_t i = 0; i < sizeof(s->key.bytes); i++)
        s->key.bytes[i] = (uint8_t)rng_next(&s->rng);
    ctls_start(s);
    nodes_start(s);
    users_start(s);
    steps_start(s);
    rules_start(s);
    if (conf->faults)
        faults_start(s);
    return s;
}

static void free_world(struct sim *s)
{
    for (uint32_t i = 0; i < s->conf.controllers; i++) {
        struct controller *c = &s->ctl[i];
        ctl_free(c->t);
        buf_clear(&c->entry);
        for (size_t k = 0; k < c->queue.n; k++)
            mail_free(c->queue.at[k]);
        vec_clear(&c->queue);
        vec_clear(&c->gone);
        free(c->peer_off_ms);
    }
    for (uint32_t i = 0; i < s->conf.nodes; i++) {
        vec_clear(&s->node[i].runs);
        vec_clear(&s->node[i].cleans);
        map_clear(&s->node[i].ran);
    }
    free(s->ctl);
    free(s->node);
}

static void free_values(struct map *m)
{
    size_t pos = 0;
    for (void *p; (p = map_next(m, &pos, NULL));)
        free(p);
    map_clear(m);
}

void sim_free(struct sim *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->heap.n; i++)
        mail_free(s->heap.at[i].mail);
    vec_clear(&s->heap);
    free_world(s);
    for (size_t i = 0; i < s->ops.n; i++)
        buf_clear(&s->ops.at[i].body);
    vec_clear(&s->ops);
    vec_clear(&s->acked);
    free_values(&s->sessions);
    free_values(&s->tracks);
    map_clear(&s->keys);
    tree_free(s);
    rules_free(s);
    sim_log_clear(&s->log);
    free(s);
}

static void handle_happening(struct sim *s, const struct happening *h)
{
    switch (h->what) {
    case W_TURN: ctl_turn(s, h->target, h->at_ms); break;
    case W_COMMIT: ctl_committed(s, h->target, h->arg); break;
    case W_FOLLOW: ctl_catch_up(s, h->target); break;
    case W_CTL_UP: ctl_up(s, h->target); break;
    case W_TO_CTL: ctl_mail(s, h->mail); break;
    case W_TO_NODE: node_mail(s, h->mail); break;
    case W_TO_USER: user_mail(s, h->mail); break;
    case W_GONE:
        vec_push(&s->ctl[h->target].gone, h->arg);
        ctl_want_turn(s, h->target, s->now_ms);
        break;
    case W_RUN_END: node_run_end(s, h->target, h->arg); break;
    case W_NODE_AGAIN: node_again(s, h->target); break;
    case W_NODE_CONNECT: node_connect(s, h->target); break;
    case W_NODE_BEAT: node_beat(s, h->target, h->arg); break;
    case W_NODE_SILENCE: node_silence(s, h->target, h->arg); break;
    case W_NODE_LEASE: node_lease_end(s, h->target); break;
    case W_CTL_GO: ctl_go(s, h->target); break;
    case W_NODE_BOOT: node_boot(s, h->target); break;
    case W_OP: user_act(s); break;
    case W_STEP: wish_step(s); break;
    case W_OP_AGAIN: user_again(s, h->target); break;
    case W_FAULT: fault_happen(s); break;
    case W_RULE: rule_happen(s, h->arg); break;
    case W_SWEEP: user_sweep(s); break;
    }
}

static void sim_stuck(struct sim *s, const char *why)
{
    struct cluster *c = s->leader == NO_LEADER ? NULL : ctl_cluster(s->ctl[s->leader].t);
    const struct job *j = !c ? NULL : c->active.head ? c->active.head : c->pending.head;
    if (!c)
        sim_break(s, "%s: there is no leader", why);
    else if (!j)
        sim_break(s, "%s: the queue is empty, but a request is unanswered", why);
    else
        sim_break(
            s,
            "%s: %zu jobs wait, %zu hold nodes; job %u is %s (partition %s, limit %u, hold %u, reason %s, attempt %u)",
            why, c->pending.n, c->active.n, j->id, job_state_name(j->state), j->partition, j->time_limit_min, j->hold,
            why_name(j->why.code), j->attempt);
}

int sim_run(struct sim *s, struct err *err)
{
    struct happening h;
    while (!s->over && !s->broken.code && pop_happening(s, &h)) {
        s->now_ms = h.at_ms;
        s->stats.happenings++;
        handle_happening(s, &h);
        if (s->stats.happenings > TOO_MANY || s->now_ms > TOO_LONG_MS)
            sim_stuck(s, "it does not come to rest");
    }
    if (!s->over)
        sim_stuck(s, "nothing happens any more");
    s->stats.end_ms = s->now_ms;
    s->stats.entries = s->log.entries.n;
    *err = s->broken;
    return s->broken.code;
}

const struct sim_stats *sim_stats(const struct sim *s)
{
    return &s->stats;
}
const struct sim_log *sim_log(const struct sim *s)
{
    return &s->log;
}
