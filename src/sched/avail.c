/*
 * avail - what is free on one node at a time, or throughout an interval.
 *
 * Free resources grow when a job ends and shrink only where a planned start begins.  So the minimum over an interval is
 * found at its beginning and at the planned starts within it.
 */
#include "sched/oversub.h"
#include "sched/profile.h"
#include "sched/resv_claim.h"

void avail_at(const struct sched_view *v, const struct node_profile *prof, int64_t at_s, struct avail *out)
{
    if (at_s <= v->s->now_s) {
        *out = prof->now;
        return;
    }
    *out = prof->total;
    for (size_t i = 0; i < prof->running.n; i++)
        if (prof->running.at[i].to_s > at_s)
            avail_subtract(out, &prof->running.at[i]);
    const struct span *sp;
    for (size_t i = 0; (sp = profile_next_span(v, prof, &i));)
        if (sp->from_s <= at_s && sp->to_s > at_s)
            avail_subtract(out, sp);
}

void avail_lower(struct avail *av, const struct avail *by)
{
    av->cpus = MIN(av->cpus, by->cpus);
    av->mem_mb = MIN(av->mem_mb, by->mem_mb);
    for (uint32_t g = 0; g < GRES_MAX; g++)
        av->gres[g] = MIN(av->gres[g], by->gres[g]);
    av->jobs = MAX(av->jobs, by->jobs);
    av->exclusive = MAX(av->exclusive, by->exclusive);
}

/* A span that begins within the interval lowers what is free from then on. */
static void avail_lower_at(const struct sched_view *v, const struct node_profile *prof, const struct span *sp,
                           int64_t from_s, int64_t to_s, struct avail *out)
{
    if (sp->from_s <= from_s || sp->from_s >= to_s)
        return;
    struct avail then;
    avail_at(v, prof, sp->from_s, &then);
    avail_lower(out, &then);
}

bool avail_over(const struct sched_view *v, const struct need *n, uint32_t node, int64_t from_s, int64_t to_s,
                struct avail *out)
{
    const struct node_profile *prof = &v->s->profile[node];
    if (!prof->usable)
        return false;
    if ((prof->claims.n && !v->unreserved) || n->resv)
        return resv_avail(v, n, node, from_s, to_s, out) && avail_for(v, n, node, from_s, to_s, out);
    avail_at(v, prof, from_s, out);
    const struct span *sp;
    for (size_t i = 0; out->cpus && (sp = profile_next_span(v, prof, &i));)
        avail_lower_at(v, prof, sp, from_s, to_s, out);
    return avail_for(v, n, node, from_s, to_s, out);
}
