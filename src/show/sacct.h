/*
 * sacct - the fields of sacct: a job of the history, or one of its steps.
 *
 * A row is either the job's own line or that of a step.  Most fields belong to one of the two; in the line of the
 * other they are unset.
 */
#ifndef SPUR_SHOW_SACCT_H
#define SPUR_SHOW_SACCT_H

#include "show/job.h"
#include "show/step_usage.h"

/* What holds for all rows. */
struct sacct_env {
    struct show_env show;
    bool exact; /* --noconvert */
    char unit;  /* --units: K, M, G, T, P; 0: none */
    uint32_t (*qos_id)(const char *name); /* numbers of QOS and associations; 0: unknown */
    uint32_t (*assoc_id)(const Pb__Job *j);
};

struct sacct_row {
    struct job_row job;           /* its env is &env->show; its job has a spec */
    const struct sacct_env *env;
    const Pb__Step *step;         /* NULL: the job's own line */
    struct step_usage_row usage;  /* of the step */
    uint64_t user_us, sys_us;     /* of the step, or of all steps of the job */
    Pb__Step *const *steps;       /* of the job, in the order in which they are shown; for documents */
    size_t nsteps;
    const char *script;           /* for documents; NULL: not asked for */
};

extern const struct show_table show_sacct;     /* columns */
extern const struct show_table show_sacct_job; /* --json, --yaml */

/* A row of one step of the job whose row is `job`; names: of the job's nodes. */
void sacct_step_row(struct sacct_row *out, const struct sacct_row *job, const Pb__Step *step);

#endif
