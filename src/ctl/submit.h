/*
 * submit - one submission on its way to an event.
 *
 * A heterogeneous job has one for each of its components: all are decided before one event is made of them.
 */
#ifndef SPUR_CTL_SUBMIT_H
#define SPUR_CTL_SUBMIT_H

#include "ctl/ctl_priv.h"
#include "text/strs.h"

struct submission {
    const struct ctl_call *call;
    const Pb__SubmitRequest *r;
    Pb__JobSpec *spec; /* the request's own copy: defaults are worked in */
    uint32_t uid, gid;
    char *user_name; /* NULL: the user has no account */
    Pb__EvSubmit ev;
    struct buf spec_bytes;
    struct spec *own_spec; /* when no job has this spec yet */
    struct job trial;      /* as it would be: for the scheduler's opinion */
    Pb__Blob blob[3], *blobs[3];
    struct strs messages; /* for the user, before the error */
    struct buf partition;
    uint32_t offset;                 /* which component of a heterogeneous job */
    const struct submission *before; /* the component before it; NULL: it is the first */
};

/* 0, or why it is refused: by the fields that are set and by their sizes, and then by all else. */
int submit_fields(struct submission *s, struct err *err);
int submit_decide(struct submission *s, struct err *err);
/* The event, but for what further components add. */
void submit_fill(struct submission *s);
/* The job is in the state: index its dependencies, set its timers, reply. */
void submit_entered(struct submission *s);
void submit_answer(const struct submission *s, uint32_t id, const struct err *err);
void submit_accept(struct submission *s, uint32_t id); /* and wait for its start, where that is wanted */
void submit_clear(struct submission *s);
/* Of a job that was taken with this key before; 0: none. */
uint32_t submit_known(const struct submission *s);

/* het_submit.c: several components, one event */
void het_submit(const struct ctl_call *call);

#endif
