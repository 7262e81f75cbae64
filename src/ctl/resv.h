/*
 * resv - reservations: made, changed and removed by scontrol; begun, moved on and ended by their times.
 */
#ifndef SPUR_CTL_RESV_H
#define SPUR_CTL_RESV_H

#include "ctl/module.h"
#include "ctl/update.h"

/* A reservation as it would be.  `r` is a whole message, owned. */
struct resv_draft {
    struct ctl *t;
    Pb__Resv *r;
    bool create, start, end, nodes, counts, access, skip, endless; /* what was said of it */
    uint32_t duration_min;                             /* 0: not said */
    char *node_text;
    enum resv_op node_op;
    struct err *err;
};

/* resv_keys.c: one pair of scontrol's into the draft. */
int resv_key(struct resv_draft *d, const Pb__Pair *pair);
int resv_code(struct resv_draft *d, int code); /* Slurm's words for it */

/* resv.c: scontrol create, update, delete; `name` (malloc'd) is told where one was made. */
int update_resv(const struct ctl_call *call, const Pb__UpdateRequest *r, char **name, struct err *err);
int resv_emit(struct ctl *t, Pb__Resv *r, bool remove, struct err *err);

/* resv_access.c: names of users and members of groups become numbers. */
int resv_uids(const struct ctl *t, Pb__Resv *r, int unknown_user, struct err *err);
/* May this user submit a job like that?  The first partition of a reservation goes to `*partition` where none is said.
 */
int resv_submit(struct ctl *t, uint32_t uid, const Pb__JobSpec *spec, const char *partitions, struct err *err);
const char *resv_partition(const struct ctl *t, const Pb__JobSpec *spec); /* NULL: none */

/* resv_timer.c: what their times ask for */
void resv_open(struct ctl *t);
void resv_close(struct ctl *t);
void resv_lead(struct ctl *t);            /* timers for all of them */
void resv_changed(struct ctl *t, const struct change *ch);
timer_fn resv_timer;
void resv_refill(struct ctl *t);          /* nodes were lost or used: replace them where the reservation says so */
bool resv_locks_out(const struct ctl *t,
                    const Pb__Resv *pb); /* would a job that runs in it or waits for it lose access? */
bool resv_used(const struct ctl *t, const struct resv *r, bool pending); /* by jobs that run; or wait for it */


#endif
