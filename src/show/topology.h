/*
 * topology - the fields of a switch or block, as scontrol show topology has them.
 */
#ifndef SPUR_SHOW_TOPOLOGY_H
#define SPUR_SHOW_TOPOLOGY_H

#include "record.pb-c.h"
#include "show/show.h"

struct topology_row {
    const Pb__TopoUnit *unit;
    size_t index; /* in its topology */
};

extern const struct show_table show_switch; /* rows are struct topology_row */
extern const struct show_table show_block;  /* the same of a topology of blocks */

#endif
