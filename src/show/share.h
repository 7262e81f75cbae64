/*
 * share - the fields of sshare: an association and its fair share.
 */
#ifndef SPUR_SHOW_SHARE_H
#define SPUR_SHOW_SHARE_H

#include "message.pb-c.h"
#include "show/show.h"
#include "text/strs.h"

struct share_row {
    const Pb__Assoc *assoc;
    const Pb__ShareRow *share;
    double all_raw;           /* usage of the whole cluster */
    const char *cluster;
    const char *parent;       /* the account above it; NULL: none */
    const struct strs *tres;  /* names of what is counted */
    uint32_t depth;           /* below accounts that are shown */
    bool classic;             /* PriorityFlags=NO_FAIR_TREE: there are no levels */
};

extern const struct show_table show_share; /* rows are struct share_row */

/* Has the row a level that JSON can only write as a placeholder? */
bool share_level_infinite(const struct share_row *r);

#endif
