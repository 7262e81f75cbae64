/*
 * turn - one turn of the controller: events in, one entry and its outgoing messages out; see ctl.h.
 */
#ifndef SPUR_CTL_TURN_H
#define SPUR_CTL_TURN_H

#include "ctl/ctl_priv.h"

bool turn_has_room(const struct ctl *t); /* for a plan: what it starts goes into the same entry */

#endif
