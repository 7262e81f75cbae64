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
    [REL_NODE] = "node",
};

static bool is_admin_uid(const struct ctl *t, uint32_t uid)
{
    return uid == 0 || uid == t->admin_uid;
}

bool access_vouched(const struct ctl *t, const struct ctl_peer *peer)
{
    if (peer->agent || str_empty(peer->via))
        return true;
    const struct node *n = cluster_node(t->c, peer->via);
    for (size_t i = 0; n && !is_admin_uid(t, peer->uid) && i < n->held.n; i++) {
        const struct job *j = cluster_job(t->c, n->held.at[i]);
        if (j && j->uid == peer->uid)
            return true;
    }
    return false;
}

struct ctl_peer access_identity(const struct ctl *t, const struct ctl_peer *peer)
{
    struct ctl_peer as = *peer;
    if (!access_vouched(t, peer) && !is_admin_uid(t, peer->uid))
        as.uid = as.gid = ACCESS_NO_UID;
    return as;
}

static bool job_holds_node(const struct ctl *t, const struct job *j, const char *name)
{
    const struct node *n = cluster_node(t->c, name);
    for (size_t i = 0; n && i < n->held.n; i++)
        if (n->held.at[i] == j->id)
            return true;
    return false;
}

/* All relations that the peer has: to the cluster, and to this job.  Root's own jobs are root's on their nodes, too. */
static unsigned access_relations(const struct ctl *t, const struct ctl_peer *peer, const struct job *j)
{
    if (peer->agent)
        return MAY(REL_AGENT);
    unsigned owner = j && peer->uid == j->uid ? MAY(REL_OWNER) : 0;
    if (!access_vouched(t, peer))
        return MAY(REL_NODE) | (owner && job_holds_node(t, j, peer->via) ? owner : 0);
    bool admin = str_empty(peer->via) && is_admin_uid(t, peer->uid);
    return MAY(REL_OTHER) | (admin ? MAY(REL_ADMIN) : 0) | owner;
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

/* A right on a job may be the owner's: that is decided when the job is known. */
bool access_may_send(struct ctl *t, const struct ctl_peer *peer, enum msg_type type)
{
    unsigned mine = access_relations(t, peer, NULL);
    for (enum right r = 0; r < RIGHTS; r++) {
        if (access_rows[r].type != type)
            continue;
        unsigned owner = access_rows[r].of_job && !peer->agent ? MAY(REL_OWNER) : 0;
        if ((mine | owner) & access_rows[r].may)
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
    if (is_admin_uid(t, uid))
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
