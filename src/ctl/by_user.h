/*
 * by_user - the jobs of each user, for as long as nothing changes: a thousand clients that each ask for the jobs of one
 * user at once cost one walk over all jobs, not a thousand.
 */
#ifndef SPUR_CTL_BY_USER_H
#define SPUR_CTL_BY_USER_H

#include "ctl/ctl_priv.h"

struct by_user;

struct user_jobs {
    VEC(struct job *) v; /* pending, running, then ended jobs; each in the order of its queue */
};

struct by_user *by_user_new(void); /* no job is looked at before the first by_user_find() */
const struct user_jobs *by_user_find(struct by_user *b, const struct cluster *c, uint32_t uid); /* NULL: it has none */
void by_user_free(struct by_user *b); /* NULL is welcome */

#endif
