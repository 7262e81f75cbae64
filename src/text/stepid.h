/*
 * stepid - one job or one step as users write it: "12", "12_3", "12.0", "12_3.batch".
 */
#ifndef SPUR_TEXT_STEPID_H
#define SPUR_TEXT_STEPID_H

#include <stdbool.h>
#include <stdint.h>

/* Steps without a number, as the records know them. */
#define STEPID_EXTERN 0x7ffffffcu
#define STEPID_BATCH 0x7ffffffbu
#define STEPID_INTERACTIVE 0x7ffffffau

struct stepid {
    uint32_t job, task, step;
    bool has_task, has_step;
};

/* 0, or Slurm's error number for what is wrong with it. */
int stepid_parse(const char *text, struct stepid *out);

#endif
