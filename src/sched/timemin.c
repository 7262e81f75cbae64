/*
 * timemin - --time-min: a job that does not fit beside the places kept may begin with a shorter limit.
 *
 * As in Slurm it gets as much as there is room for, no more than it asked for.
 */
#include "sched/sched_priv.h"

#define LONGEST_MIN (366u * 24 * 60)

/* The least time it has to have. */
int64_t least_run_s(const struct need *n)
{
    return n->req->time_min && n->req->time_min < n->limit_min ? (int64_t)n->req->time_min * 60 : need_run_s(n);
}

static bool fits_with(struct sched *s, const struct cluster *c, struct shape *sh, uint32_t minutes, struct pick *out)
{
    uint32_t full = sh->need.limit_min;
    sh->need.limit_min = minutes;
    bool fits = fits_free(s, c, &sh->need, out);
    sh->need.limit_min = full;
    return fits;
}

static uint32_t most_of(const struct sched *s, const struct shape *sh)
{
    uint32_t most = MIN(sh->need.limit_min ? sh->need.limit_min : LONGEST_MIN, LONGEST_MIN);
    int64_t left = sh->deadline_s ? (sh->deadline_s - s->now_s) / 60 : (int64_t)most;
    return (uint32_t)MAX(MIN((int64_t)most, left), (int64_t)0);
}

uint32_t timemin_fit(struct sched *s, const struct cluster *c, struct shape *sh, struct pick *out)
{
    uint32_t least = sh->need.req->time_min, most = most_of(s, sh);
    if (!least || sh->het || least > most || !fits_with(s, c, sh, least, out))
        return 0;
    book_reserve(s, c, sh->tier, sh->rank.at[sh->next]);
    if (!fits_with(s, c, sh, least, out))
        return 0;
    while (least < most) {
        uint32_t half = least + (most - least + 1) / 2;
        if (fits_with(s, c, sh, half, out))
            least = half;
        else
            most = half - 1;
    }
    fits_with(s, c, sh, least, out);
    return least;
}
