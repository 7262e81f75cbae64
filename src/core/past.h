/*
 * past - how long jobs ran, by classes of jobs that are alike.
 *
 * Jobs are alike when they are of one size; more so when they ask for the same limit, are of the same user, account,
 * name and script.  Of each class it is remembered how many ran how long, by doublings of a minute.  What is long past
 * counts less and less, and of too many classes those go in which nothing ended for the longest time.
 *
 * It follows from the events alone: every controller knows the same, and a new leader expects what the old one did.
 * Nothing is remembered unless the configuration asks for it.
 */
#ifndef SPUR_CORE_PAST_H
#define SPUR_CORE_PAST_H

#include "base/buf.h"
#include "core/cluster.h"

#define PAST_BUCKETS 20 /* up to a year */
#define PAST_ONE 256u   /* a run that has just ended counts so much */
#define PAST_MOST 65536 /* classes that are remembered */

struct past {
    uint64_t key, serial; /* serial: classes in the order in which they were first seen */
    bool snap_queued;     /* its snapshot bytes are stale */
    uint32_t seen; /* in PAST_ONEs, as all of it is */
    int64_t last_s; /* when one ended last */
    uint32_t n[PAST_BUCKETS];
    uint64_t sum_s[PAST_BUCKETS];
};

/* From the widest class to the narrowest: each takes one more word into account. */
enum { PAST_KIND, PAST_SIZE, PAST_LIMIT, PAST_USER, PAST_ACCOUNT, PAST_NAME, PAST_SCRIPT, PAST_CLASSES };
void past_keys(const struct job *j, uint64_t out[static PAST_CLASSES]);
const struct past *past_find(const struct cluster *c, uint64_t key); /* NULL: nothing is known */

/* What was expected of jobs when they began: numbers from 1 to PAST_NEEDS that grow with it, as the leader found them. */
bool past_few(const struct cluster *c, uint32_t need); /* of a hundred that began one at most needed as much */

/* How big a job is: its GPUs, or its CPUs where it has none. */
uint64_t past_size(const struct req *r);

/* Where a doubling begins, and into which a run falls. */
int64_t past_from_s(uint32_t bucket);
uint32_t past_bucket(int64_t run_s);

/* ---- for core itself ---- */
void past_ended(struct cluster *c, const struct job *j); /* costs nothing where nothing is remembered */
void past_began(struct cluster *c, uint32_t need);
void past_config(struct cluster *c, bool learns);        /* false: forgets all */
/* Append one class as that field; returns its mark that its bytes are stale, NULL when there is no such class. */
bool *past_encode(const struct cluster *c, uint64_t serial, struct buf *out, uint32_t field);
int past_decode(struct cluster *c, const Pb__Snapshot *s, struct err *err);

#endif
