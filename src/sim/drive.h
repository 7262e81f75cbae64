/*
 * drive - a trace through the real controller on a simulated clock, as fast as possible.
 *
 * Decisions are real: ctl, core and sched handle requests, events and plans as in the daemon.  There is no network, no
 * disk and no fault: nodes run each job for as long as the trace says.
 */
#ifndef SPUR_SIM_DRIVE_H
#define SPUR_SIM_DRIVE_H

#include "sim/trace.h"

struct drive_job {
    int64_t first_s, end_s; /* first start and end; -1: never */
    uint32_t starts;
    bool refused;
};

struct drive_conf {
    const struct trace *trace;
    uint32_t nodes, gpus, cpus; /* GPUs and CPUs of each node */
    uint32_t save_s;            /* cost of a requeue: the job saves its state for this long */
    const char *lines;          /* further lines of slurm.conf: the policy */
    bool watch;                 /* print progress to stderr */
};

struct drive_sample { /* utilisation from this time on */
    int64_t at_s;
    uint32_t busy;    /* GPUs, or CPUs when there are none */
    uint32_t waiting; /* jobs */
};

struct drive_out {
    struct drive_job *job; /* same index as the trace */
    VEC(struct drive_sample) sample;
    uint64_t turns, preemptions;
    int64_t last_s;   /* when the last job ended */
    double predicted; /* median error of the first prediction of a start, seconds */
    double predicted_p90;
    double wall_s; /* real time of the simulation */
};

int drive_run(const struct drive_conf *conf, struct drive_out *out, struct err *err);
void drive_clear(struct drive_out *out);

#endif
