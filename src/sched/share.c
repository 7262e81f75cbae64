/*
 * share - CPUs that several jobs hold at once, nodes for one user, CPUs of a node that a partition may use.
 *
 * Where any of these is configured the room of a node depends on who asks.  What is left of it is then found core by
 * core, from those who hold it at a moment; the other files know only that room_for() has the answer, now and then.
 *
 * A job that shares is placed as Slurm's cons_tres places it, by attempts that are called levels: 0 on idle cores, 1 on
 * cores that only lower tiers hold, then on those that other partitions of its tier may hold, too, and none, one, two
 * ... of its own.  Where jobs take turns (PreemptMode=GANG) one that does not share may have the cores of lower tiers,
 * too.
 */
#include "base/str.h"
#include "core/limits.h"
#include "sched/sched_priv.h"

/* ---- what partitions say ---- */

/* How many jobs of the partition a core may carry when they share it: 1 where they do not. */
static uint32_t share_max(const char *mode)
{
    if (!str_has_iprefix(mode, "YES") && !str_has_iprefix(mode, "FORCE"))
        return 1;
    const char *colon = strchr(mode, ':');
    return colon ? MAX((uint32_t)strtoul(colon + 1, NULL, 10), 1u) : 4;
}

static const char *preempt_words(const struct sched *s, const Pb__Part *p)
{
    return !str_empty(p->preempt_mode) ? p->preempt_mode : str_or(s->conf.preempt_mode, "");
}

static bool user_job(const struct job *j)
{
    return j->owner || (j->spec && j->spec->req.exclusive_user);
}

static bool any_user_job(const struct cluster *c)
{
    for (const struct job *j = c->pending.head; j; j = j->next)
        if (user_job(j))
            return true;
    for (const struct job *j = c->active.head; j; j = j->next)
        if (user_job(j))
            return true;
    return false;
}

/* ---- who may suspend whom by QOS ---- */

static void qos_clear(struct sched *s)
{
    for (size_t i = 0; i < s->qos_over.n; i++)
        bitmap_clear(&s->qos_over.at[i]);
    s->qos_over.n = 0;
}

static void qos_sync(struct sched *s, const struct cluster *c)
{
    size_t pos = 0;
    qos_clear(s);
    if (!s->conf.preempt_qos || !c->limits)
        return;
    for (const struct qos *q; (q = smap_next(&c->limits->qos, &pos, NULL));) {
        while (s->qos_over.n <= q->pb->id)
            vec_push(&s->qos_over, ((struct bitmap)BITMAP_INIT));
        const char *list = str_or(q->pb->preempt, "");
        for (char *name; (name = str_next(&list, ",")); free(name)) {
            const struct qos *his = limits_qos(c, name);
            if (his)
                bitmap_set(&s->qos_over.at[q->pb->id], his->pb->id);
        }
    }
}

uint32_t share_qos(const struct sched *s, const struct cluster *c, const struct job *j)
{
    const struct qos *q = s->qos_over.n ? limits_qos(c, j->spec->qos) : NULL;
    return q ? q->pb->id : 0;
}

static bool qos_over(const struct sched *s, uint32_t hers, uint32_t his)
{
    return hers && hers < s->qos_over.n && bitmap_has(&s->qos_over.at[hers], his);
}

void share_sync(struct sched *s, const struct cluster *c)
{
    qos_sync(s, c);
    s->part_share = mem_grow(s->part_share, MAX(c->part.n, 1u), sizeof(*s->part_share));
    s->by_user = any_user_job(c);
    s->shares = s->by_user || s->conf.gang;
    for (size_t i = 0; i < c->part.n; i++) {
        const Pb__Part *p = c->part.at[i]->pb;
        s->part_share[i] = (struct part_share){ .max = share_max(p->oversubscribe),
                                                .forced = str_has_iprefix(p->oversubscribe, "FORCE"),
                                                .alone = str_ieq(p->oversubscribe, "EXCLUSIVE"),
                                                .owner = p->exclusive_user,
                                                .stops = s->conf.gang && strcasestr(preempt_words(s, p), "SUSPEND"),
                                                .tier = s->conf.preempt ? p->priority_tier : 0, /* else all are alike */
                                                .max_node = p->max_cpus_per_node,
                                                .max_socket = p->max_cpus_per_socket };
        const struct part_share *ps = &s->part_share[i];
        s->by_user |= ps->owner;
        s->shares |= ps->max > 1 || ps->forced || ps->owner || (ps->max_node && ps->max_node != UINT32_MAX) ||
                     (ps->max_socket && ps->max_socket != UINT32_MAX);
    }
}

bool share_news(const struct sched *s, const struct cluster *c)
{
    if (s->by_user)
        return false;
    for (size_t i = 0; i < s->noted.n; i++) {
        const struct job *j = cluster_job(c, s->noted.at[i]);
        if (j && user_job(j))
            return true;
    }
    return false;
}

/* Partitions of the same tier that share CPUs, too. */
static bool has_peers(const struct sched *s, const struct cluster *c, uint32_t part)
{
    for (size_t i = 0; i < c->part.n; i++)
        if (i != part && s->part_share[i].tier == s->part_share[part].tier &&
            (s->part_share[i].max > 1 || s->part_share[i].forced))
            return true;
    return false;
}

void share_need(struct need *n, const struct sched *s, const struct cluster *c)
{
    const struct part_share *ps = s->part_share ? &s->part_share[n->part] : NULL;
    n->shares = ps && !n->req->core_spec &&
                (ps->forced || (ps->max > 1 && n->req->oversubscribe && !n->req->exclusive));
    n->whole = n->req->exclusive || s->conf.by_node || (ps && ps->alone);
    n->exclusive = n->whole && !n->shares;
    n->owner = n->req->exclusive_user || (ps && ps->owner);
    n->peers = n->shares && has_peers(s, c, n->part);
    n->one_more = n->shares && s->conf.gang && n->qos && n->qos < s->qos_over.n &&
                  !bitmap_none(&s->qos_over.at[n->qos]);
    n->levels = n->shares                                          ? ps->max + 1 + n->peers + n->one_more
                : s->conf.gang && s->conf.preempt && !n->exclusive ? 2
                                                                   : 1;
}

/* ---- who holds what at one moment ---- */

struct tally {
    const struct sched *s;
    const struct need *n;
    const struct lane *l;
    share_gone_fn *gone;
    void *arg;
    int64_t start_s;     /* when it would begin */
    uint32_t level, cap; /* so many of its own partition on a core, at most */
    bool last;           /* one more than its partition has, by the right of its QOS */
    bool peers;          /* cores of other partitions of its tier are taken, too */
    struct bitmap blocked;
    uint16_t *own; /* by core: jobs of its own partition that share it */
    uint16_t *held,
        *peak; /* by core: jobs of its own partition, and the most at any moment; where sockets have limits */
    uint32_t blocked_cpus; /* of those whose cores have no name */
    uint32_t own_cpus;     /* the same of its own partition that share */
    uint32_t part_cpus;    /* all CPUs of its partition, the most at any moment so far */
    uint32_t unnamed_free; /* the least so far */
};

bool share_along(const struct sched *s, const struct need *n, const struct use *u, int64_t start_s)
{
    if ((n->owner || u->owner) && u->uid != n->uid)
        return false;
    if (u->lent || u->shares == n->shares)
        return true;
    if (n->shares || u->from_s > start_s) /* who shares does not come to who does not */
        return false;
    return u->part == n->part || s->part_share[u->part].max < 2;
}

/* Is a core of `u` out of reach, whatever it carries? */
static bool blocks(const struct tally *t, const struct use *u)
{
    const struct sched *s = t->s;
    uint32_t mine = s->part_share[t->n->part].tier, its = s->part_share[u->part].tier;
    bool both = t->n->shares && u->shares;
    if (!t->level || its > mine)
        return true;
    if (its < mine && s->conf.preempt_qos)
        return !s->part_share[u->part].stops || !qos_over(s, t->n->qos, u->qos);
    if (its < mine)
        return s->conf.preempt ? !s->part_share[u->part].stops : !both;
    return !both || (u->part != t->n->part && !t->peers);
}

static bool count_use(struct tally *t, const struct use *u, uint32_t *part_cpus)
{
    if (t->gone && t->gone(t->arg, u->id))
        return true;
    if (!share_along(t->s, t->n, u, t->start_s))
        return false;
    if (u->part == t->n->part) {
        *part_cpus += u->held;
        for (size_t i = 0; t->held && u->cores && i < t->l->ncores; i++)
            t->held[i] += bitmap_has(u->cores, i);
    }
    bool own = t->n->shares && u->shares && u->part == t->n->part && t->level;
    if (blocks(t, u)) {
        if (u->cores && !bitmap_none(u->cores))
            bitmap_or(&t->blocked, u->cores);
        else
            t->blocked_cpus += u->held;
    } else if (own && u->cores && !bitmap_none(u->cores)) {
        uint16_t weight = t->last && !qos_over(t->s, t->n->qos, u->qos) ? 2
                                                                        : 1; /* one more only beside whom it preempts */
        bitmap_each (u->cores, i)
            if (i < t->l->ncores)
                t->own[i] += weight;
    } else if (own) {
        t->own_cpus += u->held;
    }
    return true;
}

/* Cores of its own partition that carry as many as they may; CPUs without names that are left. */
static void close_moment(struct tally *t, uint32_t part_cpus)
{
    uint64_t all = t->l->all.cpus, free = all - MIN(t->blocked_cpus, all);
    for (size_t i = 0; i < t->l->ncores; i++)
        if (t->own[i] >= t->cap)
            bitmap_set(&t->blocked, i);
    if (t->n->shares)
        free = MIN(free, all * t->cap - MIN(t->own_cpus, all * t->cap));
    t->unnamed_free = (uint32_t)MIN(t->unnamed_free, free);
    t->part_cpus = MAX(t->part_cpus, part_cpus);
    for (size_t i = 0; t->held && i < t->l->ncores; i++) {
        t->peak[i] = MAX(t->peak[i], t->held[i]);
        t->held[i] = 0;
    }
}

static bool moment(struct tally *t, int64_t at_s)
{
    const struct lane *l = t->l;
    bool now = at_s <= t->s->now_s;
    uint32_t part_cpus = 0;
    t->blocked_cpus = t->own_cpus = 0;
    memset(t->own, 0, l->ncores * sizeof(*t->own));
    for (size_t i = 0; i < l->runs.n; i++)
        if ((now || l->runs.at[i].to_s > at_s) && !count_use(t, &l->runs.at[i], &part_cpus))
            return false;
    const struct use *u;
    for (size_t i = 0; (u = plan_use(t->s, l, &i));)
        if (u->from_s <= at_s && u->to_s > at_s && !count_use(t, u, &part_cpus))
            return false;
    close_moment(t, part_cpus);
    return true;
}

/* ---- what is left then ---- */

static bool sockets_limited(const struct sched *s, const struct need *n)
{
    uint32_t most = s->part_share[n->part].max_socket;
    return most && most != UINT32_MAX;
}

/* A partition may use so many CPUs of a socket: of the cores beyond that the last ones are out of reach. */
static void limit_sockets(struct tally *t)
{
    const struct lane *l = t->l;
    for (size_t from = 0; from < l->ncores; from += l->per_socket) {
        size_t end = MIN(from + l->per_socket, l->ncores), held = 0;
        for (size_t k = from; k < end; k++)
            held += t->peak[k];
        size_t most = t->s->part_share[t->n->part].max_socket / l->cpc, may = most - MIN(held, most);
        for (size_t k = from; k < end; k++) {
            if (bitmap_has(&t->blocked, k))
                continue;
            if (may)
                may--;
            else
                bitmap_set(&t->blocked, k);
        }
    }
}

/* Where sockets are given, one core in use takes all of its socket. */
static void widen_to_sockets(struct tally *t)
{
    const struct lane *l = t->l;
    if (!t->s->conf.by_socket || !l->per_socket)
        return;
    for (size_t from = 0; from < l->ncores; from += l->per_socket) {
        size_t end = MIN(from + l->per_socket, l->ncores), busy = from;
        while (busy < end && !bitmap_has(&t->blocked, busy))
            busy++;
        if (busy < end)
            bitmap_set_range(&t->blocked, from, end - from);
    }
}

static uint32_t cpus_left(const struct tally *t)
{
    const struct lane *l = t->l;
    uint32_t cpus = 0;
    if (l->named) {
        for (size_t i = 0; i < l->ncores; i++)
            cpus += bitmap_has(&t->blocked, i) ? 0 : l->cpc;
        cpus = MIN(cpus, l->all.cpus);
    } else {
        cpus = t->unnamed_free;
    }
    return cpus;
}

static bool look(struct tally *t, uint32_t level, int64_t from_s, int64_t to_s)
{
    const struct lane *l = t->l;
    t->start_s = from_s;
    t->level = MIN(level, t->n->levels - 1);
    t->last = t->n->one_more && t->level == t->n->levels - 1;
    t->peers = t->n->peers && t->level > 1;
    t->cap = MAX(t->level - t->peers, 1u);
    if (l->spec && !t->n->req->core_spec) /* who says so himself needs all of the node free */
        bitmap_or(&t->blocked, &l->off);
    t->unnamed_free = UINT32_MAX;
    auto_free uint16_t *counts = mem_array(3 * (l->ncores + 1), sizeof(*counts));
    t->own = counts;
    if (sockets_limited(t->s, t->n)) {
        t->held = counts + l->ncores + 1;
        t->peak = t->held + l->ncores + 1;
    }
    bool fine = moment(t, from_s);
    const struct use *u;
    for (size_t i = 0; fine && (u = plan_use(t->s, l, &i));)
        if (u->from_s > from_s && u->from_s < to_s)
            fine = moment(t, u->from_s);
    if (!fine)
        return false;
    if (l->blocks.n && !t->s->unreserved)
        resv_cores_off(t->s, t->n, (uint32_t)(l - t->s->lane), from_s, MAX(to_s, from_s + 1), &t->blocked);
    widen_to_sockets(t);
    if (t->held && !t->n->req->core_spec) /* who leaves cores to the system says itself which: share_spec() */
        limit_sockets(t);
    return true;
}

/* ---- the same by counting, where nobody on the node shares ---- */

enum counted { COUNTED, NOT_COUNTED, NOT_TOGETHER };

/* One more who holds some of the node: the CPUs, and those of its own partition. */
static enum counted count_plain(const struct tally *t, const struct use *u, uint32_t *held, uint32_t *part_cpus)
{
    if (t->gone && t->gone(t->arg, u->id))
        return COUNTED;
    if (u->shares)
        return NOT_COUNTED;
    if (!share_along(t->s, t->n, u, t->start_s))
        return NOT_TOGETHER;
    *held += u->held;
    *part_cpus += u->part == t->n->part ? u->held : 0;
    return COUNTED;
}

static enum counted count_moment(struct tally *t, int64_t at_s)
{
    const struct lane *l = t->l;
    bool now = at_s <= t->s->now_s;
    uint32_t held = 0, part_cpus = 0;
    enum counted got = COUNTED;
    for (size_t i = 0; got == COUNTED && i < l->runs.n; i++)
        if (now || l->runs.at[i].to_s > at_s)
            got = count_plain(t, &l->runs.at[i], &held, &part_cpus);
    const struct use *u;
    for (size_t i = 0; got == COUNTED && (u = plan_use(t->s, l, &i));)
        if (u->from_s <= at_s && u->to_s > at_s)
            got = count_plain(t, u, &held, &part_cpus);
    t->unnamed_free = MIN(t->unnamed_free, l->all.cpus - MIN(held, l->all.cpus));
    t->part_cpus = MAX(t->part_cpus, part_cpus);
    return got;
}

static enum counted count_all(struct tally *t, uint32_t level, int64_t from_s, int64_t to_s)
{
    const struct sched *s = t->s;
    const struct lane *l = t->l;
    bool idle_only = t->n->levels < 2 || !level, apart = l->blocks.n || t->n->req->core_spec;
    if (t->n->shares || !idle_only || apart || l->blended || s->conf.by_socket || sockets_limited(s, t->n))
        return NOT_COUNTED;
    t->start_s = from_s;
    t->unnamed_free = UINT32_MAX;
    enum counted got = count_moment(t, from_s);
    const struct use *u;
    for (size_t i = 0; got == COUNTED && (u = plan_use(s, l, &i));)
        if (u->from_s > from_s && u->from_s < to_s)
            got = count_moment(t, u->from_s);
    return got;
}

static uint32_t part_may(const struct tally *t, uint32_t cpus)
{
    const struct part_share *ps = &t->s->part_share[t->n->part];
    if (!ps->max_node || ps->max_node == UINT32_MAX)
        return cpus;
    return MIN(cpus, ps->max_node - MIN(t->part_cpus, ps->max_node));
}

bool room_for_but(const struct sched *s, const struct need *n, uint32_t node, int64_t from_s, int64_t to_s,
                  share_gone_fn *gone, void *arg, struct room *out)
{
    struct tally t = { .s = s, .n = n, .l = &s->lane[node], .gone = gone, .arg = arg };
    uint32_t cpus = 0;
    switch (count_all(&t, s->level, from_s, to_s)) {
    case COUNTED: cpus = part_may(&t, t.unnamed_free); break;
    case NOT_TOGETHER: break;
    case NOT_COUNTED:
        if (look(&t, s->level, from_s, to_s))
            cpus = part_may(&t, cpus_left(&t));
        break;
    }
    out->cpus = MIN(cpus, out->cpus);
    bitmap_clear(&t.blocked);
    return out->cpus > 0;
}

static uint32_t share_most(const struct sched *s, const struct need *n, uint32_t node)
{
    const struct part_share *ps = &s->part_share[n->part];
    const struct lane *l = &s->lane[node];
    uint64_t most = ps->max_node ? ps->max_node : UINT32_MAX;
    if (sockets_limited(s, n) && l->per_socket) {
        uint32_t sockets = (uint32_t)((l->ncores + l->per_socket - 1) / l->per_socket);
        most = MIN(most, (uint64_t)ps->max_socket / l->cpc * l->cpc * sockets);
    }
    return (uint32_t)most;
}

bool share_spec(const struct sched *s, const struct need *n, const struct node *node)
{
    const struct lane *l = &s->lane[node->index];
    auto_bitmap struct bitmap off = BITMAP_INIT;
    spec_cores_off(n, node, &off);
    for (size_t from = 0; sockets_limited(s, n) && l->per_socket && from < l->ncores; from += l->per_socket) {
        uint32_t cpus = 0;
        for (size_t i = from; i < MIN(from + l->per_socket, l->ncores); i++)
            cpus += bitmap_has(&off, i) ? 0 : l->cpc;
        if (cpus > s->part_share[n->part].max_socket)
            return false;
    }
    return spec_cpus(n, node) <= share_most(s, n, node->index);
}

void share_empty(const struct sched *s, const struct need *n, uint32_t node, struct room *out)
{
    *out = s->lane[node].all;
    out->cpus = MIN(out->cpus, share_most(s, n, node));
}

void share_cores(const struct sched *s, const struct need *n, uint32_t node, uint32_t level, int64_t from_s,
                 struct bitmap *busy)
{
    struct tally t = { .s = s, .n = n, .l = &s->lane[node] }, by_count = t;
    int64_t to_s = from_s + need_run_s(n);
    if (count_all(&by_count, level, from_s, to_s) == COUNTED)
        to_s = from_s; /* which cores a planned start gets is open: there will be enough */
    if (look(&t, level, from_s, to_s))
        bitmap_or(busy, &t.blocked);
    bitmap_clear(&t.blocked);
}

/* A place that is kept has cores, too: those that its job would get then. */
const struct bitmap *share_keep(struct sched *s, const struct need *n, const struct share *sh, uint32_t level,
                                int64_t at_s)
{
    const struct lane *l = &s->lane[sh->node];
    if (!l->named)
        return NULL;
    auto_bitmap struct bitmap busy = BITMAP_INIT;
    struct bitmap *cores = NEW(struct bitmap);
    share_cores(s, n, sh->node, level, at_s, &busy);
    uint32_t left = fit_cores(s, n, sh->node, MAX(sh->cpus, n->req->mincpus)); /* so many have to be free */
    for (size_t i = 0; i < l->ncores && left; i++)
        if (!bitmap_has(&busy, i)) {
            bitmap_set(cores, i);
            left--;
        }
    vec_push(&s->kept, cores);
    return cores;
}

void share_own(struct sched *s, const struct bitmap *cores)
{
    for (size_t i = s->kept.n; i-- > 0;)
        if (s->kept.at[i] == cores) {
            vec_remove(&s->kept, i);
            return;
        }
}

void share_disown(const struct bitmap *cores)
{
    struct bitmap *own = (struct bitmap *)(uintptr_t)cores;
    bitmap_clear(own);
    free(own);
}

void share_clear(struct sched *s)
{
    share_forget(s);
    qos_clear(s);
    vec_clear(&s->qos_over);
    vec_clear(&s->kept);
    free(s->part_share);
    s->part_share = NULL;
}

void share_forget(struct sched *s)
{
    for (size_t i = 0; i < s->kept.n; i++) {
        bitmap_clear(s->kept.at[i]);
        free(s->kept.at[i]);
    }
    s->kept.n = 0;
}
