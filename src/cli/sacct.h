/*
 * sacct - what the parts of sacct share: its options and the question they become.
 */
#ifndef SPUR_CLI_SACCT_H
#define SPUR_CLI_SACCT_H

#include "base/vec.h"
#include "cli/document.h"
#include "client/client.h"
#include "message.pb-c.h"
#include "show/sacct.h"
#include "text/stepid.h"
#include "text/strs.h"

struct sacct {
    /* options */
    int all_users, all_clusters, allocations, array, brief, completion, duplicates, expand, federation, help,
        help_format, help_reason, help_state, local, local_uid, long_list, no_convert, no_header, script, environment,
        truncate, usage, version;
    unsigned verbose;
    bool bars, ends;              /* -p, -P: the later one counts */
    bool whole_het, exact_het;
    const char *delimiter, *file, *start, *end, *units, *nodes, *cpu_range, *node_range, *limit_min, *limit_max;
    struct strs jobs, accounts, assocs, clusters, constraints, flags, groups, names, qos, parts, reasons, states, users,
        wckeys, format;
    struct document doc;

    /* the question */
    Pb__HistoryQuery query;
    VEC(Pb__JobRef *) refs;
    VEC(struct stepid) ids;
    VEC(uint32_t) uids;
    VEC(uint32_t) gids;
    VEC(uint32_t) state_codes;
    struct strs node_names;
    int64_t now_s;
    bool other_cluster; /* this one is not among --clusters: nothing is shown */

    /* the answer */
    struct client *client;
    Pb__AssocReply *tree;   /* numbers of associations and QOS; NULL: not needed */
    struct sacct_env env;
    struct show_columns columns;
    struct buf out;
};

/* Make the question of the options; 0, or the exit status (what is wrong has been said). */
int sacct_read(struct sacct *s);
void sacct_clear(struct sacct *s);

/* Associations and QOS, asked for once; NULL with a message when they cannot be had. */
const Pb__AssocReply *sacct_tree(struct sacct *s);

#endif
