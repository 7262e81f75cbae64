/*
 * scontrol_listing - the records of an answer, written as they come and put in order at the end.
 */
#ifndef SPUR_CLI_SCONTROL_LISTING_H
#define SPUR_CLI_SCONTROL_LISTING_H

#include "cli/fields_job.h"
#include "cli/jobref.h"
#include "cli/scontrol.h"

struct listing_record {
    uint64_t order;
    size_t at, len;
};

struct listing {
    struct scontrol *s;
    struct job_show show;
    struct buf text;
    VEC(struct listing_record) record;
    const Pb__JobRef *ref;         /* the job that was named; NULL: all */
};

void listing_init(struct listing *l, struct scontrol *s, const struct jobrefs *refs);
void listing_clear(struct listing *l);

/* Ask for the jobs; each(l, message) for each frame. */
int listing_ask(struct listing *l, Pb__JobQuery *query, client_each_fn *each, struct err *err);

/* The text from `at` on is a record. */
void listing_add(struct listing *l, size_t at, uint64_t order);
void listing_print(struct listing *l);

/* Is this row what was named?  A task of a shared record becomes a row of its own. */
bool listing_wants(const struct listing *l, struct job_row *r);

#endif
