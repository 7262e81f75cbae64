/* acct - users of accounting and changes of it; see acct.h. */
#include "core/acct.h"

#include <stdlib.h>

#include "base/str.h"
#include "core/cluster_priv.h"
#include "core/limits.h"
#include "core/pbutil.h"

/* ---- questions ---- */

const Pb__AcctUser *acct_user(const struct cluster *c, const char *name)
{
    return c->limits && name ? smap_get(&c->limits->acct.user, name) : NULL;
}

static const Pb__AcctUser *acct_by_uid(const struct cluster *c, uint32_t uid)
{
    return c->limits ? map_get(&c->limits->acct.by_uid, (uint64_t)uid + 1) : NULL;
}

Pb__AdminLevel acct_admin_level(const struct cluster *c, uint32_t uid)
{
    const Pb__AcctUser *u = acct_by_uid(c, uid);
    return u ? u->admin : PB__ADMIN_LEVEL__ADMIN_NONE;
}

static bool coordinates_by_name(const Pb__AcctUser *u, const char *account)
{
    for (size_t i = 0; u && i < u->n_coordinates; i++)
        if (str_eq(u->coordinates[i], account))
            return true;
    return false;
}

bool acct_coordinates(const struct cluster *c, uint32_t uid, const char *account)
{
    const Pb__AcctUser *u = acct_by_uid(c, uid);
    if (!c->limits || str_empty(account))
        return false;
    auto_free char *key = mem_printf("%s//", account);
    for (const struct assoc *a = smap_get(&c->limits->by_key, key); a; a = a->parent)
        if (coordinates_by_name(u, a->pb->account) ||
            (a->pb->users_are_coords && limits_assoc(c, uid, a->pb->account, NULL)))
            return true;
    return false;
}

/* ---- changes ---- */

static void drop_user(struct acct *a, const char *name)
{
    Pb__AcctUser *old = smap_del(&a->user, name);
    if (old)
        pb__acct_user__free_unpacked(old, NULL);
}

static void put_user(struct acct *a, const Pb__AcctUser *from)
{
    drop_user(a, from->name);
    Pb__AcctUser *u = PB_DUP(Pb__AcctUser, from);
    smap_put(&a->user, u->name, u);
}

static void add_txn(struct acct *a, const Pb__Txn *from)
{
    if (a->txn.n >= ACCT_TXNS) {
        pb__txn__free_unpacked(a->txn.at[0], NULL);
        vec_remove(&a->txn, 0);
    }
    vec_push(&a->txn, PB_DUP(Pb__Txn, from));
    a->next_txn = MAX(a->next_txn, from->id + 1);
}

/* Two records with one number (an account that was renamed): the first by name counts, on every controller. */
static void index_uids(struct acct *a)
{
    size_t pos = 0;
    map_clear(&a->by_uid);
    for (Pb__AcctUser *u; (u = smap_next(&a->user, &pos, NULL));) {
        const Pb__AcctUser *old = u->has_uid ? map_get(&a->by_uid, (uint64_t)u->uid + 1) : NULL;
        if (u->has_uid && (!old || strcmp(u->name, old->name) < 0))
            map_put(&a->by_uid, (uint64_t)u->uid + 1, u);
    }
}

void acct_update(struct acct *a, const Pb__EvAssocUpdate *e)
{
    for (size_t i = 0; i < e->n_drop_user; i++)
        drop_user(a, e->drop_user[i]);
    for (size_t i = 0; i < e->n_user; i++)
        put_user(a, e->user[i]);
    for (size_t i = 0; i < e->n_txn; i++)
        add_txn(a, e->txn[i]);
    index_uids(a);
}

void acct_clear(struct acct *a)
{
    size_t pos = 0;
    for (Pb__AcctUser *u; (u = smap_next(&a->user, &pos, NULL));)
        pb__acct_user__free_unpacked(u, NULL);
    for (size_t i = 0; i < a->txn.n; i++)
        pb__txn__free_unpacked(a->txn.at[i], NULL);
    smap_clear(&a->user);
    map_clear(&a->by_uid);
    vec_clear(&a->txn);
}

/* ---- in the snapshot, users in the order of their names ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp((*(Pb__AcctUser *const *)a)->name, (*(Pb__AcctUser *const *)b)->name);
}

void acct_encode(const struct cluster *c, struct buf *out, uint32_t user_field, uint32_t txn_field)
{
    if (!c->limits)
        return;
    const struct acct *a = &c->limits->acct;
    size_t pos = 0;
    auto_free Pb__AcctUser **all = mem_array(a->user.n + 1, sizeof(Pb__AcctUser *));
    for (size_t i = 0; i < a->user.n; i++)
        all[i] = smap_next(&a->user, &pos, NULL);
    qsort(all, a->user.n, sizeof(Pb__AcctUser *), by_name);
    for (size_t i = 0; i < a->user.n; i++)
        pb_pack_field(out, user_field, &all[i]->base);
    for (size_t i = 0; i < a->txn.n; i++)
        pb_pack_field(out, txn_field, &a->txn.at[i]->base);
}
