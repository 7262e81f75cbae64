/* accounts - the users of a simulation, instead of the machine's: "u1000" and so on, and root; no groups. */
#include <errno.h>
#include <stdio.h>

#include "base/accounts.h"
#include "sim/world.h"

static bool is_user(uint32_t uid)
{
    return !uid || (uid >= SIM_UID && uid < SIM_UID + SIM_USERS);
}

static int sim_name(struct accounts *a, uint32_t uid, const char **out)
{
    static char name[16];
    snprintf(name, sizeof(name), uid ? "u%u" : "root", uid);
    *out = name;
    return is_user(uid) ? 0 : ENOENT;
}

static int sim_user(struct accounts *a, uint32_t uid, uint32_t gid, const struct account_user **out)
{
    static struct account_user u;
    const char *name;
    int rc = sim_name(a, uid, &name);
    u = (struct account_user){ .uid = uid, .gid = gid, .name = (char *)name, .home = "", .shell = "", .group = "" };
    *out = &u;
    return rc;
}

static int uid_of(struct accounts *a, const char *name, uint32_t *uid)
{
    uint64_t n = 0;
    bool named = *name == 'u' && str_u64(name + 1, SIM_UID, SIM_UID + SIM_USERS - 1, &n);
    if (!named && !str_eq(name, "root"))
        return ENOENT;
    *uid = (uint32_t)n;
    return 0;
}

static int sim_group(struct accounts *a, const char *name, const struct account_group **out)
{
    return ENOENT;
}

struct accounts sim_accounts = { sim_user, uid_of, sim_group, sim_name };
