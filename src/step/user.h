/*
 * user - acting as the job's user: for a moment, to open files with the user's rights, or for good.
 */
#ifndef SPUR_STEP_USER_H
#define SPUR_STEP_USER_H

#include "base/err.h"
#include "step/step.h"

/* Between these calls the kernel checks file access as the user's.  No effect if the process runs as that user. */
int user_enter(const struct step *s, struct err *err);
void user_leave(const struct step *s);
/* In a child: no streams, a process group of its own, no blocked signals. */
void user_quiet_child(void);
/* Become the user for good; in the child, before exec.  0 or errno.  The child gives up the supervisor's lock and
 * connections: it may hang on what the user made, and they must end with the supervisor. */
int user_become(const struct step *s);

#endif
