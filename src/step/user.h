/*
 * user - acting as the job's user: for a moment, to open files with the user's rights, or for good.
 */
#ifndef SPUR_STEP_USER_H
#define SPUR_STEP_USER_H

#include "base/err.h"
#include "step/step.h"

/* Between these two the kernel checks files as for the user.  Nothing to do when we are that user. */
int user_enter(const struct step *s, struct err *err);
void user_leave(const struct step *s);
/* In a child: no stream, a process group of its own, no signal held back. */
void user_quiet_child(void);
/* For good; in the child, before exec.  0 or errno. */
int user_become(const struct step *s);

#endif
