/*
 * scontrol_listing - the records of an answer, written as they come and put in order at the end.
 */
#ifndef SPUR_CLI_SCONTROL_LISTING_H
#define SPUR_CLI_SCONTROL_LISTING_H

#include "cli/jobref.h"
#include "cli/scontrol.h"
#include "show/job.h"

struct listing_record {
    uint64_t order;
    size_t at, len;
};

struct listing {
    struct scontrol *s;
    struct show_pairs pairs;
    struct show_env env;
    struct buf text;               /* of the records; rows of a document instead with --json */
    VEC(struct listing_record) record;
    const Pb__JobRef *ref;         /* the job that was named; NULL: all */
};

/* Records are rows of `table`; in a document they are the array `key`. */
void listing_init(struct listing *l, struct scontrol *s, const struct jobrefs *refs, const struct show_table *table,
                  const char *key);
void listing_clear(struct listing *l);

/* Ask for the jobs; each(l, message) for each frame. */
int listing_ask(struct listing *l, Pb__JobQuery *query, client_each_fn *each, struct err *err);

/* Add a row of the table. */
void listing_add(struct listing *l, const void *row, uint64_t order);
void listing_print(struct listing *l);
/* Print the document; `backfill`: with the time of the last backfill. */
void listing_document(struct listing *l, bool backfill);

/* Is this row what was named?  A task of a shared record becomes a row of its own. */
bool listing_wants(const struct listing *l, struct job_row *r);

#endif
