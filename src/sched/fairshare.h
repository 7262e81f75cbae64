/*
 * fairshare - Slurm's fair tree, and the classic fair share that preceded it.
 *
 * The fair tree ranks users by how much of their shares they have used.  In each account, a member's norm_shares are
 * its shares among its siblings, and `used` is its usage (with all below it) among its siblings; their quotient is its
 * level value.  The tree is walked from the highest level value to the lowest, and users are ranked in the order of the
 * walk.  So all users of an account with a lower level value come after all users of its siblings, whatever they used
 * themselves.  Equal users share a rank; accounts with equal level values are walked as one.
 */
#ifndef SPUR_SCHED_FAIRSHARE_H
#define SPUR_SCHED_FAIRSHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAIR_TOP UINT32_MAX /* parent of a member at the top */

struct fair_member {
    uint32_t parent; /* index of its account, which precedes it; FAIR_TOP: none */
    bool user;       /* else an account */
    uint32_t shares;
    double usage;   /* its own; for an account, that of all below it is added */
    bool as_parent; /* FairShare=parent, classic only: the member has its account's values */
    /* filled in: */
    double norm_shares, used; /* among its siblings, 0 to 1 */
    double level;             /* norm_shares / used; infinite without usage */
    double factor;            /* users: rank / number of users, 1 for the first */
};

void fairshare_tree(struct fair_member *at, size_t n);

/*
 * Slurm's classic fair share (PriorityFlags=NO_FAIR_TREE): 2^(-used / norm_shares / damping).  norm_shares is a
 * fraction of the whole cluster, and `used` is raised by what the siblings used, in proportion to the shares.
 * `oblivious` (DEPTH_OBLIVIOUS): the depth in the tree does not lower the factor; `used` follows from the ratio of the
 * account and the member's own ratio among its siblings.
 */
struct fair_classic {
    bool oblivious;
    uint32_t damping; /* FairShareDampeningFactor */
};
void fairshare_classic(struct fair_member *at, size_t n, const struct fair_classic *how);

#endif
