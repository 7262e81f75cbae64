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
    char unit;  /* K, M, G, T, P: amounts in this unit; 0: the largest that loses nothing */
};

/* A field is a part of a metric: `at` of its row holds both. */
enum step_metric { METRIC_CPU, METRIC_RSS, METRIC_VM, METRIC_PAGES, METRIC_READ, METRIC_WRITE, METRIC_METRICS };
enum step_part {
    PART_AVE, PART_MAXIMUM, PART_MAX_NODE, PART_MAX_TASK, PART_MINIMUM, PART_MIN_NODE, PART_MIN_TASK,
    PART_TOTAL,
};
#define USAGE_OF(metric, part) .at = (metric) * 16 + (part)
#define USAGE_METRIC(f) ((enum step_metric)((f)->at / 16))
#define USAGE_PART(f) ((enum step_part)((f)->at % 16))

uint64_t step_usage_part(const struct step_usage_row *r, enum step_metric which, enum step_part p);
/* In seconds, bytes or pieces. */
int64_t step_usage_amount(const struct step_usage_row *r, enum step_metric which, enum step_part p);
const char *step_usage_node(const struct step_usage_row *r, enum step_metric which, enum step_part p);
/* The TRES number `i` of those that came in, or went out, and its metric (negative: none, always 0); false: no more. */
bool step_usage_tres(bool went_out, size_t i, const char **name, int *metric);
/* "cpu=00:00:01,energy=0,...": all metrics that came in, or went out. */
void step_usage_put_tres(struct buf *out, const struct step_usage_row *r, bool went_out, enum step_part p);

extern const struct show_table show_step_usage;

#endif
