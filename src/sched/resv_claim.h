/*
 * resv_claim - what reservations keep of the nodes, and from which jobs.
 */
#ifndef SPUR_SCHED_RESV_CLAIM_H
#define SPUR_SCHED_RESV_CLAIM_H

#include "sched/fit.h"

#define RESV_CHOICES 32 /* reservations that one job may start in */

struct resv_choice {
    const struct resv *resv; /* NULL: outside of all reservations */
    bool magnetic;           /* the job did not ask for it */
};

/* Where the job may start in a partition, in the order in which it is tried; 0: its reservation does not exist. */
size_t resv_choices(const struct sched *s, const struct cluster *c, const struct job *j, const struct part *p,
                    struct resv_choice out[static RESV_CHOICES]);

/* May this job use the reservation now, whatever applied when it was submitted? */
bool resv_usable_by(const struct sched *s, const struct resv *r, const struct job *j, const struct part *p);

/* The first existing one of a list of names. */
const struct resv *resv_of(const struct cluster *c, const char *names);

/* Nodes or reservations changed. */
void resv_sync(struct sched *s, const struct cluster *c);
void resv_begin_cycle(struct sched *s, const struct cluster *c);
void resv_claims_clear(struct node_profile *prof);
enum why_code resv_unschedulable(const struct need *n);
bool resv_avail(const struct sched_view *v, const struct need *n, uint32_t node, int64_t from_s, int64_t to_s,
                struct avail *out);

/* FLEX: as many of the reservation's own nodes as possible. */
bool resv_fits_preferred(const struct sched_view *v, const struct cluster *c, const struct need *n, struct pick *out);

/* Does the reservation admit jobs that it may preempt (--signal=R: and MaxStartDelay)? */
bool resv_admits_preemptible(const struct resv *r, const struct req *q);

/* Is the node closed to a job that would preempt? */
bool resv_closed(const struct sched *s, const struct need *n, uint32_t node);

/* Lower `av` to the most that the reservation of the need ever has on the node. */
void resv_cap(const struct need *n, const struct node *node, const struct node_profile *prof, struct avail *av);

/* Add the cores that the need cannot have in that time. */
void resv_add_busy_cores(const struct sched *s, const struct need *n, uint32_t node, int64_t from_s, int64_t to_s,
                         struct bitmap *off);

/* ---- why a job waits (resv_why.c) ---- */

/* Would the class start now without reservations?  Then the reason; WHY_NONE otherwise. */
enum why_code resv_why(struct sched *s, const struct cluster *c, struct job_class *cls);

/* Is no job of the same reservation blocked before it? */
bool resv_first(const struct sched *s, const struct job_class *cls, uint64_t key);
void resv_explain(struct sched *s, const struct cluster *c, const struct need *n, struct buf *b, struct why_text *out);
void resv_explain_own(const struct sched *s, const struct need *n, struct buf *b);

/* The request of a job with only this reservation; borrows from the job. */
static inline struct req resv_req(const struct job *j, const struct resv *in)
{
    struct req r = j->spec->req;
    r.reservation = in ? in->pb->name : NULL;
    return r;
}

#endif
