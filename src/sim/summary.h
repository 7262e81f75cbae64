/* summary - what a policy did to the jobs of a trace, in numbers and as a picture. */
#ifndef SPUR_SIM_SUMMARY_H
#define SPUR_SIM_SUMMARY_H

#include <stdio.h>

#include "sim/drive.h"

#define BIG_GPUS 32 /* jobs whose waits are shown separately */

struct summary {
    const char *name;
    size_t jobs, refused;
    double mean_h, median_h, p99_h;                /* completion: end - arrival */
    double wait_mean_h, wait_median_h, wait_p99_h; /* completion minus run time */
    double wait_max_h, big_wait_p99_h, big_wait_mean_h;
    double used;    /* utilisation, from the first arrival to the last */
    double starved; /* fraction of jobs that waited longer than a week */
    uint64_t preemptions;
    double predicted_h, predicted_p90_h; /* error of the first prediction: median, and 90th percentile */
    double speed;                        /* simulated seconds per second */
};

void summary_make(struct summary *s, const char *name, const struct drive_conf *conf, const struct drive_out *out);
void summary_head(FILE *f);
void summary_line(FILE *f, const struct summary *s);
/* Waits by size: which jobs gained, and which lost. */
void summary_sizes(FILE *f, const struct drive_conf *conf, const struct drive_out *out);
void summary_csv(FILE *f, const struct summary *s, size_t n);
/* Completion and wait as curves, use over time: one SVG for all. */
void summary_svg(FILE *f, const struct summary *s, const struct drive_conf *conf, const struct drive_out *out,
                 size_t n);

#endif
