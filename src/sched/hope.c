/*
 * hope - what nodes that gained room mean for those who wait.
 *
 * A shape that did not fit remembers which nodes could hold how much of it.  Whatever is taken
 * after that makes it less, so what is remembered is never too little as long as each node that gains room
 * is looked at again, and a shape for which it is not enough need not be tested: an end on one node costs a
 * look at that node for each shape, not a look at all nodes.  Time alone gives no room: what stands in the
 * way of a start now stands there at its beginning, or begins within its time.
 */
#include "sched/sched_priv.h"

#define HOPE_MAX 512    /* nodes listed for one shape */
#define TAKEN_MAX 64    /* nodes that this plan took from, looked at again before all are */
#define GAINED_MAX 1024 /* nodes looked at one by one; when more gained room, everybody is tested */

void lane_gained(struct sched *s, uint32_t node)
{
    if (!s->steady || bitmap_has(&s->gained_set, node))
        return;
    bitmap_set(&s->gained_set, node);
    vec_push(&s->gained, node);
}

static uint64_t wanted(const struct need *n)
{
    return n->gpus ? n->gpus : n->tasks;
}

/* What counts of a hold: who has to be on one node has no use for less than all. */
static uint32_t amount_of(const struct need *n, const struct hold *h)
{
    uint32_t amount = n->gpus ? h->gpus : h->tasks;
    return n->max_nodes <= 1 && amount < wanted(n) ? 0 : amount;
}

/* What others have besides, at other times or of other kinds, is not kept account of. */
bool hope_may(const struct sched *s, const struct shape *sh)
{
    return s->steady && s->conf.backfill && !sh->het && !sh->need.req->time_min && !sh->need.prefer &&
           !sh->need.req->lic.n && !sh->need.resv && !sh->need.topo_alone;
}

void hope_forget(struct shape *sh)
{
    sh->hope.known = false;
}

void hope_learn(struct shape *sh, const struct hold *h, size_t n)
{
    struct hope *o = &sh->hope;
    o->known = true;
    o->stirred = false;
    o->many = n > HOPE_MAX;
    o->rank = sh->next < sh->rank.n ? sh->rank.at[sh->next] : 0;
    o->at.n = 0;
    o->sum = 0;
    for (size_t i = 0; i < n && !o->many; i++) {
        uint32_t amount = amount_of(&sh->need, &h[i]);
        if (!amount)
            continue;
        vec_push(&o->at, ((struct glimpse){ h[i].node, amount }));
        o->sum += amount;
    }
}

bool hope_left(const struct shape *sh)
{
    const struct hope *o = &sh->hope;
    if (!o->known)
        return true;
    return o->stirred && (o->many || (o->at.n >= sh->need.min_nodes && o->sum >= wanted(&sh->need)));
}

static size_t hope_find(const struct hope *o, uint32_t node)
{
    size_t lo = 0, hi = o->at.n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (o->at.at[mid].node < node)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void hope_put(struct hope *o, uint32_t node, uint32_t amount)
{
    size_t at = hope_find(o, node);
    bool there = at < o->at.n && o->at.at[at].node == node;
    o->stirred |= amount > 0;
    if (o->many || (!there && !amount))
        return;
    if (there) {
        o->sum += (uint64_t)amount - o->at.at[at].amount;
        o->at.at[at].amount = amount;
        if (!amount)
            vec_remove(&o->at, at);
        return;
    }
    vec_push(&o->at, ((struct glimpse){ node, amount }));
    memmove(o->at.at + at + 1, o->at.at + at, (o->at.n - 1 - at) * sizeof(*o->at.at));
    o->at.at[at] = (struct glimpse){ node, amount };
    o->sum += amount;
}

static void look(struct sched *s, const struct cluster *c, struct shape *sh, const struct brief *least, uint32_t node)
{
    const struct need *n = &sh->need;
    struct room r;
    struct hold h;
    if (node >= s->nlanes || !bitmap_has(&n->allowed, node))
        return;
    bool some = brief_enough(&s->brief[node], least) &&
                avail_over(s, n, node, s->now_s, s->now_s + need_run_s(n), &r) && fit_node(s, c, n, node, &r, &h);
    hope_put(&sh->hope, node, some ? amount_of(n, &h) : 0);
}

/* Those who started in this plan may have taken what it hoped for. */
static void look_again(struct sched *s, const struct cluster *c, struct shape *sh)
{
    const struct brief least = need_least(s, &sh->need);
    const struct hope *o = &sh->hope;
    for (size_t i = 0; i < s->touched.n; i++) {
        size_t at = hope_find(o, s->touched.at[i]);
        if (at < o->at.n && o->at.at[at].node == s->touched.at[i])
            look(s, c, sh, &least, s->touched.at[i]);
    }
}

bool hope_still(struct sched *s, const struct cluster *c, struct shape *sh)
{
    if (!hope_left(sh))
        return false;
    if (!sh->hope.known || sh->hope.many || !s->touched.n || s->touched.n > TAKEN_MAX)
        return true;
    size_t planned = s->planned;
    s->planned = places_before(s, sh->tier, sh->hope.rank);
    look_again(s, c, sh);
    s->planned = planned;
    return hope_left(sh);
}

bool hope_stir(struct sched *s, const struct cluster *c, struct shape *sh, size_t from)
{
    if (sh->hope.known && (s->gained.n - from > GAINED_MAX || !hope_may(s, sh)))
        hope_forget(sh);
    if (!sh->hope.known)
        return true;
    const struct brief least = need_least(s, &sh->need);
    size_t planned = s->planned;
    s->planned = places_before(s, sh->tier, sh->hope.rank);
    for (size_t i = from; i < s->gained.n; i++)
        look(s, c, sh, &least, s->gained.at[i]);
    s->planned = planned;
    if (sh->hope.at.n > 2 * HOPE_MAX)
        sh->hope.many = true;
    return hope_left(sh);
}
