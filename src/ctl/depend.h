/*
 * depend - jobs that wait for jobs.
 *
 * The index has the waiting jobs by the job they wait for, so that an end costs what it concerns; it is made anew by
 * each leader.  What became of a dependency is an event: it is remembered after the job that decided it is gone.
 */
#ifndef SPUR_CTL_DEPEND_H
#define SPUR_CTL_DEPEND_H

#include "ctl/module.h"

void depend_open(struct ctl *t);
void depend_close(struct ctl *t);
void depend_lead(struct ctl *t);
void depend_changed(struct ctl *t, const struct change *ch);
timer_fn depend_timer; /* after:ID+MINUTES */

/* The text of --dependency, checked; `self` (NULL: a new job) must not wait for itself. */
int depend_check(struct ctl *t, const struct job *self, const char *text, Pb__Depend ***out, size_t *n,
                 struct err *err);
void depend_free(Pb__Depend **d, size_t n);
void depend_index(struct ctl *t, const struct job *j);
void depend_settle(struct ctl *t, struct job *j); /* look at j's own dependencies now */

#endif
