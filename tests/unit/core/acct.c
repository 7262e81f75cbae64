/* acct - users of accounting: administrators, coordinators of an account and of all below it, the list of changes. */
#include "core/acct.h"
#include "core/limits.h"
#include "rig.h"

enum { ADA = 1001, BOB = 1002, EVE = 1003 };

static void add_assoc(struct rig *r, uint32_t id, uint32_t parent, const char *account, uint32_t uid, bool coords)
{
    Pb__EvAssocUpdate e = PB__EV_ASSOC_UPDATE__INIT;
    Pb__Assoc a = PB__ASSOC__INIT, *all[] = { &a };
    a.id = id, a.parent = parent, a.account = TEXT(account), a.users_are_coords = coords;
    if (uid)
        a.user = TEXT("user"), a.has_uid = true, a.uid = uid;
    e.assoc = all, e.n_assoc = 1;
    is_int(RIG_EVENT(r, ASSOC_UPDATE, assoc_update, &e), 0, "association %u", id);
}

static void add_user(struct rig *r, const char *name, uint32_t uid, Pb__AdminLevel level, const char *account)
{
    Pb__EvAssocUpdate e = PB__EV_ASSOC_UPDATE__INIT;
    Pb__AcctUser u = PB__ACCT_USER__INIT, *all[] = { &u };
    char *accounts[] = { TEXT(account) };
    u.name = TEXT(name), u.has_uid = true, u.uid = uid, u.admin = level;
    u.coordinates = accounts, u.n_coordinates = account ? 1 : 0;
    e.user = all, e.n_user = 1;
    is_int(RIG_EVENT(r, ASSOC_UPDATE, assoc_update, &e), 0, "user %s", name);
}

/* root > physics > optics (its users are coordinators) > lasers; root > biology */
static void up(struct rig *r)
{
    rig_up(r);
    add_assoc(r, 1, 0, "root", 0, false);
    add_assoc(r, 2, 1, "physics", 0, false);
    add_assoc(r, 3, 2, "optics", 0, true);
    add_assoc(r, 4, 3, "lasers", 0, false);
    add_assoc(r, 5, 1, "biology", 0, false);
    add_assoc(r, 6, 3, "optics", BOB, false);
    add_user(r, "ada", ADA, PB__ADMIN_LEVEL__ADMIN_OPERATOR, "physics");
}

static void test_rights(void)
{
    static const struct {
        uint32_t uid;
        const char *account;
        bool want;
    } cases[] = {
        { ADA, "physics", true }, { ADA, "lasers", true },  { ADA, "biology", false }, { ADA, "root", false },
        { ADA, "nosuch", false }, { ADA, "", false },       { ADA, NULL, false },      { BOB, "optics", true },
        { BOB, "lasers", true },  { BOB, "physics", false }, { EVE, "optics", false },
    };
    struct rig r;
    up(&r);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        ok(acct_coordinates(r.c, cases[i].uid, cases[i].account) == cases[i].want, "%u coordinates %s: %d",
           cases[i].uid, str_or(cases[i].account, "nothing"), cases[i].want);
    is_int(acct_admin_level(r.c, ADA), PB__ADMIN_LEVEL__ADMIN_OPERATOR, "an operator");
    is_int(acct_admin_level(r.c, BOB), PB__ADMIN_LEVEL__ADMIN_NONE, "a user without a record");
    Pb__EvAssocUpdate e = PB__EV_ASSOC_UPDATE__INIT;
    char *drop[] = { TEXT("ada") };
    e.drop_user = drop, e.n_drop_user = 1;
    is_int(RIG_EVENT(&r, ASSOC_UPDATE, assoc_update, &e), 0, "the record is removed");
    is_int(acct_admin_level(r.c, ADA), PB__ADMIN_LEVEL__ADMIN_NONE, "and with it the level");
    ok(!acct_coordinates(r.c, ADA, "physics"), "and the account");
    cluster_free(r.c);
}

static void test_renamed(void)
{
    struct rig r;
    up(&r);
    add_user(&r, "zoe", ADA, PB__ADMIN_LEVEL__ADMIN_FULL, NULL);
    is_int(acct_admin_level(r.c, ADA), PB__ADMIN_LEVEL__ADMIN_OPERATOR, "two names of one number: the first counts");
    Pb__EvAssocUpdate e = PB__EV_ASSOC_UPDATE__INIT;
    Pb__AcctUser u = PB__ACCT_USER__INIT, *all[] = { &u };
    e.user = all, e.n_user = 1;
    is_int(RIG_EVENT(&r, ASSOC_UPDATE, assoc_update, &e), EINVAL, "a user without a name is refused");
    cluster_free(r.c);
}

/* A user that the machine does not know must not stand in the account's place. */
static void test_unknown_user(void)
{
    struct rig r;
    Pb__EvAssocUpdate e = PB__EV_ASSOC_UPDATE__INIT;
    Pb__Assoc a = PB__ASSOC__INIT, *all[] = { &a };
    up(&r);
    a.id = 9, a.parent = 2, a.account = TEXT("physics"), a.user = TEXT("stranger");
    e.assoc = all, e.n_assoc = 1;
    is_int(RIG_EVENT(&r, ASSOC_UPDATE, assoc_update, &e), 0, "an association of an unknown user");
    const struct assoc *found = smap_get(&r.c->limits->by_key, "physics//");
    is_int(found ? found->pb->id : 0, 2, "the account is found by its name still");
    cluster_free(r.c);
}

static void test_changes(void)
{
    struct rig r;
    up(&r);
    for (uint64_t i = 1; i <= ACCT_TXNS + 5; i++) {
        Pb__EvAssocUpdate e = PB__EV_ASSOC_UPDATE__INIT;
        Pb__Txn t = PB__TXN__INIT, *all[] = { &t };
        t.id = i, t.action = TEXT("Add QOS");
        e.txn = all, e.n_txn = 1;
        Pb__Event ev = PB__EVENT__INIT;
        ev.body_case = PB__EVENT__BODY_ASSOC_UPDATE, ev.assoc_update = &e;
        cluster_apply(r.c, &ev, NULL);
    }
    const struct acct *a = &r.c->limits->acct;
    is_int(a->txn.n, ACCT_TXNS, "the list of changes is bounded");
    is_int(a->txn.at[0]->id, 6, "the oldest go");
    is_int(a->next_txn, ACCT_TXNS + 6, "numbers are not used twice");
    cluster_free(r.c);
}

int main(void)
{
    test_rights();
    test_renamed();
    test_unknown_user();
    test_changes();
    return test_done();
}
