/*
 * step - steps of running jobs: begun when they fit, held back while other steps have what they need.
 *
 * A step that waits is no part of the state: it belongs to a connection.  The client hears at once that the step
 * waits, and again when it begins or never will.  The step is forgotten when the connection closes.
 */
#ifndef SPUR_CTL_STEP_H
#define SPUR_CTL_STEP_H

#include "core/step_fit.h"
#include "ctl/module.h"

void step_lead(struct ctl *t);                               /* timers of the steps that run */
timer_fn step_timer; /* a step's time limit */
void step_set_timer(struct ctl *t, const struct job *j, const Pb__Step *s);
void step_first(struct ctl *t, struct job *j);               /* srun: its step 0 begins with the job */

struct held_step {
    uint64_t session, number;
    uint32_t job_id, attempt;
    int64_t asked_s, until_ms; /* until_ms 0: for as long as it takes */
    Pb__StepSpec *spec;        /* owned */
    struct step_ask ask;
    Pb__StepRequest *het;      /* owned; over several components of a heterogeneous job; NULL: it is not */
    uint32_t het_job;
    struct ctl_peer peer;      /* the user that asked for it */
};

/* Begin it now; NULL and the reason when it does not fit. */
const Pb__Step *step_begin(struct ctl *t, struct job *j, const Pb__StepSpec *spec, const struct step_ask *ask,
                           struct err *err);
void step_answer(struct ctl *t, uint64_t session, uint64_t number, struct job *j, const Pb__Step *s);

/* May this be asked for?  And what does it say? */
int step_check(const struct ctl_call *call, const struct job *j, const Pb__StepRequest *r, struct err *err);
int step_read_ask(struct ctl *t, const Pb__StepSpec *spec, struct step_ask *ask, struct err *err);
/* What srun's own allocation is for. */
int step_own_ask(struct ctl *t, struct job *j, struct step_ask *ask, struct err *err);
/* The step that this request has made before, or NULL. */
const Pb__Step *step_made_before(const struct job *j, const Pb__StepSpec *spec);

/* step_wait.c: steps that wait for other steps of their job */
void step_wait_open(struct ctl *t);
void step_wait_close(struct ctl *t);
void step_wait_session_closed(struct ctl *t, uint64_t session);
void step_wait_changed(struct ctl *t, const struct change *ch);
timer_fn step_wait_timer; /* steps that have waited as long as they may */
/* Hold a step over several components back, as a whole. */
void step_wait_het(const struct ctl_call *call, const Pb__StepRequest *r);
/* Hold it back; the asker is told.  `ask` is taken over. */
void step_wait_add(const struct ctl_call *call, const struct job *j, const Pb__StepSpec *spec, struct step_ask *ask);
/* A step of the job that waits for others, as queries show it; `*i` starts at 0.  Its spec is borrowed. */
bool step_wait_each(const struct ctl *t, uint32_t job_id, size_t *i, Pb__Step *out);

#endif
