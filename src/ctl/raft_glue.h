/*
 * raft_glue - the ledger's callbacks: committed entries, snapshots, changes of the role, the identity that it shows to
 * other controllers.
 */
#ifndef SPUR_CTL_RAFT_GLUE_H
#define SPUR_CTL_RAFT_GLUE_H

#include "base/err.h"

struct daemon;

/* Open the ledger of this controller and rebuild the state from it. */
int raft_glue_open(struct daemon *d, struct err *err);

#endif
