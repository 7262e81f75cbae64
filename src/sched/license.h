/*
 * license - licences over time; only asked where a job requests some.
 */
#ifndef SPUR_SCHED_LICENSE_H
#define SPUR_SCHED_LICENSE_H

#include "sched/oversub.h"

void licenses_sync(struct sched *s, const struct cluster *c);

/* Forget the trials of the last cycle. */
void licenses_reset(struct sched *s);
void licenses_clear(struct sched *s);
void license_running_add(struct sched *s, const struct cluster *c, const struct job *j, int64_t end_s);
void license_running_drop(struct sched *s, uint32_t id);

/* A reservation keeps `count` licences for a time; remove the licences of all reservations. */
void license_reserve(struct sched *s, const struct cluster *c, const char *name, uint64_t count, int64_t from_s,
                     int64_t to_s, uint32_t resv);
void license_unreserve(struct sched *s);

/* Are the licences free from `at_s` on, for the time of the need?  `which` (may be NULL): 1 + the index
 * of the alternative that is free; 0: all that the job requests. */
bool license_fits(const struct sched *s, const struct cluster *c, const struct need *n, int64_t at_s, uint32_t *which);
static inline bool license_lacks(const struct sched *s, const struct cluster *c, const struct need *n, int64_t at_s)
{
    return n->req->licenses.n && !license_fits(s, c, n, at_s, NULL);
}

/* Are they all free now without the jobs for which `gone` is true?  False when in doubt. */
bool license_fits_without(const struct sched *s, const struct cluster *c, const struct need *n, span_gone_fn *gone,
                          void *arg);

/* Take them from `from_s` on, as a trial; returns `which` of license_fits(). */
uint32_t license_trial_add(struct sched *s, const struct cluster *c, const struct need *n, int64_t from_s, uint32_t id);

/* Drop the trial of a job that begins at `from_s`; undo the last trial of a job. */
void license_trial_drop(struct sched *s, uint32_t id, int64_t from_s);
void license_trial_undo(struct sched *s, uint32_t id);

/* The class is blocked: has it become, or ceased to be, because of a licence? */
void license_update_class(struct sched *s, const struct cluster *c, struct job_class *cls);

/* "needs 2 of licence matlab; 1 of 4 matlab is free, job 41 returns 2 at 14:20" */
void license_explain(const struct sched *s, const struct cluster *c, const struct need *n, struct buf *b);

#endif
