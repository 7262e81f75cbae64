/*
 * accounts - the machine's users and groups as an interface: an answer may have to be looked up first.
 *
 * The user database may be a slow directory server, so daemons never ask it on their loop: io/account_cache.h looks
 * names up in a worker thread and remembers them.  The simulator and tests have users of their own.
 */
#ifndef SPUR_BASE_ACCOUNTS_H
#define SPUR_BASE_ACCOUNTS_H

#include <stddef.h>
#include <stdint.h>

struct account_user {
    uint32_t uid, gid;         /* gid: the group of the question */
    char *name, *home, *shell; /* "" when there is none */
    char *group;               /* name of `gid`; "" when it has none */
    uint32_t *gids;            /* every group of the user, `gid` among them */
    char **groups;             /* names of `gids`; "" for a group without a name */
    size_t ngroups;
};

struct account_group {
    uint32_t gid;
    uint32_t *members; /* user ids: listed members, and users with this primary group */
    size_t nmembers;
};

/* Each returns 0 with an answer that is borrowed until the next call, ENOENT, or EAGAIN: it is being looked up, ask
 * again later. */
struct accounts {
    int (*user)(struct accounts *a, uint32_t uid, uint32_t gid, const struct account_user **out);
    int (*uid)(struct accounts *a, const char *name, uint32_t *uid); /* a name, or a number that has an account */
    int (*group)(struct accounts *a, const char *name, const struct account_group **out);
    int (*name)(struct accounts *a, uint32_t uid, const char **out); /* of a user; its groups may cost far more */
};

#endif
