/* priority_update - priorities of waiting jobs, when they change; see priority_update.h. */
#include "ctl/priority_update.h"

#include "ctl/accrue.h"
#include "ctl/job_filter.h"
#include "ctl/plan.h"
#include "ctl/priority_fairshare.h"
#include "ctl/query_cache.h"
#include "ctl/request.h"
#include "ctl/stat.h"

struct priority_update {
    struct priority_conf conf;
    struct priority_whole whole;
    bool weighted, stale;
    int64_t timer_ms; /* a timer is set for then; 0: none */
    uint32_t lowest;  /* priority/basic: the last one given; 0: not looked for yet */
};

void priority_update_open(struct ctl *t)
{
    t->priority = NEW(struct priority_update);
}

void priority_update_close(struct ctl *t)
{
    size_t pos = 0;
    for (struct job *j; (j = map_next(&t->c->jobs, &pos, NULL));)
        if (j->factored || j->factored_s) {
            j->factored = 0;
            j->factored_s = 0;
            job_touch(j);
        }
    free(take(t->priority));
}

const struct priority_conf *priority_update_conf(const struct ctl *t)
{
    return &t->priority->conf;
}

static bool has_weights(const struct priority_conf *p)
{
    uint32_t any = p->ntres;
    for (int i = 0; i < PRIO_KINDS; i++)
        any |= p->weight[i];
    return any;
}

void priority_update_configure(struct ctl *t)
{
    const struct site *s = t->site;
    struct err err = ERR_INIT;
    t->priority->conf = (struct priority_conf){
        .basic = str_ieq(s->priority_type, "priority/basic"),
        .flags = priority_flags(s->priority_flags),
        .weight = { [PRIO_AGE] = s->priority_weight_age,
                    [PRIO_ASSOC] = s->priority_weight_assoc,
                    [PRIO_FAIRSHARE] = s->priority_weight_fairshare,
                    [PRIO_SIZE] = s->priority_weight_job_size,
                    [PRIO_PART] = s->priority_weight_partition,
                    [PRIO_QOS] = s->priority_weight_qos },
        .max_age_s = s->priority_max_age_s,
        .favor_small = s->priority_favor_small,
    };
    if (priority_tres_parse(&t->priority->conf, s->priority_weight_tres, &err))
        log_error("PriorityWeightTRES: %s: the weights after it are not used", err.text);
    t->priority->weighted = !t->priority->conf.basic && has_weights(&t->priority->conf);
    priority_update_stale(t);
}

void priority_update_stale(struct ctl *t)
{
    t->priority->stale = true;
}

static void priority_remind(struct ctl *t)
{
    if (t->priority->timer_ms || !priority_moves(&t->priority->conf) || !t->leading)
        return;
    t->priority->timer_ms = t->now_ms + (int64_t)MAX(t->site->priority_calc_s, 1u) * 1000;
    timer_add(&t->timers, t->priority->timer_ms, TIMER_PRIORITY, 0, 0);
}

/* Did its number change? */
static bool priority_set(struct ctl *t, struct job *j)
{
    struct priority_given given;
    if (t->priority->weighted)
        priority_fairshare_given(t, j, &given);
    uint32_t now = t->priority->conf.basic ? 0
                   : t->priority->weighted
                       ? priority_of(&t->priority->conf, t->c, &t->priority->whole, j, &given, NOW_S(t))
                       : priority_plain(j);
    if ((t->priority->conf.flags & PRIO_INCR_ONLY) && now < j->factored)
        return false;
    j->factored_s = NOW_S(t);
    if (now == j->factored)
        return false;
    j->factored = now;
    job_touch(j);
    query_cache_stir(t);
    return true;
}

static bool priority_counts(const struct ctl *t, const struct job *j)
{
    return job_pending(j) || ((t->priority->conf.flags & PRIO_RUNNING) && !job_ended(j));
}

static void priority_all(struct ctl *t)
{
    bool moved = false;
    t->priority->stale = false;
    priority_whole(t->c, &t->priority->whole);
    priority_fairshare_refresh(t);
    accrue_all(t);
    for (struct job *j = t->c->pending.head; j; j = j->next)
        moved |= priority_set(t, j);
    for (struct job *j = t->priority->conf.flags & PRIO_RUNNING ? t->c->active.head : NULL; j; j = j->next)
        if (priority_counts(t, j))
            priority_set(t, j);
    if (moved) {
        sched_reorder(t->sched, t->c);
        plan_want(t);
    }
}

void priority_update_refresh(struct ctl *t)
{
    if (!t->priority->stale)
        return;
    priority_all(t);
    if (t->c->pending.n)
        priority_remind(t);
}

static void update_job(struct ctl *t, struct job *j)
{
    if (!priority_counts(t, j) || t->priority->conf.basic)
        return;
    priority_update_refresh(t);
    accrue_job(t, j);
    priority_set(t, j);
    priority_remind(t);
}

void priority_update_changed(struct ctl *t, const struct change *ch)
{
    if (ch->job)
        update_job(t, ch->job);
    else
        t->priority->stale |= t->priority->weighted || ch->kind == CHANGE_ASSOCS_CHANGED ||
                              ch->kind == CHANGE_USAGE_CHANGED;
}

void priority_update_timer(struct ctl *t, const struct timer_entry *e)
{
    t->priority->timer_ms = 0;
    priority_all(t);
    if (t->c->pending.n || ((t->priority->conf.flags & PRIO_RUNNING) && t->c->active.n))
        priority_remind(t);
}

/* priority/basic: one less than the lowest there is, wherever the count of an earlier leader ended. */
static uint32_t next_lowest(struct ctl *t)
{
    size_t pos = 0;
    if (!t->priority->lowest) {
        t->priority->lowest = PRIORITY_TOP + 1;
        for (const struct job *j; (j = map_next(&t->c->jobs, &pos, NULL));)
            if (!j->priority_fixed && j->priority > PRIORITY_TOP / 2)
                t->priority->lowest = MIN(t->priority->lowest, j->priority);
    }
    return t->priority->lowest > 1 ? --t->priority->lowest : 1;
}

uint32_t priority_update_plain(struct ctl *t, const struct job *j)
{
    int64_t n = (int64_t)j->spec->site_factor - j->spec->nice;
    if (t->priority->conf.basic)
        n += next_lowest(t);
    return (uint32_t)MIN(MAX(n, 1), (int64_t)UINT32_MAX - 2);
}

uint32_t priority_update_at_start(const struct ctl *t, const struct job *j)
{
    return job_priority(j) == j->priority ? 0 : job_priority(j);
}

/* ---- sprio ---- */

static void priority_add(const struct ctl *t, const struct job *j, const char *part, struct buf *out)
{
    struct priority_parts f;
    struct priority_given given;
    Pb__PrioJob row = PB__PRIO_JOB__INIT;
    priority_fairshare_given(t, j, &given);
    priority_parts(&t->priority->conf, t->c, &t->priority->whole, j, cluster_part(t->c, part), &given, j->factored_s,
                   &f);
    bool one = !strchr(j->partition, ','), fixed = j->priority_fixed;
    row.job_id = j->id, row.uid = j->uid, row.user_name = j->user_name;
    row.partition = (char *)part, row.account = j->spec->account, row.qos = j->spec->qos;
    row.fixed = fixed;
    row.priority = fixed || one ? job_priority(j) : priority_sum(&t->priority->conf, &f);
    row.site = (int32_t)f.site, row.nice = (int32_t)f.nice;
    if (!fixed) {
        row.n_factor = PRIO_KINDS, row.factor = f.factor;
        row.n_tres = t->priority->conf.ntres, row.tres = f.tres;
    }
    pb_pack_field(out, 1, &row.base);
}

static bool priority_shown(const struct ctl *t, const struct job *j)
{
    return priority_counts(t, j) && job_priority(j) && (!job_pending(j) || priority_ages(j, NOW_S(t)));
}

/* sprio under way: a slice of the jobs in each turn. */
struct prio_list {
    struct ctl *t;
    struct job_filter *filter;
    struct buf out;
    VEC(uint32_t) rest; /* jobs that are still to be looked at ... */
    size_t at;          /* ... from here on */
};

static void prio_list_free(void *work)
{
    struct prio_list *l = work;
    job_filter_free(l->filter);
    buf_clear(&l->out);
    vec_clear(&l->rest);
    free(l);
}

static void prio_list_look(struct prio_list *l, const struct job *j)
{
    const char *pos = j->partition;
    if (!priority_shown(l->t, j) || !job_filter_match(l->t, l->filter, j))
        return;
    for (char *part; (part = str_next(&pos, ",")); free(part))
        if (job_filter_part(l->filter, part))
            priority_add(l->t, j, part, &l->out);
}

static struct prio_list *prio_list_begin(struct ctl *t, struct query_making *m)
{
    struct prio_list *l = NEW(struct prio_list);
    Pb__PrioReply r = PB__PRIO_REPLY__INIT;
    char *names[PRIORITY_TRES_MAX];
    double weights[PRIORITY_TRES_MAX];
    m->work = l;
    m->work_free = prio_list_free;
    l->t = t;
    l->filter = job_filter_new((const Pb__JobQuery *)m->question);
    r.basic = t->priority->conf.basic;
    r.n_weight = PRIO_KINDS, r.weight = t->priority->conf.weight;
    for (uint32_t i = 0; i < t->priority->conf.ntres; i++)
        names[i] = t->priority->conf.tres[i].name, weights[i] = t->priority->conf.tres[i].weight;
    r.n_tres_name = r.n_tres_weight = t->priority->conf.ntres;
    r.tres_name = names, r.tres_weight = weights;
    pb_pack(&l->out, &r.base);
    for (const struct job *j = t->c->pending.head; j; j = j->next)
        vec_push(&l->rest, j->id);
    for (const struct job *j = t->priority->conf.flags & PRIO_RUNNING ? t->c->active.head : NULL; j; j = j->next)
        vec_push(&l->rest, j->id);
    return l;
}

static bool list_priorities(struct ctl *t, struct query_making *m)
{
    struct prio_list *l = m->work ? m->work : prio_list_begin(t, m);
    for (; l->at < l->rest.n; l->at++) {
        const struct job *j = cluster_job(t->c, l->rest.at[l->at]);
        if (l->at % 16 == 15 && stat_clock(t) >= m->until_us)
            return false;
        if (j)
            prio_list_look(l, j);
    }
    pages_add(m->out, &l->out, false);
    return true;
}

void ctl_prio(const struct ctl_call *call)
{
    priority_update_refresh(call->t);
    query_cache_ask(call, MSG_PRIO_REPLY, list_priorities, QUERY_ONCE);
}
