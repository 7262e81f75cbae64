/*
 * accounts - users and groups of the controller's unit tests, instead of the machine's: root, daemon, ada and bob.
 */
#ifndef SPUR_TEST_CTL_ACCOUNTS_H
#define SPUR_TEST_CTL_ACCOUNTS_H

#include <errno.h>

#include "base/accounts.h"
#include "base/str.h"

static struct {
    unsigned asked;
    bool slow; /* a lookup has to come first, for every question */
} rig_directory;

static const struct {
    const char *name;
    uint32_t uid;
    const char *group; /* besides one of its own name */
} rig_people[] = {
    { "root", 0, "root" }, { "daemon", 1, "daemon" }, { "ada", 1001, "engines" }, { "bob", 1002, "looms" }
};

static inline int rig_account_user(struct accounts *a, uint32_t uid, uint32_t gid, const struct account_user **out)
{
    static struct account_user u;
    static uint32_t gids[2];
    static char *groups[2];
    rig_directory.asked++;
    if (rig_directory.slow)
        return EAGAIN;
    for (size_t i = 0; i < sizeof(rig_people) / sizeof(rig_people[0]); i++)
        if (rig_people[i].uid == uid) {
            groups[0] = (char *)rig_people[i].name, groups[1] = (char *)rig_people[i].group;
            u = (struct account_user){ uid, gid, groups[0], "/", "/bin/sh", groups[0], gids, groups, 2 };
            *out = &u;
            return 0;
        }
    return ENOENT;
}

static inline int rig_account_uid(struct accounts *a, const char *name, uint32_t *uid)
{
    rig_directory.asked++;
    if (rig_directory.slow)
        return EAGAIN;
    for (size_t i = 0; i < sizeof(rig_people) / sizeof(rig_people[0]); i++)
        if (str_eq(rig_people[i].name, name)) {
            *uid = rig_people[i].uid;
            return 0;
        }
    return ENOENT;
}

static inline int rig_account_group(struct accounts *a, const char *name, const struct account_group **out)
{
    static struct account_group g;
    static uint32_t member;
    rig_directory.asked++;
    if (rig_directory.slow)
        return EAGAIN;
    for (size_t i = 0; i < sizeof(rig_people) / sizeof(rig_people[0]); i++)
        if (str_eq(rig_people[i].group, name)) {
            member = rig_people[i].uid;
            g = (struct account_group){ member, &member, 1 };
            *out = &g;
            return 0;
        }
    return ENOENT;
}

static inline int rig_account_name(struct accounts *a, uint32_t uid, const char **out)
{
    const struct account_user *u = NULL;
    int rc = rig_account_user(a, uid, 0, &u);
    *out = u ? u->name : NULL;
    return rc;
}

static struct accounts rig_accounts = { rig_account_user, rig_account_uid, rig_account_group, rig_account_name };

#endif
