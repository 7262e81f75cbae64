/*
 * groups - a job's user on this node: account, home, shell and groups, from the account cache.
 */
#ifndef SPUR_NODE_GROUPS_H
#define SPUR_NODE_GROUPS_H

#include "node/agent.h"

struct groups {
    const char *list;                /* "0,4,27", for the supervisor's environment */
    const char *name;                /* of the primary group; "" when it has none */
    const char *user, *home, *shell; /* of the account; "" when there is none */
};

/* Look up the daemon's own account before it serves requests, so that hook scripts never wait for it. */
void groups_start(struct agent *a);

/* False: the account is being looked up, and the order must wait.  `*out` is borrowed until the next call. */
bool groups_of(struct agent *a, uint32_t uid, uint32_t gid, const char *user_name, struct groups *out);

#endif
