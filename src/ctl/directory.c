/* directory - the machine's users and groups, as ctl asks for them; see directory.h. */
#include "ctl/directory.h"

#include <errno.h>

struct directory {
    bool parked; /* the request that is being decided */
};

void directory_open(struct ctl *t)
{
    t->directory = NEW(struct directory);
}

void directory_close(struct ctl *t)
{
    free(take(t->directory));
}

static int directory_answered(const struct ctl *t, int rc)
{
    if (rc == EAGAIN)
        t->directory->parked = true;
    return rc;
}

const struct account_user *directory_user(const struct ctl *t, uint32_t uid, uint32_t gid)
{
    const struct account_user *u = NULL;
    struct accounts *a = t->accounts;
    return a && !directory_answered(t, a->user(a, uid, gid, &u)) ? u : NULL;
}

const char *directory_name(const struct ctl *t, uint32_t uid)
{
    const char *name = NULL;
    struct accounts *a = t->accounts;
    return a && !directory_answered(t, a->name(a, uid, &name)) ? name : NULL;
}

const struct account_group *directory_group(const struct ctl *t, const char *name)
{
    const struct account_group *g = NULL;
    struct accounts *a = t->accounts;
    return a && !directory_answered(t, a->group(a, name, &g)) ? g : NULL;
}

bool directory_uid(const struct ctl *t, const char *name, uint32_t *uid)
{
    struct accounts *a = t->accounts;
    return a && !directory_answered(t, a->uid(a, name, uid));
}

bool directory_parked(const struct ctl *t)
{
    return t->directory->parked;
}

bool directory_unpark(struct ctl *t)
{
    bool was = t->directory->parked;
    t->directory->parked = false;
    return was;
}
