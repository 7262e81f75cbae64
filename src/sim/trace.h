/*
 * trace - what a real cluster was asked to do, as data: arrival, size and run time of each job.
 *
 * Traces rarely contain the time limits that users asked for; a limit model gives each job one, and is stated with
 * every result.
 */
#ifndef SPUR_SIM_TRACE_H
#define SPUR_SIM_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

struct trace_job {
    int64_t arrive_s, run_s; /* arrive_s: from the beginning of the simulation */
    uint32_t gpus, cpus;     /* of the whole job */
    uint32_t limit_min;
    uint32_t user;
    bool checkpoints; /* it can be requeued at any time, at a cost */
};

struct trace {
    VEC(struct trace_job) job; /* by arrival */
};

enum trace_limits {
    LIMITS_LADDER, /* the next of 1 h, 4 h, 12 h, 1 d, 3 d, 7 d, 14 d above the duration; 14 d for jobs that run longer
                    */
    LIMITS_EQUAL,  /* the longest of the trace for every job: limits say nothing */
    LIMITS_LOOSE,  /* as users do: a third as the ladder, a third one or two steps more, a third the longest */
    LIMITS_EXACT,  /* the duration, rounded up to a minute */
    LIMITS_ENOUGH, /* the ladder, and the duration for jobs that run longer: no job overruns */
};

struct trace_conf {
    const char *path;        /* a CSV file, .gz or not */
    double from_day, to_day; /* arrivals between these days; 0, 0: all */
    enum trace_limits limits;
    uint32_t max_jobs;  /* 0: all */
    double checkpoints; /* fraction of the jobs that can be requeued */
    uint64_t seed;      /* for synthetic jobs */
};

/* Columns: job id, arrival s, (ignored), (ignored), GPUs, duration s. */
int trace_load(struct trace *t, const struct trace_conf *conf, struct err *err);
/* Synthetic jobs from a seed: 1 to 512 CPUs, short and long, at `load` of `cpus` for `days`. */
void trace_make_cpu(struct trace *t, const struct trace_conf *conf, uint32_t cpus, double load, double days);
void trace_clear(struct trace *t);

#endif
