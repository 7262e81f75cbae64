/*
 * acct - users of accounting with their rights, and the last changes of accounts, users and QOS.
 *
 * A user's record holds what does not belong to one association: the administrator's level, the accounts that the user
 * coordinates, the wckeys.  A user of an association may be without one.  A coordinator of an account coordinates all
 * accounts below it.
 */
#ifndef SPUR_CORE_ACCT_H
#define SPUR_CORE_ACCT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "event.pb-c.h"

struct cluster;

#define ACCT_TXNS 1000 /* so many changes are kept */

struct acct {
    struct smap user;  /* Pb__AcctUser by name; owned */
    struct map by_uid; /* the same by the user's number and one */
    VEC(Pb__Txn *) txn; /* oldest first; owned */
    uint64_t next_txn;
};

/* NULL: there is no record of that name. */
const Pb__AcctUser *acct_user(const struct cluster *c, const char *name);

/* AdminLevel of sacctmgr; root and SlurmUser are not asked for here. */
Pb__AdminLevel acct_admin_level(const struct cluster *c, uint32_t uid);

/* Does the user coordinate the account: by name, an account above it, or by UsersAreCoords of one of these? */
bool acct_coordinates(const struct cluster *c, uint32_t uid, const char *account);

/* ---- for core itself ---- */
void acct_update(struct acct *a, const Pb__EvAssocUpdate *e);
void acct_clear(struct acct *a);
void acct_encode(const struct cluster *c, struct buf *out, uint32_t user_field, uint32_t txn_field);

#endif
