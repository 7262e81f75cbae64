/*
 * login - the environment that the user's login shell sets up, for jobs that ask for it (sbatch --export=NONE,
 * --get-user-env).
 */
#ifndef SPUR_STEP_LOGIN_H
#define SPUR_STEP_LOGIN_H

#include "step/step.h"

#define LOGIN_TIMEOUT_MS 10000

/* Fill s->env from a login of the user; on failure with a minimal environment, and a message in the job's output. */
void login_environment(struct step *s);

#endif
