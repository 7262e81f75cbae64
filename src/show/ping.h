/*
 * ping - the fields of scontrol ping: a controller, and whether it answers.
 */
#ifndef SPUR_SHOW_PING_H
#define SPUR_SHOW_PING_H

#include "message.pb-c.h"
#include "show/show.h"

struct ping_row {
    const char *host;
    bool primary;                  /* the first of the configuration */
    const Pb__StatusReply *status; /* NULL: it does not answer */
    uint64_t latency_us;
};

extern const struct show_table show_ping; /* rows are struct ping_row */

#endif
