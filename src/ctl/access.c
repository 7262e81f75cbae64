/* access - the permission table, and which users may use a partition; see access.h. */
#include "ctl/access.h"

#include "ctl/directory.h"

const struct access_row access_rows[RIGHTS] = {
#define X(name, type, may, of_job, text) { #name, type, may, of_job, text },
    ACCESS_RIGHTS(X)
#undef X
};

const char *const access_relation_names[RELATIONS] = {
    [REL_OTHER] = "other",
    [REL_OWNER] = "owner",
    [REL_ADMIN] = "administrator",
    [REL_AGENT] = "agent",
};

/* All relations that the peer has: to the cluster, and to this job. */
static unsigned access_relations(const struct ctl *t, const struct ctl_peer *peer, const struct job *j)
{
    if (peer->agent)
        return MAY(REL_AGENT);
    bool admin = str_empty(peer->via) && (peer->uid == 0 || peer->uid == t->admin_uid);
    return MAY(REL_OTHER) | (admin ? MAY(REL_ADMIN) : 0) | (j && peer->uid == j->uid ? MAY(REL_OWNER) : 0);
}

bool access_has(const struct ctl *t, const struct ctl_peer *peer, enum right right, const struct job *j)
{
    return access_relations(t, peer, j) & access_rows[right].may;
}

bool access_may(struct ctl *t, const struct ctl_peer *peer, enum right right, const struct job *j)
{
    if (access_has(t, peer, right, j))
        return true;
    t->denied = right;
    return false;
}

bool access_vouched(const struct ctl *t, const struct ctl_peer *peer)
{
    if (peer->agent || str_empty(peer->via))
        return true;
    const struct node *n = cluster_node(t->c, peer->via);
    for (size_t i = 0; n && i < n->held.n; i++) {
        const struct job *j = cluster_job(t->c, n->held.at[i]);
        if (j && j->uid == peer->uid)
            return true;
    }
    return false;
}

/* A right on a job may be the owner's: that is decided when the job is known. */
bool access_may_send(struct ctl *t, const struct ctl_peer *peer, enum msg_type type)
{
    unsigned mine = access_relations(t, peer, NULL) | (peer->agent ? 0 : MAY(REL_OWNER));
    for (enum right r = 0; r < RIGHTS; r++) {
        if (access_rows[r].type != type)
            continue;
        if (mine & access_rows[r].may)
            return true;
        t->denied = r;
    }
    return false;
}

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
