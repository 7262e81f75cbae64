/* resv_access - which users may use a reservation: names of users and members of groups, as the machine knows them. */
#include "ctl/directory.h"
#include "ctl/resv.h"

static void add_uid(Pb__Resv *r, uint32_t uid)
{
    for (size_t i = 0; i < r->n_uid; i++)
        if (r->uid[i] == uid)
            return;
    r->uid = mem_grow(r->uid, r->n_uid + 1, sizeof(*r->uid));
    r->uid[r->n_uid++] = uid;
}

static bool add_user(const struct ctl *t, Pb__Resv *r, const char *name)
{
    uint32_t uid;
    if (!directory_uid(t, name, &uid))
        return false;
    add_uid(r, uid);
    return true;
}

static bool add_group(const struct ctl *t, Pb__Resv *r, const char *name)
{
    const struct account_group *g = directory_group(t, name);
    for (size_t i = 0; g && i < g->nmembers; i++)
        add_uid(r, g->members[i]);
    return g != NULL;
}

int resv_uids(const struct ctl *t, Pb__Resv *r, int unknown_user, struct err *err)
{
    free(r->uid);
    r->uid = NULL;
    r->n_uid = 0;
    bool users = true, groups = true;
    const char *pos = r->users;
    for (char *name; (name = str_next(&pos, ",")); free(name))
        users &= add_user(t, r, name + (*name == '-'));
    pos = r->groups;
    for (char *name; (name = str_next(&pos, ",")); free(name))
        groups &= add_group(t, r, name);
    if (!users)
        return err_set(err, unknown_user, "%s", unknown_user < 0 ? "Unspecified error" : err_text(unknown_user));
    return groups ? 0 : err_set(err, ESLURM_GROUP_ID_MISSING, "%s", err_text(ESLURM_GROUP_ID_MISSING));
}

/* ---- jobs that ask for one ---- */

static int one_name(const struct ctl *t, const char *name, uint32_t uid, const Pb__JobSpec *spec, const char *part)
{
    const struct resv *r = cluster_resv_named(t->c, name);
    const struct resv_user user = { uid, spec->account, spec->qos, part };
    if (!r)
        return ESLURM_RESERVATION_INVALID;
    return uid == t->admin_uid || resv_admits(r, &user) ? 0 : ESLURM_RESERVATION_ACCESS;
}

int resv_submit(struct ctl *t, uint32_t uid, const Pb__JobSpec *spec, const char *partitions, struct err *err)
{
    int rc = 0;
    const char *pos = partitions;
    auto_free char *first = str_next(&pos, ",");
    pos = partitions;
    for (char *name; !rc && str_empty(spec->reservation) && (name = str_next(&pos, ",")); free(name)) {
        const struct part *p = cluster_part(t->c, name);
        rc = p && p->pb->req_resv ? ESLURM_ACCESS_DENIED : 0;
    }
    pos = spec->reservation;
    for (char *name; !rc && pos && (name = str_next(&pos, ",")); free(name))
        rc = one_name(t, name, uid, spec, first);
    return rc ? err_set(err, rc, "%s", err_text(rc)) : 0;
}

const char *resv_partition(const struct ctl *t, const Pb__JobSpec *spec)
{
    const char *pos = spec->reservation;
    auto_free char *name = pos ? str_next(&pos, ",") : NULL;
    const struct resv *r = name ? cluster_resv_named(t->c, name) : NULL;
    return r && !str_empty(r->pb->partition) && cluster_part(t->c, r->pb->partition) ? r->pb->partition : NULL;
}
