/*
 * runtime_history - how long jobs ran, by classes of similar jobs.
 *
 * The widest class holds the jobs of one kind (with or without GPUs); each narrower class takes one more property into
 * account: size, time limit, user, account, name, script.  A class counts its jobs by run time, in buckets that double
 * from one minute on.  Old runs lose weight, and when there are too many classes those go in which no job has ended
 * for the longest time.
 *
 * The history follows from the events alone, so every controller has the same one and a new leader estimates as the
 * old one did.  It is kept only where the configuration asks for it (SpurPolicy=short).
 */
#ifndef SPUR_CORE_RUNTIME_HISTORY_H
#define SPUR_CORE_RUNTIME_HISTORY_H

#include "base/buf.h"
#include "core/cluster.h"

#define RUNTIME_BUCKETS 20        /* up to a year */
#define RUNTIME_ONE 256u          /* weight of a run that has just ended */
#define RUNTIME_CLASSES_MAX 65536

struct runtime_class {
    uint64_t key, serial; /* serial: classes in the order in which they were first seen */
    bool snap_queued;     /* its snapshot bytes are stale */
    uint32_t seen; /* weight of all runs, in RUNTIME_ONEs */
    int64_t last_s; /* end of the latest run */
    uint32_t n[RUNTIME_BUCKETS];
    uint64_t sum_s[RUNTIME_BUCKETS];
};

/* From the widest class to the narrowest. */
enum {
    RUNTIME_KEY_KIND,
    RUNTIME_KEY_SIZE,
    RUNTIME_KEY_LIMIT,
    RUNTIME_KEY_USER,
    RUNTIME_KEY_ACCOUNT,
    RUNTIME_KEY_NAME,
    RUNTIME_KEY_SCRIPT,
    RUNTIME_CLASS_KEYS
};
void runtime_class_keys(const struct job *j, uint64_t out[static RUNTIME_CLASS_KEYS]);
const struct runtime_class *runtime_class_find(const struct cluster *c,
                                               uint64_t key); /* NULL: no job of it has ended */

/* An estimate is a number from 1 to RUNTIME_ESTIMATES that grows with the work expected of a job when it starts (the
 * leader makes it, EvStart carries it).  Rare: at most one start in a hundred had one as large. */
bool runtime_estimate_rare(const struct cluster *c, uint32_t estimate);

/* The start of a bucket, and the bucket of a run time. */
int64_t runtime_bucket_start_s(uint32_t bucket);
uint32_t runtime_bucket(int64_t run_s);

/* ---- for core itself ---- */
void runtime_history_ended(struct cluster *c, const struct job *j); /* does nothing where no history is kept */
void runtime_history_began(struct cluster *c, uint32_t estimate);
void runtime_history_config(struct cluster *c, bool learns);        /* false: drops everything */
/* Append one class as that field; returns its mark that its bytes are stale, NULL when there is no such class. */
bool *runtime_class_encode(const struct cluster *c, uint64_t serial, struct buf *out, uint32_t field);
int runtime_history_decode(struct cluster *c, const Pb__Snapshot *s, struct err *err);

#endif
