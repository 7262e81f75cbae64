/*
 * policy - the order of jobs within a tier.
 *
 * The default is Slurm's: higher priority first, then older jobs.  SpurPolicy=short orders by a time: the submission,
 * plus a grace period that grows with the expected remaining run time and, more slowly, with the GPUs of the job.
 * Small jobs pass large ones, but only those that were not submitted much earlier: every job gets to the front by
 * waiting.  The time does not change while a job is pending, so the queue need not be sorted again.
 *
 * The one percent of jobs with the largest expected usage wait up to a week longer.  Some jobs have to make up the
 * backlog; if these do, the fewest jobs wait.
 *
 * A job that checkpoints and was requeued keeps the time it ran, which was not waiting.  The same time, for running
 * jobs, decides which of them yield (yield.c).
 *
 * docs/scheduling.md shows what the policy does to traces, and why the grace period is what it is.
 */
#include <math.h>

#include "core/runtime_history.h"
#include "sched/het.h"
#include "sched/priority.h"
#include "sched/queue.h"

#define GRACE_S (3 * 3600.0) /* grace period of a job that needs one GPU for one hour */
#define GRACE_POWER 0.7 /* growth with time: less than proportional, or the longest jobs would pay for all others */
#define SIZE_POWER 0.5  /* size counts less than time: wide jobs wait longer for nodes anyway */
#define PATIENCE_S (14 * 86400.0) /* upper bound of the grace period */
#define FEW_POWER 0.65            /* how size counts for the largest one percent, */
#define FEW_S                                                                                                          \
    (7 * 86400.0) /* and how much longer they wait; less with several nodes, for which they wait in addition */

/* Run time so far, in all attempts that count. */
static double job_ran_s(const struct sched *s, const struct job *j)
{
    int64_t now = job_base(j) == JOB_RUNNING ? s->now_s - j->start_s - j->suspended_total_s : 0;
    return (double)(MAX(now, 0) + (job_checkpoints(j) ? j->ran_s : 0));
}

/* The expected usage, from time and size, as a number of core/runtime_history.h: an eighth of a doubling each. */
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

/* --priority and nice still move a job: one point is one minute. */
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
