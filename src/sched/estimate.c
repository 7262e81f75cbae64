/*
 * estimate - when and where would one job start?
 */
#include "base/str.h"
#include "sched/fit.h"
#include "sched/need.h"
#include "sched/planned.h"
#include "sched/queue.h"
#include "sched/resv_claim.h"
#include "sched/why.h"

int64_t estimate_start(struct sched *s, const struct cluster *c, const struct job *j, struct need *n, struct pick *out)
{
    uint32_t tier = c->part.at[n->part]->pb->priority_tier;
    enum why_code unschedulable = need_unschedulable(s, c, n);
    if (unschedulable != WHY_NONE && !(unschedulable == WHY_RESERVATION && n->resv)) /* the reservation will begin */
        return 0;
    uint64_t key = policy_queue_key(s, c, j) | (j->id ? 0 : UINT32_MAX);
    planned_queue_extend(s, c, tier, key + (j->id != 0)); /* including the job's own, if it is pending */
    s->planned_ahead = planned_current(s, planned_before(s, tier, key));
    const struct planned_start *ps = planned_find(s, j->id);
    if (ps && !ps->cls->het && ps->cls->need.part == n->part && ps->cls->need.resv == n->resv) {
        planned_load_pick(ps, out);
        return ps->at_s;
    }
    return backfill_start_s(s, c, n, out);
}

/* The earliest start in one partition, inside or outside of reservations. */
static int64_t estimate_in_part(struct sched *s, const struct cluster *c, const struct job *j, const struct part *part,
                                int64_t now_s, struct pick *best)
{
    struct resv_choice in[RESV_CHOICES] = { { NULL, false } };
    int64_t soonest = 0;
    plan_begin(s, c, now_s);
    size_t k = s->nresv || j->spec->req.reservation ? resv_choices(s, c, j, part, in) : 1;
    for (size_t i = 0; i < k; i++) {
        struct req one = resv_req(j, in[i].resv);
        struct need n;
        struct pick p = { 0 };
        if (i)
            plan_begin(s, c, now_s);
        need_init(&n, s, c, &one, j, part);
        n.magnetic = in[i].magnetic;
        int64_t at = estimate_start(s, c, j, &n, &p);
        need_clear(&n);
        bool sooner = at && (!soonest || at < soonest);
        soonest = sooner ? at : soonest;
        vec_clear(sooner ? &best->at : &p.at);
        if (sooner)
            *best = p;
    }
    return soonest;
}

int64_t sched_estimate(struct sched *s, const struct cluster *c, const struct job *job, int64_t now_s,
                       struct bitmap *nodes)
{
    int64_t soonest = 0;
    const char *pos = job->partition;
    struct pick p = { 0 };
    int64_t from_s = MAX(now_s, job->eligible_s);
    for (char *name; (name = str_next(&pos, ",")); free(name)) {
        const struct part *part = cluster_part(c, name);
        int64_t at = part ? estimate_in_part(s, c, job, part, now_s, &p) : 0;
        if (!at || (soonest && at >= soonest))
            continue;
        soonest = at;
        if (nodes)
            bitmap_zero(nodes);
        for (size_t i = 0; nodes && i < p.at.n; i++)
            bitmap_set(nodes, p.at.at[i].node);
    }
    vec_clear(&p.at);
    return soonest ? MAX(soonest, from_s) : 0;
}
