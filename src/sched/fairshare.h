/*
 * fairshare - Slurm's fair tree, and the classic shares that were before it.
 *
 * The fair tree: who has had least of what was promised stands first.
 *
 * At each level a member's promise is its shares among its siblings, its use what it and those below used among them;
 * promise by use is its level value.  The tree is walked from the highest level value to the lowest, and users are
 * ranked as they are met: all users of a better served account come after all users of its siblings, whatever they did.
 * Equals share a rank; accounts that are equal are walked as one.
 */
#ifndef SPUR_SCHED_FAIRSHARE_H
#define SPUR_SCHED_FAIRSHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAIR_TOP UINT32_MAX /* the parent of those at the top */

struct fair_member {
    uint32_t parent; /* index of its account, which stands before it; FAIR_TOP: none */
    bool user;       /* else an account */
    uint32_t shares;
    double usage;   /* its own; an account's grows by what those below it used */
    bool as_parent; /* FairShare=parent, for the classic one: what its account has is its own */
    /* filled in */
    double norm_shares, used; /* of its level, 0 to 1 */
    double level;             /* promise by use; infinite for who used nothing */
    double factor;            /* users: rank by number of users, 1 for the first */
};

void fairshare_tree(struct fair_member *at, size_t n);

/*
 * Slurm's classic fair share (PriorityFlags=NO_FAIR_TREE): 2^(-use/promise/damping), where the promise is a part of
 * the whole cluster, and a member's use is raised by what its siblings used, as far as its shares go.  `oblivious`
 * (DEPTH_OBLIVIOUS): how deep in the tree one stands does not lower the factor; use is a ratio to the promise, of its
 * account's and of its own among its siblings.
 */
struct fair_classic {
    bool oblivious;
    uint32_t damping; /* FairShareDampeningFactor */
};
void fairshare_classic(struct fair_member *at, size_t n, const struct fair_classic *how);

#endif
