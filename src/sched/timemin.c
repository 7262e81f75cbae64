/*
 * timemin - --time-min: a job that does not fit beside the planned starts may start with a shorter limit.
 *
 * As in Slurm it gets the longest limit that fits, at most its own.
 */
#include "sched/fit.h"
#include "sched/need.h"
#include "sched/planned.h"

#define LONGEST_MIN (366u * 24 * 60)

int64_t need_least_run_s(const struct need *n)
{
    return n->req->time_min && n->req->time_min < n->limit_min ? (int64_t)n->req->time_min * 60 : need_run_s(n);
}

static bool timemin_fits(struct sched *s, const struct cluster *c, struct job_class *cls, uint32_t minutes,
                         struct pick *out)
{
    struct need shorter = cls->need;
    shorter.limit_min = minutes;
    return fits_now(s, c, &shorter, out);
}

static uint32_t timemin_longest(const struct sched *s, const struct job_class *cls)
{
    uint32_t most = MIN(cls->need.limit_min ? cls->need.limit_min : LONGEST_MIN, LONGEST_MIN);
    int64_t left = cls->deadline_s ? (cls->deadline_s - s->now_s) / 60 : (int64_t)most;
    return (uint32_t)MAX(MIN((int64_t)most, left), (int64_t)0);
}

uint32_t timemin_fit(struct sched *s, const struct cluster *c, struct job_class *cls, struct pick *out)
{
    uint32_t least = cls->need.req->time_min, most = timemin_longest(s, cls);
    if (!least || cls->het || least > most || !timemin_fits(s, c, cls, least, out))
        return 0;
    planned_queue_extend(s, c, cls->tier, cls->keys.at[cls->next]);
    if (!timemin_fits(s, c, cls, least, out))
        return 0;
    while (least < most) {
        uint32_t half = least + (most - least + 1) / 2;
        if (timemin_fits(s, c, cls, half, out))
            least = half;
        else
            most = half - 1;
    }
    timemin_fits(s, c, cls, least, out);
    return least;
}
