/*
 * refs - from "12", "12_3", "12_[1-4]" to the records they name.
 */
#ifndef SPUR_CTL_REFS_H
#define SPUR_CTL_REFS_H

#include "base/bitmap.h"
#include "ctl/ctl_priv.h"

typedef int ref_fn(struct ctl *t, struct job *j, void *arg, struct err *err);

/* The records of one reference, in slices: `fn` for one after the other, until work_over().  Tasks that still share a
 * record get one of their own first. */
struct refs_walk {
    bool begun;
    VEC(uint32_t) jobs; /* the records, by number: a record that has gone meanwhile is passed over */
    size_t at;
    uint32_t array;      /* or the tasks of this one: */
    struct bitmap tasks; /* a task that shares a record gets one of its own */
    size_t task;         /* the next, BITMAP_END: none is left */
    bool worked;         /* for a record at least */
    struct err err;      /* of the last record that failed */
};
/* True: all of them.  The result is the error of the last that failed, ESLURM_INVALID_JOB_ID when nothing is there; the
 * walk is clear for the next reference. */
bool refs_go_on(const struct ctl_call *call, struct refs_walk *w, const Pb__JobRef *ref, ref_fn *fn, void *arg, int *rc,
                struct err *err);
void refs_walk_clear(struct refs_walk *w);

/* The result as one row of a reply. */
Pb__RefResult *refs_result(const Pb__JobRef *ref, int code, const struct err *err);
void refs_result_free(Pb__RefResult *r);
void refs_results_free(Pb__RefResult **r, size_t n);

#endif
