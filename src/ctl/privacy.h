/*
 * privacy - PrivateData: which records a user does not see.
 *
 * Every function that answers a query asks here.  Administrators see everything.  What a user may do to a record is
 * decided by access.h.
 */
#ifndef SPUR_CTL_PRIVACY_H
#define SPUR_CTL_PRIVACY_H

#include "core/limits.h"
#include "ctl/ctl_priv.h"

enum privacy { /* words of PrivateData */
    PRIVATE_ACCOUNTS = 1 << 0,
    PRIVATE_JOBS = 1 << 1,
    PRIVATE_NODES = 1 << 2,
    PRIVATE_PARTITIONS = 1 << 3,
    PRIVATE_RESERVATIONS = 1 << 4,
    PRIVATE_USAGE = 1 << 5,
    PRIVATE_USERS = 1 << 6,
};

/* The kinds of records of other users that are hidden from this peer. */
unsigned privacy_hidden(const struct ctl *t, const struct ctl_peer *peer);

bool privacy_shows_job(const struct ctl *t, const struct ctl_peer *peer, const struct job *j);
bool privacy_shows_resv(const struct ctl *t, const struct ctl_peer *peer, const struct resv *r);

/* The associations of a user and all above them, by number; and whether the user they were made for sees one. */
void privacy_own_assocs(const struct ctl *t, uint32_t uid, struct map *out);
bool privacy_shows_assoc(unsigned hidden, const struct map *own, const struct assoc *a);

/* Reduce a query for jobs to the jobs of `uid`. */
void privacy_restrict(Pb__JobQuery *q, uint32_t uid);

#endif
