/*
 * update_job - one job on its way to being changed; the keys are spread over update_job.c and update_more.c.
 */
#ifndef SPUR_CTL_UPDATE_JOB_H
#define SPUR_CTL_UPDATE_JOB_H

#include "core/license.h"
#include "ctl/resize.h"
#include "ctl/spec_edit.h"

struct job_update {
    const struct ctl_call *call;
    struct job *job;
    struct spec_edit edit;
    Pb__JobSpec *spec; /* the copy in `edit`, to be changed */
    bool spec_changed;
    bool who_changed; /* account, QOS or partition */
    Pb__EvUpdate ev;
    struct license_list licenses;
    struct err *err;
    const char *op; /* "=", "+=", "-=" */
    resize_fn *resize; /* running: nodes are to be given away */
    const char *resize_to;
};

typedef int set_fn(struct job_update *c, char *value);

enum job_update_by { BY_OWNER, BY_ADMIN, BY_ADMIN_WAITING }; /* the last: only while the job is pending */

struct job_update_row {
    const char *key; /* NULL: the end */
    set_fn *set;
    enum job_update_by by;
};

extern const struct job_update_row update_more_rows[];

int job_update_code(struct job_update *c, int n);                                /* refuse, in that code's words */
int job_update_pending(struct job_update *c);                                    /* 0 while it waits */
int job_update_text(struct job_update *c, char **field, const char *value);      /* of the spec */
int job_update_number(struct job_update *c, const char *value,
                      uint32_t *field); /* of the spec, at least 1, while it waits */
int job_update_limit(struct job_update *c, uint32_t minutes);                    /* checks that the user may raise it */

#endif
