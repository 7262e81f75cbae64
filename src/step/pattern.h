/*
 * pattern - names of a job's files: "slurm-%A_%a.out" and what it stands for here.
 *
 * %% %A %a %b %J %j %N %n %s %t %u %x; a number between the percent sign and a numeric letter pads with zeros.  A
 * backslash anywhere in the name switches all of that off, and the backslashes themselves are dropped.
 */
#ifndef SPUR_STEP_PATTERN_H
#define SPUR_STEP_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

struct pattern_facts {
    uint32_t job_id;
    bool batch; /* the batch script: %s is "batch", %J the job alone */
    uint32_t step_id;
    uint32_t array_job; /* %A; 0: not an array */
    bool has_task;
    uint32_t array_task;
    uint32_t node_index; /* %n: index of this node in the step */
    uint32_t rank;       /* %t: rank of the task */
    const char *node, *user, *job_name;
};

/* The expanded name.  The caller frees it. */
char *pattern_expand(const char *name, const struct pattern_facts *f);

#endif
