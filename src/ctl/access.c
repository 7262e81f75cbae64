/* access - which users may use a partition. */
#include "ctl/access.h"

#include "ctl/directory.h"

static bool in_groups(const struct ctl *t, const char *list, uint32_t uid, uint32_t gid)
{
    const struct account_user *u = directory_user(t, uid, gid);
    for (size_t i = 0; u && i < u->ngroups; i++)
        if (!str_empty(u->groups[i]) && str_in_list(list, u->groups[i]))
            return true;
    return false;
}

int access_part(const struct ctl *t, const struct part *p, uint32_t uid, uint32_t gid, const char *account)
{
    const Pb__Part *pb = p->pb;
    if (!part_takes_jobs(p))
        return ESLURM_PARTITION_NOT_AVAIL;
    if (uid == 0 || uid == t->admin_uid)
        return (pb->disable_root_jobs || t->site->disable_root_jobs) && uid == 0 ? ESLURM_ACCESS_DENIED : 0;
    if (pb->root_only)
        return ESLURM_ACCESS_DENIED;
    if (!str_empty(pb->allow_groups) && !str_ieq(pb->allow_groups, "ALL") && !in_groups(t, pb->allow_groups, uid, gid))
        return ESLURM_JOB_MISSING_REQUIRED_PARTITION_GROUP;
    if (!str_empty(pb->allow_accounts) && !str_ieq(pb->allow_accounts, "ALL") &&
        !str_in_list(pb->allow_accounts, account))
        return ESLURM_INVALID_ACCOUNT;
    if (!str_empty(pb->deny_accounts) && str_in_list(pb->deny_accounts, account))
        return ESLURM_INVALID_ACCOUNT;
    return 0;
}
