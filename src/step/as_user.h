/*
 * as_user - work on what a user made (folders, files, sockets), done by a process that has become the user.
 *
 * A path that a user chose may lead into a file system that never answers, and a system call on it never returns.  The
 * supervisor must always be able to end the step, so it makes no such call: a helper does, and replies over a socket
 * that the supervisor polls.  The helper is no child of the supervisor (its parent is the supervisor's parent): it is
 * not counted among the step's processes, and the end of the step does not kill it before its work is done.
 */
#ifndef SPUR_STEP_AS_USER_H
#define SPUR_STEP_AS_USER_H

#include "base/err.h"
#include "step/step.h"

/* In the helper, as the user.  Reply by as_user_send(); the helper exits when the function returns. */
typedef void as_user_fn(struct step *s, int fd, void *arg);

#define AS_USER_INIT                                                                                                   \
    {                                                                                                                  \
        .fd = -1, .process = -1                                                                                        \
    }

int as_user_start(struct as_user *w, struct step *s, as_user_fn *fn, void *arg, struct err *err);
bool as_user_runs(const struct as_user *w);
/* Kill the helper, whatever it does, and close the socket.  One that was ended before is welcome. */
void as_user_end(struct as_user *w);

/* For the helper: a reply, with a descriptor or -1.  Afterwards the descriptor is still the caller's. */
int as_user_send(int fd, const struct err *reply, int pass);
/* For the supervisor, when `fd` is readable: 0 with the reply and its descriptor (or -1); EAGAIN: there is none yet;
 * EPIPE: the helper is gone. */
int as_user_receive(const struct as_user *w, struct err *reply, int *passed);

/* Wait for the helper's end outside of the loop, for a short time.  False: it has not ended. */
bool as_user_wait(const struct as_user *w, int ms);
/* Wait for its reply in the step's loop, as long as it takes: ECANCELED when the step is ended meanwhile. */
int as_user_ask(struct step *s, as_user_fn *fn, void *arg, struct err *err);

#endif
