/*
 * step_usage - the fields of sstat: what the tasks of a running step use.
 */
#ifndef SPUR_SHOW_STEP_USAGE_H
#define SPUR_SHOW_STEP_USAGE_H

#include "record.pb-c.h"
#include "show/show.h"

struct step_usage_row {
    uint32_t job, step;
    const Pb__Step *record;   /* NULL: the batch script, or an extern step */
    const char *const *names; /* of the nodes that the numbers in `usage` mean */
    size_t nnames;
    const char *nodes;
    const Pb__StepUsage *usage;
    const char *pids;
    bool exact; /* --noconvert */
};

extern const struct show_table show_step_usage;

#endif
