/* limits_check - may a job have this, beside what is held; see limits.h. */
#include <stdio.h>

#include "base/str.h"
#include "core/cluster.h"
#include "core/limits.h"

struct check {
    const struct cluster *c;
    const struct limit_book *more;
    const struct holders *h;
    const struct limit_ask *ask;
    uint32_t submit; /* so many more are to be submitted; 0: one is to start */
};

/* ---- what is held now ---- */

static void use_key(char out[static 512], const struct check *k, const struct qos *q, const struct assoc *a,
                    enum limit_who who)
{
    if (a)
        snprintf(out, 512, "s/%u", a->pb->id);
    else if (who == LIMIT_USER)
        snprintf(out, 512, "q/%s/u/%u", q->pb->name, k->h->uid);
    else if (who == LIMIT_ACCOUNT)
        snprintf(out, 512, "q/%s/a/%s", q->pb->name, k->h->account);
    else
        snprintf(out, 512, "q/%s", q->pb->name);
}

struct held {
    uint64_t jobs, submitted, tres, mins;
};

static void add_held(struct held *out, const struct limit_book *b, const char *key, const char *tres)
{
    const struct limit_use *u = b ? smap_get(&b->uses, key) : NULL;
    if (!u)
        return;
    out->jobs += u->jobs;
    out->submitted += u->submitted;
    out->tres += tres ? tres_get(&u->tres, tres, 0) : 0;
    out->mins += tres ? tres_get(&u->mins, tres, 0) : 0;
}

static struct held held(const struct check *k, const struct qos *q, const struct assoc *a, const struct limit *l)
{
    char key[512];
    struct held out = { 0 };
    use_key(key, k, q, a, (enum limit_who)l->who);
    add_held(&out, &k->c->limits->book, key, l->tres);
    add_held(&out, k->more, key, l->tres);
    return out;
}

/* ---- minutes ---- */

static bool under(const struct cluster *c, const struct job *j, const struct qos *q, const struct assoc *a,
                  const struct check *k, enum limit_who who)
{
    struct holders h;
    limits_holders(c, j, cluster_part(c, j->partition), &h);
    if ((who == LIMIT_USER && j->uid != k->h->uid) || (who == LIMIT_ACCOUNT && !str_eq(h.account, k->h->account)))
        return false;
    for (uint32_t i = 0; q && i < h.nqos; i++)
        if (h.qos[i] == q)
            return true;
    for (uint32_t i = 0; a && i < h.nassoc; i++)
        if (h.assoc[i] == a)
            return true;
    return false;
}

/* TRES-minutes of running jobs under the holder: what they may still use, or have used since the last account. */
static uint64_t running_mins(const struct check *k, const struct qos *q, const struct assoc *a, const struct limit *l,
                             bool ahead)
{
    int64_t now = k->ask->now_s;
    double sum = 0;
    for (const struct job *j = k->c->active.head; j; j = j->next) {
        if (job_ended(j) || !under(k->c, j, q, a, k, (enum limit_who)l->who))
            continue;
        auto_tres struct tres_list t = TRES_INIT;
        int64_t end = job_limit_s(j), from = MAX(j->start_s, k->c->charged_s);
        limits_tres(k->c, cluster_part(k->c, j->partition), &j->alloc, &t);
        double per_s = l->tres ? (double)tres_get(&t, l->tres, 0) : 1;
        sum += per_s * (double)MAX(ahead ? end - now : now - from, 0);
    }
    return (uint64_t)(sum / 60);
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

/* Is all of it used up, whoever used it?  Who runs is looked at one by one only where it is close: none of them can have
 * used more than what is held now, since the last account. */
static bool used_up(const struct check *k, const struct qos *q, const struct assoc *a, const struct limit *l)
{
    const Pb__Charged *ch = q ? q->pb->charged : a->pb->charged;
    double used_s = charged_s(ch, l->tres);
    struct held now = held(k, q, a, l);
    double most_s = (double)(l->tres ? now.tres : now.jobs) * (double)MAX(k->ask->now_s - k->c->charged_s, 0);
    if ((used_s + most_s) / 60 + 1 < (double)l->max)
        return false;
    return (uint64_t)(used_s / 60) + running_mins(k, q, a, l, false) >= l->max;
}

/* ---- one limit ---- */

static uint64_t wanted(const struct check *k, const struct limit *l)
{
    return k->ask->tres && l->tres ? tres_get(k->ask->tres, l->tres, 0) : 0;
}

static uint64_t wanted_mins(const struct check *k, const struct limit *l)
{
    return k->ask->limit_min == INFINITE_MIN ? UINT64_MAX / 2 : wanted(k, l) * k->ask->limit_min;
}

static bool over_tres(const struct check *k, const struct qos *q, const struct assoc *a, const struct limit *l)
{
    if (!k->ask->tres)
        return false;
    if (l->who == LIMIT_JOB)
        return wanted(k, l) > l->max;
    if (l->who == LIMIT_NODE)
        return !k->ask->least && tres_get(k->ask->node_tres, l->tres, 0) > l->max;
    uint64_t want = wanted(k, l);
    return want && held(k, q, a, l).tres + want > l->max;
}

static bool over(const struct check *k, const struct qos *q, const struct assoc *a, const struct limit *l)
{
    if (k->submit)
        return l->what == LIMIT_SUBMIT && held(k, q, a, l).submitted + k->submit > l->max;
    switch ((enum limit_what)l->what) {
    case LIMIT_JOBS: return held(k, q, a, l).jobs + 1 > l->max;
    case LIMIT_TRES: return over_tres(k, q, a, l);
    case LIMIT_MIN_TRES: return k->ask->tres && !k->ask->least && wanted(k, l) < l->max;
    case LIMIT_MINS:
        if (l->who == LIMIT_JOB)
            return k->ask->tres && wanted(k, l) && wanted_mins(k, l) > l->max;
        return used_up(k, q, a, l);
    case LIMIT_RUN_MINS:
        return k->ask->tres && !k->ask->least && wanted(k, l) &&
               running_mins(k, q, a, l, true) + held(k, q, a, l).mins + wanted_mins(k, l) > l->max;
    case LIMIT_WALL: return l->who == LIMIT_JOB ? k->ask->limit_min > l->max : used_up(k, q, a, l);
    case LIMIT_SUBMIT:
    case LIMIT_WHATS: break;
    }
    return false;
}

/* ---- all of them ---- */

/* Does the QOS that comes first say something of the same kind? */
static bool said_before(const struct holders *h, uint32_t i, const struct limit *l)
{
    return i && limit_get(&h->qos[0]->limits, (enum limit_what)l->what, (enum limit_who)l->who, l->tres) != LIMIT_NONE;
}

static enum why_code check_qos(const struct check *k)
{
    for (uint32_t i = 0; i < k->h->nqos; i++) {
        const struct limit_list *all = &k->h->qos[i]->limits;
        for (size_t n = 0; n < all->n; n++)
            if (!said_before(k->h, i, &all->at[n]) && over(k, k->h->qos[i], NULL, &all->at[n]))
                return limits_why(true, (enum limit_what)all->at[n].what, (enum limit_who)all->at[n].who, all->at[n].tres);
    }
    return WHY_NONE;
}

/* A QOS that has a word on the same thing stands above the associations. */
static bool qos_says(const struct holders *h, const struct limit *l)
{
    for (uint32_t i = 0; i < h->nqos; i++)
        if (limit_get(&h->qos[i]->limits, (enum limit_what)l->what, (enum limit_who)l->who, l->tres) != LIMIT_NONE)
            return true;
    return false;
}

/* Has somebody nearer said it?  Limits of a group hold at every level. */
static bool nearer(const struct holders *h, uint32_t level, const struct limit *l)
{
    for (uint32_t i = 0; l->who != LIMIT_GROUP && i < level; i++)
        if (limit_get(&h->assoc[i]->limits, (enum limit_what)l->what, (enum limit_who)l->who, l->tres) != LIMIT_NONE)
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
            const struct assoc *whose = l->who == LIMIT_GROUP ? h->assoc[i] : h->assoc[0];
            if (!nearer(h, i, l) && !qos_says(h, l) && over(k, NULL, whose, l))
                return limits_why(false, (enum limit_what)l->what, (enum limit_who)l->who, l->tres);
        }
    }
    return WHY_NONE;
}

static enum why_code check_all(const struct check *k)
{
    if (!k->c->limits)
        return WHY_NONE;
    enum why_code why = check_qos(k);
    return why != WHY_NONE ? why : check_assoc(k);
}

enum why_code limits_block(const struct cluster *c, const struct limit_book *more, const struct holders *h,
                           const struct limit_ask *ask)
{
    struct check k = { .c = c, .more = more, .h = h, .ask = ask };
    return check_all(&k);
}

enum why_code limits_submit(const struct cluster *c, const struct limit_book *more, const struct holders *h, uint32_t n)
{
    struct limit_ask none = { 0 };
    struct check k = { .c = c, .more = more, .h = h, .ask = &none, .submit = n };
    return check_all(&k);
}

uint64_t limits_of(const struct holders *h, enum limit_what what, enum limit_who who, const char *tres)
{
    for (uint32_t i = 0; i < h->nqos; i++) {
        uint64_t max = limit_get(&h->qos[i]->limits, what, who, tres);
        if (max != LIMIT_NONE)
            return max;
    }
    for (uint32_t i = 0; i < h->nassoc; i++) {
        uint64_t max = limit_get(&h->assoc[i]->limits, what, who, tres);
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

static char *tell(const struct check *k, const struct qos *q, const struct assoc *a, const struct limit *l)
{
    static const char *const whose[] = { "all together", "a user", "an account", "a job", "a node" };
    static const char *const what[] = { "running jobs", "jobs", "", "at least", "minutes of", "minutes ahead of", "minutes" };
    struct held now = held(k, q, a, l);
    bool sums = l->what == LIMIT_JOBS || (l->what == LIMIT_TRES && l->who <= LIMIT_ACCOUNT);
    auto_free char *holder = q              ? mem_printf("QOS %s", q->pb->name)
                             : *a->pb->user ? mem_printf("the association of %s in account %s", a->pb->user, a->pb->account)
                                            : mem_printf("account %s", a->pb->account);
    auto_free char *beside = !sums ? mem_str("")
                                   : mem_printf(", and %llu %s now", (unsigned long long)(l->what == LIMIT_JOBS ? now.jobs : now.tres),
                                                l->what == LIMIT_JOBS ? "run" : "are held");
    uint64_t asks = l->what == LIMIT_TRES && l->who != LIMIT_NODE ? wanted(k, l) : 0;
    auto_free char *asked = asks ? mem_printf("; it asks for %llu", (unsigned long long)asks) : mem_str("");
    return mem_printf("%s allows %s %s%s%s%s%llu%s%s", holder, whose[l->who], what[l->what], *what[l->what] ? " " : "",
                      str_or(l->tres, ""), l->tres ? "=" : "", (unsigned long long)l->max, beside, asked);
}

/* The first limit of that reason; `sure`: the first that stops the job as far as is known before it has a place. */
static char *tell_first(const struct check *k, enum why_code code, bool sure)
{
    const struct holders *h = k->h;
    for (uint32_t i = 0; i < h->nqos; i++)
        for (size_t n = 0; n < h->qos[i]->limits.n; n++) {
            const struct limit *l = &h->qos[i]->limits.at[n];
            if (limits_why(true, (enum limit_what)l->what, (enum limit_who)l->who, l->tres) == code &&
                (!sure || over(k, h->qos[i], NULL, l)))
                return tell(k, h->qos[i], NULL, l);
        }
    for (uint32_t i = 0; i < h->nassoc; i++)
        for (size_t n = 0; n < h->assoc[i]->limits.n; n++) {
            const struct limit *l = &h->assoc[i]->limits.at[n];
            const struct assoc *whose = l->who == LIMIT_GROUP ? h->assoc[i] : h->assoc[0];
            if (limits_why(false, (enum limit_what)l->what, (enum limit_who)l->who, l->tres) == code &&
                (!sure || over(k, NULL, whose, l)))
                return tell(k, NULL, whose, l);
        }
    return NULL;
}

char *limits_tell(const struct cluster *c, const struct holders *h, const struct limit_ask *ask, enum why_code code)
{
    struct check k = { .c = c, .h = h, .ask = ask };
    if (!c->limits)
        return NULL;
    char *told = tell_first(&k, code, true);
    return told ? told : tell_first(&k, code, false);
}
