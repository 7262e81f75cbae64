/* access - who may use a partition.  The one place of ctl that asks the machine's user database. */
#include <grp.h>
#include <pwd.h>

#include "ctl/access.h"

static bool in_groups(const char *list, uint32_t uid, uint32_t gid)
{
    gid_t groups[256];
    int n = ARRAY_LEN(groups);
    struct passwd *pw = getpwuid(uid);
    if (!pw || getgrouplist(pw->pw_name, gid, groups, &n) < 0)
        n = 0;
    for (int i = 0; i < n; i++) {
        struct group *g = getgrgid(groups[i]);
        if (g && str_in_list(list, g->gr_name))
            return true;
    }
    return false;
}

int access_part(const struct ctl *t, const struct part *p, uint32_t uid, uint32_t gid, const char *account)
{
    const Pb__Part *pb = p->pb;
    if (pb->state >= 2) /* DRAIN, INACTIVE */
        return ESLURM_PARTITION_NOT_AVAIL;
    if (uid == 0 || uid == t->admin_uid)
        return (pb->disable_root_jobs || t->site->disable_root_jobs) && uid == 0 ? ESLURM_ACCESS_DENIED : 0;
    if (pb->root_only)
        return ESLURM_ACCESS_DENIED;
    if (!str_empty(pb->allow_groups) && !str_ieq(pb->allow_groups, "ALL") && !in_groups(pb->allow_groups, uid, gid))
        return ESLURM_JOB_MISSING_REQUIRED_PARTITION_GROUP;
    if (!str_empty(pb->allow_accounts) && !str_ieq(pb->allow_accounts, "ALL") &&
        !str_in_list(pb->allow_accounts, account))
        return ESLURM_INVALID_ACCOUNT;
    if (!str_empty(pb->deny_accounts) && str_in_list(pb->deny_accounts, account))
        return ESLURM_INVALID_ACCOUNT;
    return 0;
}

bool access_uid(const char *user, uint32_t *uid)
{
    const struct passwd *pw = getpwnam(user);
    if (pw)
        *uid = pw->pw_uid;
    return pw != NULL;
}
