/*
 * yield - who of those that run makes room for a while, because others need little or have waited long.
 *
 * Only jobs that say they can (--requeue with --signal: told by their signal, they save what they have and go on from
 * there) are asked, and none before it has run for as long as the site says: what going costs stays small.  All stand in
 * one order with those that wait, by the moment of policy.c; whoever stands clearly behind somebody who waits may be
 * asked, the last one first, and only if the other then really has room.
 *
 * Room that is being made already counts for those who come first: nobody is asked twice for the same.  What planned
 * starts of others keep is not given to those behind them.  In the end all who would go are thought away together, and
 * nobody goes for who would not begin then.  Those who would stand in front of all others until they begin: else a
 * start could be planned on that very room, and somebody had gone in vain.
 */
#include "sched/sched_priv.h"

#define EVERY_S 60        /* how often it is looked, at most */
#define LOOKS 64          /* at so many of those that wait */
#define MARGIN_S 3600     /* a moment that is not later by this is no reason to go */
#define SOON_S 900        /* who goes by then is as good as gone */

struct runner { /* one that may be asked */
    const struct job *job;
    int64_t turn_s;
    bool gone, tried;
};

struct waiter {
    const struct shape *sh;
    uint64_t rank;
    int64_t turn_s;
};

struct yields {
    struct sched *s;
    const struct cluster *c;
    struct room *room; /* by node: when all who go soon are gone */
    struct map away;   /* ids of those who were thought away */
    const struct waiter *w;
    bool first; /* nobody comes before it */
    bool full;  /* an array has room: more of its tasks may take what others would count on */
    VEC(struct runner) run;
    VEC(struct waiter) wait;
    VEC(struct hold) holds;
    VEC(struct waiter) found; /* those who will have room, in order */
    struct pick pick;
};

/* ---- who may be asked, and for whom ---- */

static bool may_go(const struct sched *s, const struct job *j)
{
    int64_t end_s = job_limit_s(j);
    if (end_s > s->now_s && end_s <= s->now_s + SOON_S)
        return false; /* it goes by itself */
    return j->state == JOB_RUNNING && !j->yield_s && job_checkpoints(j) && !j->resv &&
           s->now_s - j->start_s >= s->conf.yield_after_s;
}

static int last_first(const void *a, const void *b)
{
    const struct runner *x = a, *y = b;
    if (x->turn_s != y->turn_s)
        return x->turn_s > y->turn_s ? -1 : 1;
    return x->job->id > y->job->id ? -1 : x->job->id < y->job->id;
}

static void find_runners(struct yields *y)
{
    for (const struct job *j = y->c->active.head; j; j = j->next)
        if (may_go(y->s, j))
            vec_push(&y->run, ((struct runner){ .job = j, .turn_s = policy_turn_s(y->s, y->c, j) }));
    if (y->run.n)
        qsort(y->run.at, y->run.n, sizeof(*y->run.at), last_first);
}

static int first_first(const void *a, const void *b)
{
    const struct waiter *x = a, *y = b;
    return rank_before(x->sh->tier, x->rank, y->sh->tier, y->rank) ? -1 : 1;
}

/* Needs that depend on more than nodes wait for what they need by themselves. */
static bool plain(const struct need *n)
{
    return !n->resv && !n->shares && !n->owner && !n->wish && !n->prefer && !n->req->lic.n && !n->topo_alone &&
           !n->near;
}

/* Somebody made room for it already: it stands before all, and its moment is what it was. */
static int64_t turn_of(const struct yields *y, uint64_t rank)
{
    const struct job *j = order_in_front(rank) ? cluster_job(y->c, rank_id(rank)) : NULL;
    return j ? policy_turn_s(y->s, y->c, j) : (int64_t)(rank >> 32);
}

static void find_waiters(struct yields *y)
{
    struct sched *s = y->s;
    for (size_t i = 0; i < s->shapes.n; i++) {
        const struct shape *sh = s->shapes.at[i];
        if (sh->state == SHAPE_BARRED || sh->state == SHAPE_LIMITED || sh->het || !plain(&sh->need))
            continue;
        for (size_t k = sh->next; k < sh->rank.n && k < sh->next + LOOKS; k++)
            vec_push(&y->wait, ((struct waiter){ sh, sh->rank.at[k], turn_of(y, sh->rank.at[k]) }));
    }
    if (y->wait.n)
        qsort(y->wait.at, y->wait.n, sizeof(*y->wait.at), first_first);
}

/* ---- room ---- */

static void room_add(struct room *r, const struct use *u)
{
    r->cpus += u->cpus;
    r->mem_mb += u->mem_mb;
    for (uint32_t g = 0; g < GRES_MAX; g++)
        r->gres[g] += u->gres[g];
    r->jobs -= MIN(r->jobs, 1u);
    r->exclusive -= MIN(r->exclusive, (uint32_t)u->exclusive);
}

/* Whoever overran its limit may go on for as long again: nobody counts on its end. */
static bool goes_soon(const struct yields *y, const struct use *u)
{
    const struct job *j = u->to_s <= y->s->now_s + SOON_S ? cluster_job(y->c, u->id) : NULL;
    return j && (j->yield_s || (j->state & JOB_COMPLETING) || job_limit_s(j) > y->s->now_s);
}

static void find_rooms(struct yields *y)
{
    struct sched *s = y->s;
    y->room = mem_array(MAX(s->nlanes, 1u), sizeof(*y->room));
    for (size_t i = 0; i < s->nlanes; i++) {
        const struct lane *l = &s->lane[i];
        if (!l->usable || l->blocks.n)
            continue;
        y->room[i] = l->all;
        for (size_t k = 0; k < l->runs.n; k++)
            if (!goes_soon(y, &l->runs.at[k]))
                room_subtract(&y->room[i], &l->runs.at[k]);
        for (size_t k = 0; k < l->resv.n; k++)
            if (l->resv.at[k].from_s <= s->now_s)
                room_subtract(&y->room[i], &l->resv.at[k]);
    }
}

static const struct use *use_of(const struct lane *l, uint32_t id)
{
    for (size_t i = 0; i < l->runs.n; i++)
        if (l->runs.at[i].id == id)
            return &l->runs.at[i];
    return NULL;
}

/* As if it were gone; or back again. */
static void move_away(struct yields *y, const struct job *j, bool away)
{
    map_put(&y->away, j->id, away ? y : NULL);
    for (uint32_t i = 0; i < j->alloc.n; i++) {
        uint32_t node = j->alloc.at[i].node;
        const struct use *u = !j->alloc.at[i].done && node < y->s->nlanes ? use_of(&y->s->lane[node], j->id) : NULL;
        if (u && away)
            room_add(&y->room[node], u);
        else if (u)
            room_subtract(&y->room[node], u);
    }
}

/* A planned start of somebody who comes first: what it keeps is not for others. */
static bool is_before(const struct yields *y, const struct use *u, int64_t from_s, int64_t to_s)
{
    if (y->first || u->from_s <= y->s->now_s || u->from_s >= to_s || u->to_s <= from_s)
        return false;
    const struct seat *seat = order_seat(y->s, u->id);
    return seat && seat->nshapes && rank_before(seat->shape[0]->tier, seat->rank, y->w->sh->tier, y->w->rank);
}

/* At a moment to come: those are gone whose limit is over, and those are there who come first. */
static void room_later(const struct yields *y, uint32_t node, int64_t at_s, struct room *out)
{
    const struct lane *l = &y->s->lane[node];
    *out = y->room[node];
    for (size_t i = 0; i < l->runs.n; i++)
        if (l->runs.at[i].to_s <= at_s && !goes_soon(y, &l->runs.at[i]) && !map_get(&y->away, l->runs.at[i].id))
            room_add(out, &l->runs.at[i]);
    for (size_t i = 0; i < l->kept.n; i++)
        if (is_before(y, &l->kept.at[i], at_s, at_s + 1))
            room_subtract(out, &l->kept.at[i]);
    for (size_t i = 0; i < l->resv.n; i++)
        if (is_before(y, &l->resv.at[i], at_s, at_s + 1))
            room_subtract(out, &l->resv.at[i]);
}

static void room_least(struct room *r, const struct room *o)
{
    r->cpus = MIN(r->cpus, o->cpus), r->mem_mb = MIN(r->mem_mb, o->mem_mb);
    r->jobs = MAX(r->jobs, o->jobs), r->exclusive = MAX(r->exclusive, o->exclusive);
    for (uint32_t g = 0; g < GRES_MAX; g++)
        r->gres[g] = MIN(r->gres[g], o->gres[g]);
}

/* For as long as it runs. */
static struct room room_throughout(const struct yields *y, const struct need *n, uint32_t node)
{
    const struct lane *l = &y->s->lane[node];
    struct room least = y->room[node], then;
    int64_t to_s = y->s->now_s + need_run_s(n);
    for (size_t i = 0; i < l->kept.n; i++)
        if (is_before(y, &l->kept.at[i], y->s->now_s, to_s)) {
            room_later(y, node, l->kept.at[i].from_s, &then);
            room_least(&least, &then);
        }
    for (size_t i = 0; i < l->resv.n; i++)
        if (is_before(y, &l->resv.at[i], y->s->now_s, to_s)) {
            room_later(y, node, l->resv.at[i].from_s, &then);
            room_least(&least, &then);
        }
    return least;
}

static bool node_fits(struct yields *y, const struct need *n, uint32_t node, struct hold *h)
{
    if (node >= y->s->nlanes || fit_hopeless(y->s, n, &y->room[node]))
        return false;
    struct room r = room_throughout(y, n, node);
    return !fit_hopeless(y->s, n, &r) && fit_node(y->s, y->c, n, node, &r, h);
}

static bool fits(struct yields *y, const struct need *n, const struct bitmap *among)
{
    y->holds.n = 0;
    bitmap_each(among, i) {
        struct hold h;
        if (node_fits(y, n, (uint32_t)i, &h))
            vec_push(&y->holds, h);
    }
    y->s->pick_at_s = y->s->now_s;
    return pick_nodes(y->s, y->c, n, y->holds.at, y->holds.n, &y->pick);
}

/* The room that was picked is spoken for. */
static void claim(struct yields *y, const struct need *n)
{
    for (size_t i = 0; i < y->pick.at.n; i++) {
        const struct share *sh = &y->pick.at.at[i];
        struct use u = { .cpus = MAX(sh->cpus, n->req->mincpus),
                         .exclusive = n->exclusive,
                         .mem_mb = y->s->conf.by_memory ? sh->mem_mb : 0 };
        give_slots(y->s, y->c, n, sh, &y->room[sh->node], u.gres);
        room_subtract(&y->room[sh->node], &u);
    }
}

/* ---- one that waits ---- */

/* On the nodes of `j`: could any be of use now? */
static bool helps(struct yields *y, const struct need *n, const struct job *j)
{
    struct hold h;
    for (uint32_t i = 0; i < j->alloc.n; i++) {
        uint32_t node = j->alloc.at[i].node;
        if (bitmap_has(&n->allowed, node) && node_fits(y, n, node, &h))
            return true;
    }
    return false;
}

static bool touches(const struct need *n, const struct job *j)
{
    for (uint32_t i = 0; i < j->alloc.n; i++)
        if (bitmap_has(&n->allowed, j->alloc.at[i].node))
            return true;
    return false;
}

/* One after the other is thought away, the last in the order first, until there is room; who was not in the way comes back. */
static bool make_room(struct yields *y, const struct need *n, int64_t turn_s)
{
    bool found = false;
    size_t last = 0;
    for (size_t i = 0; i < y->run.n && !found && y->run.at[i].turn_s > turn_s + MARGIN_S; i++) {
        struct runner *r = &y->run.at[i];
        if (r->gone || !touches(n, r->job))
            continue;
        move_away(y, r->job, true);
        r->tried = true;
        found = helps(y, n, r->job) && fits(y, n, &n->allowed);
        last = i + 1;
    }
    auto_bitmap struct bitmap nodes = BITMAP_INIT;
    for (size_t i = 0; found && i < y->pick.at.n; i++)
        bitmap_set(&nodes, y->pick.at.at[i].node);
    for (size_t i = last; i-- > 0;) {
        struct runner *r = &y->run.at[i];
        if (!r->tried)
            continue;
        r->tried = false;
        move_away(y, r->job, false);
        if (!found || fits(y, n, &nodes))
            continue;
        move_away(y, r->job, true);
        r->gone = true;
    }
    return found && fits(y, n, &nodes);
}

static bool begins_now(const struct sched *s, uint32_t id)
{
    const struct seat *seat = order_seat(s, id);
    return !seat || (seat->plan == s->plan && seat->started);
}

static void look(struct yields *y, const struct waiter *w, struct plan *out)
{
    const struct need *n = &w->sh->need;
    y->w = w;
    if (begins_now(y->s, rank_id(w->rank)))
        return;
    if (!fits(y, n, &n->allowed) && !make_room(y, n, w->turn_s))
        return;
    claim(y, n);
    vec_push(&y->found, *w);
    y->full = cluster_job(y->c, rank_id(w->rank))->array != NULL;
    for (size_t i = y->run.n; i-- > 0;)
        if (y->run.at[i].gone) {
            struct job *j = (struct job *)(uintptr_t)y->run.at[i].job;
            vec_push(&out->yields, ((struct sched_preempt){ j, rank_id(w->rank) }));
            vec_remove(&y->run, i);
        }
}

/* ---- all of them together ---- */

/* The first of those found who has no room once all who were asked are gone: where there is more, others choose otherwise. */
static size_t first_without(struct yields *y, const struct plan *out)
{
    free(y->room);
    map_clear(&y->away);
    find_rooms(y);
    y->first = true; /* as they will stand in front */
    for (size_t i = 0; i < out->yields.n; i++)
        move_away(y, out->yields.at[i].job, true);
    for (size_t i = 0; i < y->found.n; i++) {
        y->w = &y->found.at[i];
        if (!fits(y, &y->w->sh->need, &y->w->sh->need.allowed))
            return i;
        claim(y, &y->w->sh->need);
    }
    return y->found.n;
}

static bool goes_for(const struct plan *out, uint32_t id)
{
    for (size_t i = 0; i < out->yields.n; i++)
        if (out->yields.at[i].by == id)
            return true;
    return false;
}

/* Nobody goes for who would wait all the same; the others stand in front until they start. */
static void settle(struct yields *y, struct plan *out)
{
    for (size_t at; (at = first_without(y, out)) < y->found.n;) {
        uint32_t id = rank_id(y->found.at[at].rank);
        for (size_t i = out->yields.n; i-- > 0;)
            if (out->yields.at[i].by == id)
                vec_remove(&out->yields, i);
        vec_remove(&y->found, at);
    }
    while (y->found.n && !goes_for(out, rank_id(y->found.at[y->found.n - 1].rank)))
        y->found.n--;
    for (size_t i = 0; i < y->found.n; i++)
        order_front(y->s, rank_id(y->found.at[i].rank), (uint32_t)i);
}

void yield_find(struct sched *s, const struct cluster *c, struct plan *out)
{
    if (!s->conf.yield_after_s || s->conf.policy != POLICY_SHORT || s->shares || !c->pending.n)
        return;
    int64_t again_s = s->yield_s + MIN((int64_t)EVERY_S, s->conf.yield_after_s);
    if (s->now_s < again_s) {
        out->next_s = out->next_s ? MIN(out->next_s, again_s) : again_s;
        return;
    }
    struct yields y = { .s = s, .c = c };
    find_runners(&y);
    if (y.run.n)
        find_waiters(&y);
    if (y.wait.n) {
        s->yield_s = s->now_s;
        find_rooms(&y);
    }
    for (size_t i = 0; i < y.wait.n && i < LOOKS && y.run.n && !y.full; i++) {
        const struct waiter *w = &y.wait.at[i];
        if (!order_in_front(w->rank) && y.run.at[0].turn_s <= w->turn_s + MARGIN_S)
            break; /* those behind have still less of a claim */
        look(&y, w, out);
    }
    if (out->yields.n)
        settle(&y, out);
    free(y.room);
    map_clear(&y.away);
    vec_clear(&y.run);
    vec_clear(&y.wait);
    vec_clear(&y.holds);
    vec_clear(&y.found);
    vec_clear(&y.pick.at);
}
