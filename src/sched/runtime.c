/*
 * runtime - how long a job will probably run on, from the history of jobs like it (core/runtime_history.h).
 *
 * Most jobs end early, and a job that has run for a day will probably run for another.  So the expected remaining time
 * depends on how long the job has run.  A narrow class of similar jobs counts as far as it has enough samples.
 */
#include <math.h>

#include "core/runtime_history.h"
#include "sched/queue.h"

#define PRIOR 3           /* samples at which a class counts as much as the wider one */
#define UNKNOWN_S 86400.0 /* expected of a job without limit or history */

/* Of the jobs of the class that ran longer than `ran_s`: their number, and the sum of their remaining times.  Within a
 * bucket they are taken to be spread evenly. */
static double runtime_left_of_class(const struct runtime_class *p, double ran_s, double *n)
{
    uint32_t b = runtime_bucket((int64_t)ran_s);
    double from = (double)runtime_bucket_start_s(b), to = (double)runtime_bucket_start_s(b + 1), sum = 0;
    *n = 0;
    if (p->n[b] && ran_s > 0) {
        double share = MAX(to - ran_s, 0.0) / (to - from);
        *n = p->n[b] * share / RUNTIME_ONE;
        sum = *n * (to - ran_s) / 2;
        b++;
    }
    for (; b < RUNTIME_BUCKETS; b++) {
        *n += (double)p->n[b] / RUNTIME_ONE;
        sum += (double)p->sum_s[b] / RUNTIME_ONE - (double)p->n[b] / RUNTIME_ONE * ran_s;
    }
    return sum;
}

double runtime_left_s(const struct cluster *c, const struct job *j, double ran_s)
{
    uint64_t key[RUNTIME_CLASS_KEYS];
    double limit = j->time_limit_min == INFINITE_MIN || !j->time_limit_min ? INFINITY : j->time_limit_min * 60.0;
    double mean = MAX(ran_s, UNKNOWN_S); /* without history: as long again */
    mean = MIN(mean, limit);
    runtime_class_keys(j, key);
    for (uint32_t i = 0; i < RUNTIME_CLASS_KEYS; i++) {
        const struct runtime_class *p = runtime_class_find(c, key[i]);
        double n, sum = p ? runtime_left_of_class(p, ran_s, &n) : 0;
        if (p)
            mean = (sum + mean * PRIOR) / (n + PRIOR);
    }
    return MIN(mean, limit);
}
