/*
 * trace - what a real cluster was once asked to do, as data: who came when, asked for how much, ran how long.
 *
 * Traces rarely carry the limits that users asked for; a limit model gives each job one, and is stated with every result.
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
    bool checkpoints;        /* it can be put back at any time, at a cost */
};

struct trace {
    VEC(struct trace_job) job; /* by arrival */
};

enum trace_limits {
    LIMITS_LADDER, /* the next of 1 h, 4 h, 12 h, 1 d, 3 d, 7 d, 14 d above the duration; 14 d for those that run longer */
    LIMITS_EQUAL,  /* the longest of the trace for everybody: nothing can be learned from it */
    LIMITS_LOOSE,  /* as people do: a third as the ladder, a third a step or two more, a third the longest */
    LIMITS_EXACT,  /* the duration, to the minute above */
    LIMITS_ENOUGH, /* the ladder, and the duration for those that run longer: nobody overruns */
};

struct trace_conf {
    const char *path;           /* a CSV file, .gz or not; columns as the kind has them */
    double from_day, to_day;    /* arrivals in between; 0, 0: all */
    enum trace_limits limits;
    uint32_t max_jobs;          /* 0: all */
    double checkpoints;         /* share of the jobs that can be put back */
    uint64_t seed;              /* for jobs that are made up */
};

/* Columns: job id, arrival s, (ignored), (ignored), GPUs, duration s. */
int trace_load(struct trace *t, const struct trace_conf *conf, struct err *err);
/* Made up from a seed: jobs of 1 to 512 CPUs, short and long, at `load` of `cpus` for `days`. */
void trace_make_cpu(struct trace *t, const struct trace_conf *conf, uint32_t cpus, double load, double days);
void trace_clear(struct trace *t);

#endif
