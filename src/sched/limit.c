/*
 * limit - limits of QOS and associations, checked before a start.
 *
 * Jobs under different limits are in different classes, so a limit that stops one job stops its class: no job of it is
 * tried again in this cycle, and none gets a planned start.  Starts of this cycle count at once.  The holders of the
 * limits of a class are looked up once, and again when anything may have changed.
 */
#include "sched/limit.h"
#include "base/str.h"
#include "core/limits.h"
#include "sched/queue.h"

/* Usage was charged, or has decayed: classes that wait for it are tested again. */
static void limit_retry_classes(struct sched *s)
{
    for (size_t i = 0; i < s->classes.n; i++)
        s->classes.at[i]->changed |= s->classes.at[i]->state == CLASS_LIMITED;
}

void limit_begin_cycle(struct sched *s, const struct cluster *c)
{
    uint64_t serial = limits_any(c) ? c->limits->serial : 0;
    s->limits = s->conf.limits && serial;
    limit_usage_clear(&s->limit_started);
    if (s->limits && s->limit_charged_s != c->charged_s)
        limit_retry_classes(s);
    s->limit_charged_s = c->charged_s;
    s->limit_round += serial && (s->resync || s->cluster != c);
    if (serial == s->limit_serial)
        return;
    s->limit_serial = serial; /* jobs may belong to other classes now */
    s->limit_round++;
    s->resync = true;
    s->cluster = NULL;
}

uint32_t limit_lifted(const struct cluster *c, const struct job *j)
{
    const struct qos *q = limits_any(c) ? limits_qos(c, j->spec->qos) : NULL;
    return q ? q->pb->flags & (QOS_PART_TIME | QOS_PART_MAX_NODES | QOS_PART_MIN_NODES) : 0;
}

void limit_signature(const struct sched *s, const struct cluster *c, const struct job *j, const struct part *p,
                     struct buf *key)
{
    if (!limits_any(c))
        return;
    uint32_t lifts = limit_lifted(c, j);
    buf_add(key, &lifts, sizeof(lifts));
    if (!s->conf.limits)
        return;
    struct holders h;
    limits_holders(c, j, p, &h);
    uint32_t numbers[] = { h.uid,
                           h.nassoc ? h.assoc[0]->pb->id : 0,
                           h.nqos ? h.qos[0]->pb->id : 0,
                           h.nqos > 1 ? h.qos[1]->pb->id : 0,
                           h.own ? h.own->pb->id : 0,
                           h.account };
    buf_add(key, numbers, sizeof(numbers));
}

static const struct holders *holders_of(const struct sched *s, const struct cluster *c, struct job_class *cls,
                                        const struct job *j)
{
    if (cls->holders_round != s->limit_round) {
        limits_holders(c, j, c->part.at[cls->need.part], &cls->holders);
        cls->holders_round = s->limit_round;
    }
    return &cls->holders;
}

void limit_set_class(struct sched *s, struct job_class *cls, enum why_code limited)
{
    for (size_t i = cls->head; cls->limited != limited && i < cls->keys.n; i++)
        vec_push(&s->why_changed, queue_key_id(cls->keys.at[i]));
    cls->limited = limited;
}

static bool limit_stops(struct sched *s, const struct cluster *c, struct job_class *cls, const struct job *j,
                        const struct limit_ask *ask)
{
    limit_set_class(s, cls, limits_block(c, &s->limit_started, holders_of(s, c, cls, j), ask));
    return cls->limited != WHY_NONE;
}

/* What the job gets at least, on any nodes. */
static void least_tres(const struct req *r, struct tres_list *out)
{
    tres_set(out, "cpu", req_cpus(r));
    tres_set(out, "node", MAX(r->min_nodes, 1u));
    for (uint32_t i = 0; i < r->ngres; i++) {
        auto_free char *name = mem_printf("gres/%s", r->gres[i].name);
        uint32_t times = r->gres[i].scope == REQ_PER_NODE   ? MAX(r->min_nodes, 1u)
                         : r->gres[i].scope == REQ_PER_TASK ? req_tasks(r)
                                                            : 1;
        tres_add(out, name, r->gres[i].count * times);
    }
}

/* A job that requests more than is left gets no planned start, and no job is preempted for it. */
bool limit_check_request(struct sched *s, const struct cluster *c, struct job_class *cls, const struct job *j)
{
    auto_tres struct tres_list least = TRES_INIT;
    least_tres(cls->need.req, &least);
    struct limit_ask ask = {
        .tres = &least, .limit_min = cls->need.limit_min, .now_s = s->now_s, .least = true, .safe = s->conf.limits_safe
    };
    return limit_stops(s, c, cls, j, &ask);
}

bool limit_check_alloc(struct sched *s, const struct cluster *c, struct job_class *cls, const struct need *n,
                       const struct job *j, const struct alloc *a)
{
    auto_tres struct tres_list all = TRES_INIT, most = TRES_INIT;
    limits_tres(c, c->part.at[n->part], a, &all);
    limits_node_tres(c, a, &most);
    struct limit_ask ask = {
        .tres = &all, .node_tres = &most, .limit_min = n->limit_min, .now_s = s->now_s, .safe = s->conf.limits_safe
    };
    return limit_stops(s, c, cls, j, &ask);
}

void limit_add_start(struct sched *s, const struct cluster *c, struct job_class *cls, const struct need *n,
                     const struct job *j, const struct alloc *a)
{
    auto_tres struct tres_list all = TRES_INIT;
    limits_tres(c, c->part.at[n->part], a, &all);
    limit_usage_start(&s->limit_started, holders_of(s, c, cls, j), &all, n->limit_min);
}

void limit_remove_start(struct sched *s, const struct cluster *c, struct job_class *cls, const struct need *n,
                        const struct job *j, const struct alloc *a)
{
    auto_tres struct tres_list all = TRES_INIT;
    limits_tres(c, c->part.at[n->part], a, &all);
    limit_usage_unstart(&s->limit_started, holders_of(s, c, cls, j), &all, n->limit_min);
}

/* MinPrioThreshold: a job below it may start but gets no planned start. */
static bool priority_too_low(const struct cluster *c, const struct job *j)
{
    struct holders h;
    const char *pos = j->partition;
    auto_free char *first = str_next(&pos, ",");
    limits_holders(c, j, cluster_part(c, first), &h);
    uint64_t least = limits_of(&h, LIMIT_MIN_PRIO, LIMIT_JOB, NULL);
    return least != LIMIT_NONE && job_priority(j) < least;
}

/* The QOS flag NoReserve does the same for all jobs of the QOS. */
bool limit_denies_planned_start(const struct sched *s, const struct cluster *c, const struct job *j)
{
    const struct qos *q = s->limits ? limits_qos(c, j->spec->qos) : NULL;
    return (q && (q->pb->flags & QOS_NO_RESERVE)) || (s->limits && c->limits->least_prio && priority_too_low(c, j));
}

char *limit_explain(const struct cluster *c, const struct job *j, const struct part *p, int64_t now_s)
{
    struct holders h;
    auto_tres struct tres_list least = TRES_INIT;
    limits_holders(c, j, p, &h);
    least_tres(&j->spec->req, &least);
    struct limit_ask ask = { .tres = &least, .limit_min = j->time_limit_min, .least = true, .now_s = now_s };
    return limits_tell(c, &h, &ask, j->why.code);
}
