/*
 * drive - a trace through the real controller on a pretend clock, as fast as it goes.
 *
 * What decides is the real thing: requests are decided, events applied, plans made by ctl, core and sched as in the
 * daemon.  There is no network, no disk and no fault: nodes run what was started for as long as the trace says.
 */
#ifndef SPUR_SIM_DRIVE_H
#define SPUR_SIM_DRIVE_H

#include "sim/trace.h"

struct drive_job {
    int64_t first_s, end_s; /* began for the first time, ended; -1: never */
    uint32_t starts;
    bool refused;
};

struct drive_conf {
    const struct trace *trace;
    uint32_t nodes, gpus, cpus; /* gpus and cpus of each node */
    uint32_t save_s;            /* what it costs a job to be put back: it saves what it has for so long */
    const char *lines;          /* more lines of slurm.conf: the policy */
    bool watch;                 /* tell on stderr how far it is */
};

struct drive_sample { /* how full it was, from this moment on */
    int64_t at_s;
    uint32_t busy;      /* GPUs, or CPUs when there are none */
    uint32_t waiting;   /* jobs */
};

struct drive_out {
    struct drive_job *job; /* as in the trace */
    VEC(struct drive_sample) sample;
    uint64_t turns, preemptions;
    int64_t last_s;     /* when the last job ended */
    double predicted;   /* median error of the first prediction of a start, seconds */
    double predicted_p90;
    double wall_s;      /* how long all that took here */
};

int drive_run(const struct drive_conf *conf, struct drive_out *out, struct err *err);
void drive_clear(struct drive_out *out);

#endif
