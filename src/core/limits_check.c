/* limits_check - may a job have this, beside what is held; see limits.h. */
#include <stdio.h>

#include "base/str.h"
#include "core/cluster.h"
#include "core/limits_priv.h"

enum question {
    MAY_START,
    MAY_SUBMIT,   /* `submit` more */
    MAY_EVER,     /* alone on the cluster */
    MAY_TOGETHER, /* with others that start with it */
    MAY_GO_ON,    /* it runs for `run_s` */
    MAY_ACCRUE,
};

struct check {
    const struct cluster *c;
    const struct limit_usage *more;
    const struct holders *h;
    const struct limit_ask *ask;
    enum question question;
    uint32_t submit;
    int64_t run_s;
};

/* ---- what is held now ---- */

struct held {
    uint64_t jobs, submitted, accruing, tres, mins;
};

static void add_held(struct held *out, const struct limit_usage *b, uint64_t key, const char *tres)
{
    const struct limit_use *u = b && b->uses.n ? map_get(&b->uses, key) : NULL;
    if (!u)
        return;
    out->jobs += u->jobs;
    out->submitted += u->submitted;
    out->accruing += u->accruing;
    out->tres += tres ? tres_get(&u->tres, tres, 0) : 0;
    out->mins += tres ? tres_get(&u->mins, tres, 0) : 0;
}

static struct held usage_held(const struct check *k, const struct qos *q, const struct assoc *a, const struct limit *l)
{
    struct held out = { 0 };
    uint64_t key = holder_key(k->h, q, a, l->scope);
    if (k->question == MAY_EVER || k->question == MAY_TOGETHER)
        return out;
    add_held(&out, &k->c->limits->usage, key, l->tres);
    add_held(&out, k->more, key, l->tres);
    return out;
}

/* ---- minutes ---- */

/* TRES-minutes of running jobs under the holder: what they may still use, or have used since the last account. */
static double running_mins(const struct check *k, const struct qos *q, const struct assoc *a, const struct limit *l,
                           bool ahead)
{
    const struct limits *all = k->c->limits;
    limits_walk(k->c, k->ask->now_s);
    const struct limit_use *u = map_get(&all->usage.uses, holder_key(k->h, q, a, l->scope));
    size_t i = l->tres ? limits_minute(all, l->tres) : SIZE_MAX;
    if (!u || u->walk != all->walk || (l->tres && i == SIZE_MAX))
        return 0;
    return (!l->tres ? u->wall : ahead ? u->ahead[i] : u->past[i]) / 60;
}

static double charged_s(const Pb__Charged *ch, const char *tres)
{
    if (!ch)
        return 0;
    if (!tres)
        return ch->wall_s;
    for (size_t i = 0; i < ch->n_tres; i++)
        if (str_ieq(ch->tres[i]->name, tres))
            return ch->tres[i]->seconds;
    return 0;
}

/* The usage so far, of an association or a QOS. */
static double used_mins(const struct check *k, const struct qos *q, const struct assoc *a, const struct limit *l)
{
    const Pb__Charged *ch = q ? q->pb->charged : a->pb->charged;
    return charged_s(ch, l->tres) / 60 + running_mins(k, q, a, l, false);
}

/* ---- how much is allowed ---- */

/* QOS LimitFactor: associations may have so many times more under it. */
static double factor_of(const struct holders *h)
{
    for (uint32_t i = 0; i < h->nqos; i++)
        if (h->qos[i]->pb->limit_factor > 0)
            return h->qos[i]->pb->limit_factor;
    return 1;
}

static uint64_t max_of(const struct check *k, const struct qos *q, const struct limit *l)
{
    bool tres = l->what == LIMIT_TRES || l->what == LIMIT_MIN_TRES;
    if (tres && q && (q->pb->flags & QOS_RELATIVE))
        return (uint64_t)((double)limits_whole(k->c, q, l->tres) * (double)l->max / 100);
    if (tres && !q)
        return (uint64_t)((double)l->max * factor_of(k->h));
    return l->max;
}

/* ---- one limit ---- */

static uint64_t tres_wanted(const struct check *k, const struct limit *l)
{
    return k->ask->tres && l->tres ? tres_get(k->ask->tres, l->tres, 0) : 0;
}

static double wanted_mins(const struct check *k, const struct limit *l)
{
    return k->ask->limit_min == INFINITE_MIN ? 1e18 : (double)tres_wanted(k, l) * k->ask->limit_min;
}

static bool over_tres(const struct check *k, const struct qos *q, const struct assoc *a, const struct limit *l)
{
    uint64_t max = max_of(k, q, l);
    if (!k->ask->tres)
        return false;
    if (l->scope == LIMIT_JOB)
        return tres_wanted(k, l) > max;
    if (l->scope == LIMIT_NODE)
        return !k->ask->least && tres_get(k->ask->node_tres, l->tres, 0) > max;
    uint64_t want = tres_wanted(k, l);
    return want && usage_held(k, q, a, l).tres + want > max;
}

/*
 * Minutes of a group: the usage counts, and with AccountingStorageEnforce=safe also what running jobs may still use
 * and all that this one asks for; its QOS says whether that is by its factor.
 */
static bool over_mins(const struct check *k, const struct qos *q, const struct assoc *a, const struct limit *l)
{
    double used = used_mins(k, q, a, l), max = (double)l->max;
    if (used >= max)
        return true;
    if (!k->ask->safe || !k->ask->tres || !tres_wanted(k, l) || k->question != MAY_START)
        return k->question == MAY_EVER && k->ask->safe && wanted_mins(k, l) > max;
    bool by_factor = k->h->own && (k->h->own->pb->flags & QOS_FACTOR_SAFE);
    double ask = wanted_mins(k, l) * (by_factor ? holders_factor(k->h) : 1);
    return used + running_mins(k, q, a, l, true) + (double)usage_held(k, q, a, l).mins + ask > max;
}

static bool over_run_mins(const struct check *k, const struct qos *q, const struct assoc *a, const struct limit *l)
{
    if (!k->ask->tres || !tres_wanted(k, l))
        return false;
    double ask = wanted_mins(k, l) * holders_factor(k->h);
    double beside = k->question == MAY_EVER ? 0 : running_mins(k, q, a, l, true) + (double)usage_held(k, q, a, l).mins;
    return beside + ask > (double)l->max;
}

static bool over_start(const struct check *k, const struct qos *q, const struct assoc *a, const struct limit *l)
{
    switch ((enum limit_what)l->what) {
    case LIMIT_JOBS: return usage_held(k, q, a, l).jobs + 1 > l->max;
    case LIMIT_TRES: return over_tres(k, q, a, l);
    case LIMIT_MIN_TRES: return k->ask->tres && !k->ask->least && tres_wanted(k, l) < max_of(k, q, l);
    case LIMIT_MINS:
        return l->scope != LIMIT_JOB ? over_mins(k, q, a, l)
                                     : k->ask->tres && tres_wanted(k, l) && wanted_mins(k, l) > (double)l->max;
    case LIMIT_RUN_MINS: return over_run_mins(k, q, a, l);
    case LIMIT_WALL:
        return l->scope == LIMIT_JOB ? k->ask->limit_min > l->max : used_mins(k, q, a, l) >= (double)l->max;
    case LIMIT_SUBMIT:
    case LIMIT_ACCRUE:
    case LIMIT_MIN_PRIO:
    case LIMIT_WHATS: break;
    }
    return false;
}

static bool over_running(const struct check *k, const struct qos *q, const struct assoc *a, const struct limit *l)
{
    if (l->scope == LIMIT_GROUP && (l->what == LIMIT_MINS || l->what == LIMIT_WALL))
        return used_mins(k, q, a, l) >= (double)l->max;
    return l->scope == LIMIT_JOB && l->what == LIMIT_MINS && tres_wanted(k, l) &&
           (double)tres_wanted(k, l) * (double)k->run_s / 60 >= (double)l->max;
}

static bool over_limit(const struct check *k, const struct qos *q, const struct assoc *a, const struct limit *l)
{
    switch (k->question) {
    case MAY_SUBMIT: return l->what == LIMIT_SUBMIT && usage_held(k, q, a, l).submitted + k->submit > l->max;
    case MAY_GO_ON: return over_running(k, q, a, l);
    case MAY_TOGETHER: return l->what == LIMIT_TRES && l->scope <= LIMIT_ACCOUNT && over_tres(k, q, a, l);
    case MAY_ACCRUE: /* the partition's QOS has no word in this */
        return l->what == LIMIT_ACCRUE && (!q || q == k->h->own) && usage_held(k, q, a, l).accruing + 1 > l->max;
    case MAY_START:
    case MAY_EVER: return over_start(k, q, a, l);
    }
    return false;
}

/* ---- all of them ---- */

/* Does the QOS that comes first say something of the same kind? */
static bool said_before(const struct holders *h, uint32_t i, const struct limit *l)
{
    return i &&
           limit_get(&h->qos[0]->limits, (enum limit_what)l->what, (enum limit_scope)l->scope, l->tres) != LIMIT_NONE;
}

static enum why_code check_qos(const struct check *k)
{
    for (uint32_t i = 0; i < k->h->nqos; i++) {
        const struct limit_list *all = &k->h->qos[i]->limits;
        for (size_t n = 0; n < all->n; n++)
            if (!said_before(k->h, i, &all->at[n]) && over_limit(k, k->h->qos[i], NULL, &all->at[n]))
                return limits_why(true, (enum limit_what)all->at[n].what, (enum limit_scope)all->at[n].scope,
                                  all->at[n].tres);
    }
    return WHY_NONE;
}

/* A QOS that has a word on the same thing stands above the associations. */
static bool qos_says(const struct holders *h, const struct limit *l)
{
    for (uint32_t i = 0; i < h->nqos; i++)
        if (limit_get(&h->qos[i]->limits, (enum limit_what)l->what, (enum limit_scope)l->scope, l->tres) != LIMIT_NONE)
            return true;
    return false;
}

/* Is the limit set by a nearer association or QOS?  Limits of a group hold at every level. */
static bool nearer_limit_set(const struct holders *h, uint32_t level, const struct limit *l)
{
    for (uint32_t i = 0; l->scope != LIMIT_GROUP && i < level; i++)
        if (limit_get(&h->assoc[i]->limits, (enum limit_what)l->what, (enum limit_scope)l->scope, l->tres) !=
            LIMIT_NONE)
            return true;
    return false;
}

static enum why_code check_assoc(const struct check *k)
{
    const struct holders *h = k->h;
    for (uint32_t i = 0; i < h->nassoc; i++) {
        const struct limit_list *all = &h->assoc[i]->limits;
        for (size_t n = 0; n < all->n; n++) {
            const struct limit *l = &all->at[n];
            const struct assoc *whose = l->scope == LIMIT_GROUP ? h->assoc[i] : h->assoc[0];
            if (!nearer_limit_set(h, i, l) && !qos_says(h, l) && over_limit(k, NULL, whose, l))
                return limits_why(false, (enum limit_what)l->what, (enum limit_scope)l->scope, l->tres);
        }
    }
    return WHY_NONE;
}

/* QOS UsageThreshold: jobs of an association over it wait until its usage has decayed. */
static const struct qos *threshold_qos(const struct holders *h)
{
    for (uint32_t i = 0; i < h->nqos && h->nassoc && h->assoc[0]->fair_known; i++)
        if (h->qos[i]->pb->has_threshold && (h->qos[i]->pb->flags & QOS_ENFORCE_THRESHOLD) &&
            h->assoc[0]->fair < h->qos[i]->pb->usage_threshold)
            return h->qos[i];
    return NULL;
}

static enum why_code check_all(const struct check *k)
{
    if (!k->c->limits)
        return WHY_NONE;
    if (k->c->limits->threshold && (k->question == MAY_START || k->question == MAY_EVER) && threshold_qos(k->h))
        return WHY_QOS_THRESHOLD;
    enum why_code why = check_qos(k);
    return why != WHY_NONE ? why : check_assoc(k);
}

enum why_code limits_block(const struct cluster *c, const struct limit_usage *more, const struct holders *h,
                           const struct limit_ask *ask)
{
    struct check k = { .c = c, .more = more, .h = h, .ask = ask };
    return check_all(&k);
}

enum why_code limits_never(const struct cluster *c, const struct holders *h, const struct limit_ask *ask)
{
    struct check k = { .c = c, .h = h, .ask = ask, .question = MAY_EVER };
    return check_all(&k);
}

enum why_code limits_submit(const struct cluster *c, const struct limit_usage *more, const struct holders *h,
                            uint32_t n)
{
    struct limit_ask none = { 0 };
    struct check k = { .c = c, .more = more, .h = h, .ask = &none, .question = MAY_SUBMIT, .submit = n };
    return check_all(&k);
}

enum why_code limits_spent(const struct cluster *c, const struct holders *h, const struct tres_list *tres,
                           int64_t since_s, int64_t now_s)
{
    struct limit_ask ask = { .tres = tres, .now_s = now_s };
    struct check k = { .c = c, .h = h, .ask = &ask, .question = MAY_GO_ON, .run_s = now_s - since_s };
    return check_all(&k);
}

bool limits_together(const struct cluster *c, const struct holders *h, const struct tres_list *tres)
{
    struct limit_ask ask = { .tres = tres };
    struct check k = { .c = c, .h = h, .ask = &ask, .question = MAY_TOGETHER };
    return check_all(&k) == WHY_NONE;
}

bool limits_may_accrue(const struct cluster *c, const struct holders *h)
{
    struct limit_ask none = { 0 };
    struct check k = { .c = c, .h = h, .ask = &none, .question = MAY_ACCRUE };
    return check_all(&k) == WHY_NONE;
}

uint64_t limits_of(const struct holders *h, enum limit_what what, enum limit_scope scope, const char *tres)
{
    for (uint32_t i = 0; i < h->nqos; i++) {
        uint64_t max = limit_get(&h->qos[i]->limits, what, scope, tres);
        if (max != LIMIT_NONE)
            return max;
    }
    for (uint32_t i = 0; i < h->nassoc; i++) {
        uint64_t max = limit_get(&h->assoc[i]->limits, what, scope, tres);
        if (max != LIMIT_NONE)
            return max;
    }
    return LIMIT_NONE;
}

uint32_t limits_wall_min(const struct holders *h)
{
    uint64_t max = limits_of(h, LIMIT_WALL, LIMIT_JOB, NULL);
    return max >= INFINITE_MIN ? INFINITE_MIN : (uint32_t)max;
}

/* ---- in words ---- */

static char *holder_name(const struct qos *q, const struct assoc *a)
{
    return q              ? mem_printf("QOS %s", q->pb->name)
           : *a->pb->user ? mem_printf("the association of %s in account %s", a->pb->user, a->pb->account)
                          : mem_printf("account %s", a->pb->account);
}

/* What there is of it already: ", and 2 are held now". */
static char *usage_text(const struct check *k, const struct qos *q, const struct assoc *a, const struct limit *l)
{
    struct held now = usage_held(k, q, a, l);
    if (l->what == LIMIT_JOBS)
        return mem_printf(", and %llu run now", (unsigned long long)now.jobs);
    if (l->what == LIMIT_TRES && l->scope <= LIMIT_ACCOUNT)
        return mem_printf(", and %llu are held now", (unsigned long long)now.tres);
    if (l->scope == LIMIT_GROUP && (l->what == LIMIT_MINS || l->what == LIMIT_WALL))
        return mem_printf(", and %.0f are used", used_mins(k, q, a, l));
    return mem_str("");
}

static char *over_limit_text(const struct check *k, const struct qos *q, const struct assoc *a, const struct limit *l)
{
    static const char *const whose[] = { "all together", "a user", "an account", "a job", "a node" };
    static const char *const what[] = { "running jobs ",     "jobs ",    "",         "at least ", "minutes of ",
                                        "minutes ahead of ", "minutes ", "waiting ", "priority " };
    uint64_t asks = l->what == LIMIT_TRES && l->scope != LIMIT_NODE ? tres_wanted(k, l) : 0;
    auto_free char *asked = asks ? mem_printf("; it asks for %llu", (unsigned long long)asks) : mem_str("");
    auto_free char *holder = holder_name(q, a), *more = usage_text(k, q, a, l);
    return mem_printf("%s allows %s %s%s%s%llu%s%s", holder, whose[l->scope], what[l->what], str_or(l->tres, ""),
                      l->tres ? "=" : "", (unsigned long long)max_of(k, q, l), more, asked);
}

static char *tell_threshold(const struct holders *h)
{
    const struct qos *q = threshold_qos(h);
    return !q ? NULL
              : mem_printf("QOS %s asks for a fair share of %.2f, and that of account %s is %.2f now", q->pb->name,
                           q->pb->usage_threshold, h->assoc[0]->pb->account, h->assoc[0]->fair);
}

/* The first limit of that reason; `sure`: the first that stops the job as far as is known before it has a place. */
static char *tell_first(const struct check *k, enum why_code code, bool sure)
{
    const struct holders *h = k->h;
    for (uint32_t i = 0; i < h->nqos; i++)
        for (size_t n = 0; n < h->qos[i]->limits.n; n++) {
            const struct limit *l = &h->qos[i]->limits.at[n];
            if (limits_why(true, (enum limit_what)l->what, (enum limit_scope)l->scope, l->tres) == code &&
                (!sure || over_limit(k, h->qos[i], NULL, l)))
                return over_limit_text(k, h->qos[i], NULL, l);
        }
    for (uint32_t i = 0; i < h->nassoc; i++)
        for (size_t n = 0; n < h->assoc[i]->limits.n; n++) {
            const struct limit *l = &h->assoc[i]->limits.at[n];
            const struct assoc *whose = l->scope == LIMIT_GROUP ? h->assoc[i] : h->assoc[0];
            if (limits_why(false, (enum limit_what)l->what, (enum limit_scope)l->scope, l->tres) == code &&
                (!sure || over_limit(k, NULL, whose, l)))
                return over_limit_text(k, NULL, whose, l);
        }
    return NULL;
}

char *limits_tell(const struct cluster *c, const struct holders *h, const struct limit_ask *ask, enum why_code code)
{
    struct check k = { .c = c, .h = h, .ask = ask };
    if (!c->limits || code == WHY_QOS_THRESHOLD)
        return c->limits ? tell_threshold(h) : NULL;
    char *told = tell_first(&k, code, true);
    return told ? told : tell_first(&k, code, false);
}
