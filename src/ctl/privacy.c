/* privacy - PrivateData; see privacy.h. */
#include "ctl/privacy.h"

#include "core/limits.h"
#include "core/resv.h"
#include "ctl/access.h"

static const struct {
    const char *word;
    unsigned bit;
} words[] = {
    { "accounts", PRIVATE_ACCOUNTS }, { "jobs", PRIVATE_JOBS },
    { "nodes", PRIVATE_NODES },       { "partitions", PRIVATE_PARTITIONS },
    { "reservations", PRIVATE_RESERVATIONS }, { "usage", PRIVATE_USAGE },
    { "users", PRIVATE_USERS },
};

unsigned privacy_hidden(const struct ctl *t, const struct ctl_peer *peer)
{
    const char *list = t->site->private_data;
    unsigned hidden = 0;
    if (str_empty(list) || str_ieq(list, "none") || access_has(t, peer, RIGHT_UPDATE_CLUSTER, NULL))
        return 0;
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_in_list(list, words[i].word) || str_in_list(list, "all"))
            hidden |= words[i].bit;
    return hidden;
}

bool privacy_shows_job(const struct ctl *t, const struct ctl_peer *peer, const struct job *j)
{
    return peer->uid == j->uid || !(privacy_hidden(t, peer) & PRIVATE_JOBS);
}

bool privacy_shows_resv(const struct ctl *t, const struct ctl_peer *peer, const struct resv *r)
{
    return !(privacy_hidden(t, peer) & PRIVATE_RESERVATIONS) || resv_admits_user(r, peer->uid, NULL);
}

void privacy_own_assocs(const struct ctl *t, uint32_t uid, struct map *out)
{
    size_t pos = 0;
    for (const struct assoc *a; t->c->limits && (a = map_next(&t->c->limits->assoc, &pos, NULL));)
        for (const struct assoc *up = a->pb->has_uid && a->pb->uid == uid ? a : NULL; up; up = up->parent)
            map_put(out, up->pb->id, (void *)up);
}

bool privacy_shows_assoc(unsigned hidden, const struct map *own, const struct assoc *a)
{
    bool user = !str_empty(a->pb->user);
    return !(hidden & (user ? PRIVATE_USERS | PRIVATE_USAGE : PRIVATE_ACCOUNTS)) || map_get(own, a->pb->id);
}

void privacy_restrict(Pb__JobQuery *q, uint32_t uid)
{
    bool asked = !q->n_uid;
    for (size_t i = 0; i < q->n_uid; i++)
        asked |= q->uid[i] == uid;
    free(q->uid);
    q->uid = mem_alloc(sizeof(*q->uid));
    q->uid[0] = asked ? uid : UINT32_MAX; /* no user has this number */
    q->n_uid = 1;
}
