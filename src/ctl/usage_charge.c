/* usage_charge - charges what jobs used to associations and QOS; see usage_charge.h. */
#include "ctl/usage_charge.h"

#include <math.h>
#include <time.h>

#include "core/limits.h"
#include "ctl/config.h"
#include "ctl/timers.h"

#define NOTHING 0.5 /* less than this has faded away */

struct usage_charge {
    int64_t timer_ms;    /* a timer is set for then; 0: none */
    VEC(uint32_t) ended; /* jobs that ended since the last account */
    bool scan;           /* jobs may have ended under an earlier leader: all ended jobs are looked through */
    bool forget;         /* PriorityUsageResetPeriod=NOW: earlier usage is to be forgotten */
};

void usage_charge_open(struct ctl *t)
{
    t->usage = NEW(struct usage_charge);
}

void usage_charge_close(struct ctl *t)
{
    vec_clear(&t->usage->ended);
    free(take(t->usage));
}

/* ---- an account while it is being worked out ---- */

struct bill {
    char *key;
    const struct qos *qos;
    const struct assoc *assoc;
    double raw, wall_s;
    VEC(struct { const char *name; double seconds; }) tres;
};

struct bills {
    struct smap by_key;
    VEC(struct bill *) all;
};

static struct bill *bill_of(struct bills *b, const struct qos *q, const struct assoc *a)
{
    auto_free char *key = q ? mem_printf("q/%s", q->pb->name) : mem_printf("s/%u", a->pb->id);
    struct bill *one = smap_get(&b->by_key, key);
    if (one)
        return one;
    one = NEW(struct bill);
    one->key = mem_str(key);
    one->qos = q;
    one->assoc = a;
    smap_put(&b->by_key, one->key, one);
    vec_push(&b->all, one);
    return one;
}

static void add_tres(struct bill *b, const char *name, double seconds)
{
    for (size_t i = 0; i < b->tres.n; i++)
        if (str_eq(b->tres.at[i].name, name)) {
            b->tres.at[i].seconds += seconds;
            return;
        }
    __typeof__(*b->tres.at) one = { name, seconds };
    vec_push(&b->tres, one);
}

static void bills_clear(struct bills *b)
{
    for (size_t i = 0; i < b->all.n; i++) {
        vec_clear(&b->all.at[i]->tres);
        free(b->all.at[i]->key);
        free(b->all.at[i]);
    }
    vec_clear(&b->all);
    smap_clear(&b->by_key);
}

/* What was there, as far as it has not faded. */
static void usage_carry(struct bill *b, const Pb__Charged *ch, double keep)
{
    if (!ch)
        return;
    b->raw += ch->raw * keep;
    b->wall_s += ch->wall_s * keep;
    for (size_t i = 0; i < ch->n_tres; i++)
        if (ch->tres[i]->seconds * keep > NOTHING)
            add_tres(b, ch->tres[i]->name, ch->tres[i]->seconds * keep);
}

struct costs { /* of one job since the last account */
    double seconds, rate, factor;
    struct tres_list tres;
};

static void usage_put(struct bills *all, const struct qos *q, const struct assoc *a, const struct costs *k)
{
    struct bill *b = bill_of(all, q, a);
    b->raw += k->rate * k->seconds * k->factor;
    b->wall_s += k->seconds * k->factor;
    for (size_t i = 0; i < k->tres.n; i++)
        add_tres(b, k->tres.at[i].name, (double)k->tres.at[i].count * k->seconds * k->factor);
}

struct names {
    VEC(struct tres_list) at; /* jobs' lists, whose names the bills borrow */
};

static void charge_job(struct ctl *t, const struct job *j, struct bills *all, struct names *names)
{
    int64_t from = MAX(j->start_s, t->c->charged_s), to = j->end_s && job_ended(j) ? j->end_s : NOW_S(t);
    if (!j->start_s || !j->alloc.n || to <= from)
        return;
    struct holders h;
    const struct part *p = cluster_part(t->c, j->partition);
    limits_holders(t->c, j, p, &h);
    struct costs k = { .seconds = (double)(to - from), .factor = 1 };
    limits_tres(t->c, p, &j->alloc, &k.tres);
    k.rate = limits_rate(p ? p->pb->tres_billing_weights : NULL, &k.tres, t->c->billing);
    if (h.own)
        k.factor = h.own->pb->usage_factor;
    for (uint32_t i = 0; i < h.nqos; i++)
        usage_put(all, h.qos[i], NULL, &k);
    for (uint32_t i = 0; i < h.nassoc; i++)
        usage_put(all, NULL, h.assoc[i], &k);
    vec_push(&names->at, k.tres);
}

/* ---- fading, and beginning anew ---- */

static double kept_share(const struct ctl *t)
{
    double half = t->site->priority_half_life_s, past = (double)(NOW_S(t) - t->c->charged_s);
    return half > 0 && t->c->charged_s ? pow(0.5, past / half) : 1;
}

/* A number that grows by one when a new period begins. */
static int64_t period_of(const char *word, int64_t at_s)
{
    time_t at = (time_t)at_s;
    struct tm tm;
    localtime_r(&at, &tm);
    int64_t day = (at_s + tm.tm_gmtoff) / 86400;
    if (str_ieq(word, "DAILY"))
        return day;
    if (str_ieq(word, "WEEKLY"))
        return (day + 4) / 7; /* weeks begin on Sunday */
    if (str_ieq(word, "MONTHLY"))
        return tm.tm_year * 12 + tm.tm_mon;
    if (str_ieq(word, "QUARTERLY"))
        return tm.tm_year * 4 + tm.tm_mon / 3;
    return str_ieq(word, "YEARLY") ? tm.tm_year : 0;
}

static bool begins_anew(const struct ctl *t)
{
    const char *word = t->site->priority_reset;
    return t->usage->forget ||
           (t->c->charge_reset_s && period_of(word, NOW_S(t)) != period_of(word, t->c->charge_reset_s));
}

/* ---- the event ---- */

static Pb__Charged *charged_of(const struct bill *b)
{
    Pb__Charged *ch = NEW(Pb__Charged);
    pb__charged__init(ch);
    ch->raw = b->raw < NOTHING ? 0 : b->raw;
    ch->wall_s = b->wall_s < NOTHING ? 0 : b->wall_s;
    ch->tres = mem_array(b->tres.n + 1, sizeof(Pb__TresSeconds *));
    for (size_t i = 0; i < b->tres.n; i++) {
        if (b->tres.at[i].seconds < NOTHING)
            continue;
        Pb__TresSeconds *s = ch->tres[ch->n_tres++] = NEW(Pb__TresSeconds);
        pb__tres_seconds__init(s);
        s->name = mem_str(b->tres.at[i].name);
        s->seconds = b->tres.at[i].seconds;
    }
    return ch;
}

static void usage_emit(struct ctl *t, const struct bills *b, bool reset)
{
    EVENT(ev);
    Pb__EvUsage e = PB__EV_USAGE__INIT;
    e.until_s = NOW_S(t);
    e.reset_s = reset || !t->c->charge_reset_s ? NOW_S(t) : 0;
    e.qos = mem_array(b->all.n + 1, sizeof(Pb__Qos *));
    e.assoc = mem_array(b->all.n + 1, sizeof(Pb__Assoc *));
    for (size_t i = 0; i < b->all.n; i++) {
        const struct bill *one = b->all.at[i];
        if (one->qos) {
            Pb__Qos *q = e.qos[e.n_qos++] = NEW(Pb__Qos);
            pb__qos__init(q);
            q->name = mem_str(one->qos->pb->name);
            q->charged = charged_of(one);
        } else {
            Pb__Assoc *a = e.assoc[e.n_assoc++] = NEW(Pb__Assoc);
            pb__assoc__init(a);
            a->id = one->assoc->pb->id;
            a->charged = charged_of(one);
        }
    }
    BODY(ev, USAGE, usage, &e);
    ctl_emit(t, &ev, NULL);
    for (size_t i = 0; i < e.n_qos; i++)
        pb__qos__free_unpacked(e.qos[i], NULL);
    for (size_t i = 0; i < e.n_assoc; i++)
        pb__assoc__free_unpacked(e.assoc[i], NULL);
    free(e.qos);
    free(e.assoc);
}

static void carry_all(struct ctl *t, struct bills *all, double keep)
{
    size_t pos = 0;
    for (struct qos *q; (q = smap_next(&t->c->limits->qos, &pos, NULL));)
        if (q->pb->charged)
            usage_carry(bill_of(all, q, NULL), q->pb->charged, q->pb->flags & QOS_NO_DECAY ? 1 : keep);
    pos = 0;
    for (struct assoc *a; (a = map_next(&t->c->limits->assoc, &pos, NULL));)
        if (a->pb->charged)
            usage_carry(bill_of(all, NULL, a), a->pb->charged, keep);
}

/* Jobs that ended since the last account; a job that still holds nodes is counted already. */
static void charge_gone(struct ctl *t, struct bills *all, struct names *names)
{
    for (const struct job *j = t->usage->scan ? t->c->done.head : NULL; j; j = j->next)
        charge_job(t, j, all, names);
    for (size_t i = 0; !t->usage->scan && i < t->usage->ended.n; i++) {
        const struct job *j = cluster_job(t->c, t->usage->ended.at[i]);
        if (j && job_ended(j) && !job_holds_nodes(j))
            charge_job(t, j, all, names);
    }
    t->usage->scan = false;
    t->usage->ended.n = 0;
}

/* Used-up minutes end the jobs that run on them, unless AccountingStorageEnforce=safe lets each job run to its end. */
static void stop_spent(struct ctl *t)
{
    VEC(uint32_t) ids = { 0 };
    const struct limits *l = t->c->limits;
    bool spends = config_limits(t->site) && !config_limits_safe(t->site) && l->spends;
    for (const struct job *j = spends ? t->c->active.head : NULL; j; j = j->next) {
        auto_tres struct tres_list tres = TRES_INIT;
        struct holders h;
        const struct part *p = cluster_part(t->c, j->partition);
        if (job_base(j) != JOB_RUNNING || job_ended(j))
            continue;
        limits_holders(t->c, j, p, &h);
        limits_tres(t->c, p, &j->alloc, &tres);
        if (limits_spent(t->c, &h, &tres, j->start_s, NOW_S(t)) != WHY_NONE)
            vec_push(&ids, j->id);
    }
    for (size_t i = 0; i < ids.n; i++) {
        struct job *j = cluster_job(t->c, ids.at[i]);
        if (j && job_base(j) == JOB_RUNNING)
            timers_end(t, j);
    }
    vec_clear(&ids);
}

void usage_charge_all(struct ctl *t)
{
    if (!limits_any(t->c) || NOW_S(t) <= t->c->charged_s)
        return;
    struct bills all = { 0 };
    struct names names = { 0 };
    bool reset = begins_anew(t), idle = !t->c->active.n && !t->usage->ended.n && !t->usage->scan;
    carry_all(t, &all, reset ? 0 : kept_share(t));
    for (const struct job *j = t->c->active.head; j; j = j->next)
        charge_job(t, j, &all, &names);
    charge_gone(t, &all, &names);
    t->usage->forget = false;
    if (all.all.n || !idle || !t->c->charge_reset_s)
        usage_emit(t, &all, reset);
    bills_clear(&all);
    for (size_t i = 0; i < names.at.n; i++)
        tres_clear(&names.at.at[i]);
    vec_clear(&names.at);
}

void usage_charge_remind(struct ctl *t)
{
    if (t->usage->timer_ms || !limits_any(t->c) || !t->leading)
        return;
    t->usage->timer_ms = t->now_ms + (int64_t)MAX(t->site->priority_calc_s, 1u) * 1000;
    timer_add(&t->timers, t->usage->timer_ms, TIMER_USAGE, 0, 0);
}

void usage_charge_timer(struct ctl *t, const struct timer_entry *e)
{
    t->usage->timer_ms = 0;
    usage_charge_all(t);
    if (limits_any(t->c))
        stop_spent(t);
    if (t->c->active.n || t->c->pending.n)
        usage_charge_remind(t);
}

void usage_charge_configured(struct ctl *t)
{
    if (!t->leading || !limits_any(t->c) || !str_ieq(t->site->priority_reset, "NOW"))
        return;
    t->usage->forget = true;
    usage_charge_all(t);
}

void usage_charge_lead(struct ctl *t)
{
    t->usage->scan = true;
    usage_charge_remind(t);
    usage_charge_configured(t);
}

static void note_ended(struct ctl *t, const struct job *j)
{
    if (t->leading && limits_any(t->c) && j->start_s)
        vec_push(&t->usage->ended, j->id);
}

void usage_charge_changed(struct ctl *t, const struct change *ch)
{
    if (ch->kind == CHANGE_JOB_OVER)
        note_ended(t, ch->job);
    else
        usage_charge_remind(t);
}

void usage_charge_before(struct ctl *t, const struct job *j)
{
    if (j && j->start_s && !job_pending(j) && limits_any(t->c))
        usage_charge_all(t);
}

bool usage_charge_owes(struct ctl *t, const struct job *j)
{
    if (!limits_any(t->c) || !j->start_s || j->end_s <= t->c->charged_s)
        return false;
    usage_charge_remind(t);
    return true;
}
