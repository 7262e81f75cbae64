/*
 * groups - a user's account and groups, by name service, remembered for a while: a thousand short jobs ask once.
 */
#ifndef SPUR_NODE_GROUPS_H
#define SPUR_NODE_GROUPS_H

#include <stdint.h>

struct groups {
    const char *list;                /* "0,4,27", for the supervisor's environment */
    const char *name;                /* of the primary group; "" when it has none */
    const char *user, *home, *shell; /* of the account; "" when there is none */
};

/* Borrowed until the next call. */
struct groups groups_of(uint32_t uid, uint32_t gid, const char *user_name, int64_t now_ms);

#endif
