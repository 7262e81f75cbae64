/*
 * directory - the machine's users and groups, as ctl asks for them.
 *
 * An account that has to be looked up first parks the request: nothing of it is decided, said or logged, and the daemon
 * passes it again when the answer has come (ctl_request).
 */
#ifndef SPUR_CTL_DIRECTORY_H
#define SPUR_CTL_DIRECTORY_H

#include "base/accounts.h"
#include "ctl/ctl_priv.h"

/* NULL or false: there is none, or the request is parked. */
const struct account_user *directory_user(const struct ctl *t, uint32_t uid, uint32_t gid);
const char *directory_name(const struct ctl *t, uint32_t uid); /* where the groups are not asked for */
const struct account_group *directory_group(const struct ctl *t, const char *name);
bool directory_uid(const struct ctl *t, const char *name, uint32_t *uid);

bool directory_parked(const struct ctl *t);
bool directory_unpark(struct ctl *t); /* was it parked? */

void directory_open(struct ctl *t);
void directory_close(struct ctl *t);

#endif
