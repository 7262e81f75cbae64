/* resv - the fields of a reservation; see resv.h. */
#include "show/resv.h"

#include "base/str.h"
#include "core/resv.h"
#include "show/row.h"
#include "text/time.h"

#define RESV(row) ((const Pb__Resv *)(row))

/* ---- cores ---- */

/* A piece of core_text, which is "n1 0-1,4;n2 0". */
struct core_row {
    const char *node, *cores;
    size_t node_len, cores_len;
};
_Static_assert(sizeof(struct core_row) <= SHOW_ROOM, "it is built in the room of a row");

/* The piece at `text`; returns the beginning of the next one, or NULL after the last. */
static const char *next_cores(const char *text, struct core_row *r)
{
    size_t len = strcspn(text, ";");
    r->node = text;
    r->node_len = MIN(strcspn(text, " "), len);
    size_t skip = r->node_len + (r->node_len < len);
    r->cores = text + skip;
    r->cores_len = len - skip;
    return text[len] ? text + len + 1 : NULL;
}

static const void *core_at(const void *of, size_t i, void *room)
{
    struct core_row *r = room;
    const char *text = next_cores(of, r);
    for (; i && text; i--)
        text = next_cores(text, r);
    return r;
}

GET(get_core_rows)
{
    const char *text = RESV(row)->core_text;
    struct core_row r;
    v->state = SHOW_SET;
    v->rows = (struct show_rows){ 0, text, core_at };
    for (const char *at = str_empty(text) ? NULL : text; at; v->rows.n++)
        at = next_cores(at, &r);
}

GET(get_core_lines)
{
    struct core_row r;
    struct buf *out = show_make(v);
    const char *text = RESV(row)->core_text;
    for (const char *at = str_empty(text) ? NULL : text; at;) {
        bool first = at == text;
        at = next_cores(at, &r);
        buf_addf(out, "%sNodeName=%.*s CoreIDs=%.*s", first ? "" : "\n", (int)r.node_len, r.node, (int)r.cores_len,
                 r.cores);
    }
}

#define CORES(row) ((const struct core_row *)(row))
GET(get_core_node) { buf_add(show_make(v), CORES(row)->node, CORES(row)->node_len); }
GET(get_core_ids) { buf_add(show_make(v), CORES(row)->cores, CORES(row)->cores_len); }

static const struct show_field core_fields[] = {
    ROW(NULL, "node", TEXT, get_core_node),
    ROW(NULL, "core", TEXT, get_core_ids),
    { 0 },
};
static const struct show_table show_cores = { "reservation cores", core_fields, "", NULL };

/* ---- the rest ---- */

GET_TEXT(get_name, RESV(row)->name)
GET_TEXT(get_state, RESV(row)->active ? "ACTIVE" : "INACTIVE")
GET_COUNT(get_start, RESV(row)->start_s)
GET_COUNT(get_end, RESV(row)->end_s)
GET_TEXT(get_nodes, RESV(row)->nodes)
GET_NUMBER(get_node_count, RESV(row)->node_cnt)
GET_NUMBER(get_core_count, RESV(row)->shown_cores)
GET_TEXT(get_features, RESV(row)->features)
GET_TEXT(get_partition, RESV(row)->partition)
GET_TEXT(get_tres, RESV(row)->tres)
GET_TEXT(get_partitions, RESV(row)->partitions)
GET_TEXT(get_qos, RESV(row)->qos)
GET_TEXT(get_users, RESV(row)->users)
GET_TEXT(get_groups, RESV(row)->groups)
GET_TEXT(get_accounts, RESV(row)->accounts)
GET_TEXT(get_licenses, RESV(row)->licenses)
GET_TEXT(get_comment, RESV(row)->comment)
GET_COUNT(get_delay, RESV(row)->max_start_delay_s)
GET_NUMBER(get_purge, RESV(row)->purge_s ? RESV(row)->purge_s : RESV_PURGE_S)
GET(get_duration)
{
    char text[TIME_TEXT];
    buf_adds(show_make(v), time_secs_text(text, (uint64_t)(RESV(row)->end_s - RESV(row)->start_s)));
}
GET(get_flags) { resv_flags_text(RESV(row)->flags, RESV(row)->purge_s, show_make(v)); }
GET(get_flag_names) { resv_flags_text(RESV(row)->flags, 0, show_make(v)); }

/* clang-format off */
static const struct show_field fields[] = {
    ROW("Accounts",          "accounts",             TEXT, get_accounts,   .of = "accounts"),
    ROW("BurstBuffer",       "burst_buffer",         TEXT, show_get_unset),
    ROW("CoreCnt",           "core_count",           NUMBER, get_core_count, .of = "shown_cores core_cnt"),
    ROW(NULL,                "core_specializations", RECORDS, get_core_rows,  .of = "core_text", .sub = &show_cores),
    ROW("Cores",             NULL,                   LINES, get_core_lines, .format = "   "),
    ROW("EndTime",           "end_time",             TIME, get_end,        .of = "end_s", .name = "END_TIME"),
    ROW("Features",          "features",             TEXT, get_features,   .of = "features"),
    ROW(NULL,                "flags",                LIST, get_flag_names, .of = "flags"),
    ROW("Flags",             NULL,                   TEXT, get_flags,      .pair_none = ""),
    ROW("Groups",            "groups",               TEXT, get_groups,     .of = "groups"),
    ROW("Licenses",          "licenses",             TEXT, get_licenses,   .of = "licenses"),
    ROW("MaxStartDelay",     "max_start_delay",      SECONDS, get_delay,      .of = "max_start_delay_s",
        .pair_none = "(null)", .flags = SHOW_PLAIN),
    ROW("ReservationName",   "name",                 TEXT, get_name,       .of = "name", .name = "RESV_NAME"),
    ROW("NodeCnt",           "node_count",           NUMBER, get_node_count, .of = "node_cnt"),
    ROW("Nodes",             "node_list",            TEXT, get_nodes,      .of = "nodes node", .name = "NODELIST"),
    ROW("PartitionName",     "partition",            TEXT, get_partition,  .of = "partition"),
    ROW(NULL,                "purge_completed.time", NUMBER_SET, get_purge,      .of = "purge_s"),
    ROW("StartTime",         "start_time",           TIME, get_start,      .of = "start_s", .name = "START_TIME"),
    ROW(NULL,                "watts",                RECORD, show_get_empty, .sub = &show_empty, .until = 44),
    ROW("TRES",              "tres",                 TEXT, get_tres,       .of = "tres"),
    ROW("Users",             "users",                TEXT, get_users,      .of = "users uid"),
    ROW("Duration",          NULL,                   TEXT, get_duration,   .name = "DURATION"),
    ROW("AllowedPartitions", NULL,                   TEXT, get_partitions, .of = "partitions"),
    ROW("QOS",               NULL,                   TEXT, get_qos,        .of = "qos"),
    ROW("State",             NULL,                   TEXT, get_state,      .of = "active", .name = "STATE"),
    ROW("Comment",           NULL,                   TEXT, get_comment,    .of = "comment"),
    { 0 },
};

static const struct show_skip skips[] = {
    { "id creator_uid", "for the controller" },
    { "float_s", "how a repeated or floating reservation finds its next time; shown by that time" },
    { "tres_per_node gres", "what was asked for; shown by its outcome in tres" },
    { NULL, NULL },
};
/* clang-format on */

const struct show_table show_resv = {
    "reservation", fields,
    "ReservationName StartTime EndTime Duration\n"
    "Nodes NodeCnt CoreCnt Features PartitionName Flags\n"
    "Cores\n"
    "TRES\n"
    "AllowedPartitions QOS\n"
    "Users Groups Accounts Licenses State BurstBuffer\n"
    "MaxStartDelay\n"
    "?Comment",
    skips,
};
