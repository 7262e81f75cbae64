/*
 * policy - in which order jobs of one tier stand.
 *
 * By default it is Slurm's: the higher priority first, then the older.  SpurPolicy=short orders by a moment: when a job
 * came, plus a grace that grows with the time it is still expected to need and, more slowly, with its GPUs.  Small jobs
 * pass big ones, but only those that came not too much earlier: whoever waits comes to the front by waiting, and nobody
 * waits for ever.  The moment does not move while a job waits, so the order need not be made anew.
 *
 * The one in a hundred of whom most is expected waits a week longer.  Backlog has to stand somewhere, and so it makes
 * fewest wait: whoever the few let pass is many.
 *
 * A job that checkpoints and was put back keeps the time it ran: that was no waiting.  The same moment, of jobs that
 * run, says who of them makes room (yield.c).
 *
 * docs/scheduling.md has what it does to traces, and why the grace is what it is.
 */
#include <math.h>

#include "core/runtime_history.h"
#include "sched/het.h"
#include "sched/priority.h"
#include "sched/queue.h"

#define GRACE_S (3 * 3600.0) /* of a job that needs one GPU for an hour */
#define GRACE_POWER 0.7      /* how it grows with time: less than in proportion, or the longest would pay for all */
#define SIZE_POWER 0.5       /* width counts less than time: wide jobs wait longer for their nodes as it is */
#define PATIENCE_S (14 * 86400.0) /* the longest */
#define FEW_POWER 0.65            /* how size counts for who is among the few, */
#define FEW_S                                                                                                          \
    (7 * 86400.0) /* and what they wait for the many; of several nodes less, as they wait for these besides            \
                   */

/* How long it has run so far, in all attempts that count. */
static double job_ran_s(const struct sched *s, const struct job *j)
{
    int64_t now = job_base(j) == JOB_RUNNING ? s->now_s - j->start_s - j->suspended_total_s : 0;
    return (double)(MAX(now, 0) + (job_checkpoints(j) ? j->ran_s : 0));
}

/* What is expected, by the time and its size, as a number of core/runtime_history.h: an eighth of a doubling each. */
static uint32_t usage_number(double left_s, double size)
{
    return 1 + (uint32_t)MIN(8 * log2(1 + left_s / 60 * pow(size, FEW_POWER)), RUNTIME_ESTIMATES - 1.0);
}

uint32_t sched_expected_usage(const struct sched *s, const struct cluster *c, const struct job *j)
{
    if (s->conf.policy != POLICY_SHORT)
        return 0;
    return usage_number(runtime_left_s(c, j, 0), (double)req_size(&j->spec->req));
}

/* An administrator's word (--priority, nice) still moves a job: a point is a minute. */
int64_t policy_key_s(const struct sched *s, const struct cluster *c, const struct job *j)
{
    double ran = job_ran_s(s, j), left_s = runtime_left_s(c, j, ran), size = (double)req_size(&j->spec->req);
    double grace = MIN(GRACE_S * pow(left_s / 3600 * pow(size, SIZE_POWER), GRACE_POWER), PATIENCE_S);
    if (runtime_estimate_rare(c, usage_number(left_s, size)))
        grace += FEW_S / sqrt(MAX(j->spec->req.min_nodes, 1u));
    return j->submit_s + (int64_t)(ran + grace) - ((int64_t)priority_plain(j) - 1) * 60;
}

uint64_t policy_queue_key(const struct sched *s, const struct cluster *c, const struct job *j)
{
    if (s->conf.policy != POLICY_SHORT)
        return (uint64_t) ~(s->conf.het_prio ? het_priority(s, c, j) : job_priority(j)) << 32 | j->id;
    int64_t key_s = policy_key_s(s, c, j);
    return (uint64_t)(uint32_t)MIN(MAX(key_s, 0), (int64_t)UINT32_MAX) << 32 | j->id;
}
