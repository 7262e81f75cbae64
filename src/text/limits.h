/*
 * limits - Slurm's limits of a QOS or an association as text: "MaxJobsPerUser=4", "GrpTRES=cpu=64,gres/gpu=8".
 *
 * A limit is of a kind: what is counted (running jobs, TRES, minutes...) and whose (the whole holder's, one user's, one
 * account's, one job's, one node's).  The table in limits.c has a row for each kind, with its name at a QOS and at an
 * association.
 */
#ifndef SPUR_TEXT_LIMITS_H
#define SPUR_TEXT_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

enum limit_what {
    LIMIT_JOBS,     /* that run */
    LIMIT_SUBMIT,   /* that run or wait */
    LIMIT_TRES,     /* held by running jobs */
    LIMIT_MIN_TRES, /* at least so much */
    LIMIT_MINS,     /* TRES-minutes, past and present */
    LIMIT_RUN_MINS, /* TRES-minutes that running jobs may still use */
    LIMIT_WALL,     /* minutes */
    LIMIT_ACCRUE,   /* jobs that grow older while they wait */
    LIMIT_MIN_PRIO, /* jobs of this priority have a planned start */
    LIMIT_WHATS
};

enum limit_scope { LIMIT_GROUP, LIMIT_USER, LIMIT_ACCOUNT, LIMIT_JOB, LIMIT_NODE, LIMIT_SCOPES };

struct limit {
    uint32_t what, scope;
    char *tres; /* NULL where no TRES is meant */
    uint64_t max;
};

struct limit_list {
    struct limit *at;
    size_t n, cap;
};

#define LIMIT_NONE UINT64_MAX /* -1: no limit; takes one away */

void limit_list_clear(struct limit_list *l); /* free; reusable after */

/* Is it the name of a limit?  Of one whose value is a list of TRES? */
bool limit_known(const char *key, bool qos);
bool limit_is_tres(const char *key, bool qos);

/* "KEY", "VALUE" into the list, over what is there; EINVAL names what is wrong. */
int limit_parse(const char *key, const char *value, bool qos, struct limit_list *into, struct err *err);

void limit_set(struct limit_list *l, enum limit_what what, enum limit_scope scope, const char *tres, uint64_t max);
/* LIMIT_NONE when there is none. */
uint64_t limit_get(const struct limit_list *l, enum limit_what what, enum limit_scope scope, const char *tres);

/* ":KEY=VALUE" for each kind that has any, as sacctmgr dumps it; yours. */
char *limit_text(const struct limit_list *l, bool qos);

#endif
