/*
 * prio - the fields of sprio: what the priority of a waiting job is made of.
 */
#ifndef SPUR_SHOW_PRIO_H
#define SPUR_SHOW_PRIO_H

#include "message.pb-c.h"
#include "show/node.h"

/* In the order in which pb.PrioJob has its factors. */
enum { PRIO_AGE, PRIO_ASSOC, PRIO_FAIRSHARE, PRIO_SIZE, PRIO_PART, PRIO_QOS };

struct prio_row {
    const Pb__PrioReply *reply;
    const Pb__PrioJob *job; /* NULL: the weights */
    show_user_fn *user;
};

extern const struct show_table show_prio; /* rows are struct prio_row */

#endif
