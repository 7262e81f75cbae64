/* share - the fields of sshare; see share.h. */
#include "show/share.h"

#include <math.h>

#include "base/str.h"
#include "core/limits.h"
#include "show/row.h"
#include "text/tres.h"

#define ROW_OF(row) ((const struct share_row *)(row))
#define ASSOC(row) (ROW_OF(row)->assoc)
#define SHARE(row) (ROW_OF(row)->share)

#define INFINITE_LEVEL 18446744073709551615.0 /* as Slurm writes it */

/* ---- what is counted, name by name ---- */

struct tres_row {
    const char *name;
    const struct share_row *row;
};
_Static_assert(sizeof(struct tres_row) <= SHOW_ROOM, "it is built in the room of a row");
#define TRES(row) ((const struct tres_row *)(row))

static const void *tres_at(const void *of, size_t i, void *room)
{
    struct tres_row *t = room;
    *t = (struct tres_row){ ROW_OF(of)->tres->at[i], of };
    return t;
}

GET(get_tres)
{
    v->state = SHOW_SET;
    v->rows = (struct show_rows){ ROW_OF(row)->tres ? ROW_OF(row)->tres->n : 0, row, tres_at };
}

GET_TEXT(get_tres_name, TRES(row)->name)

/* What running jobs may still use. */
GET(get_run_seconds)
{
    auto_tres struct tres_list run = TRES_INIT;
    const char *mins = SHARE(TRES(row)->row)->run_mins;
    if (!str_empty(mins))
        tres_parse(mins, &run, NULL);
    show_set_number(v, (int64_t)tres_get(&run, TRES(row)->name, 0) * 60);
}

GET(get_group_minutes)
{
    const Pb__Assoc *a = ASSOC(TRES(row)->row);
    show_set_infinite(v);
    for (size_t i = 0; i < a->n_limits; i++) {
        const Pb__Limit *l = a->limits[i];
        if (l->what == PB__LIMIT_WHAT__LIMIT_MINS && l->scope == PB__LIMIT_SCOPE__LIMIT_GROUP &&
            str_eq(l->tres, TRES(row)->name))
            show_set_number(v, (int64_t)l->max);
    }
}

GET(get_tres_usage)
{
    const Pb__Charged *c = ASSOC(TRES(row)->row)->charged;
    show_set_real(v, 0);
    for (size_t i = 0; c && i < c->n_tres; i++)
        if (str_eq(c->tres[i]->name, TRES(row)->name))
            show_set_real(v, c->tres[i]->seconds);
}

static const struct show_field run_fields[] = {
    ROW(NULL, "name", TEXT, get_tres_name),
    ROW(NULL, "value", NUMBER_SET, get_run_seconds),
    { 0 },
};
static const struct show_field minutes_fields[] = {
    ROW(NULL, "name", TEXT, get_tres_name),
    ROW(NULL, "value", NUMBER_SET, get_group_minutes),
    { 0 },
};
static const struct show_field usage_fields[] = {
    ROW(NULL, "name", TEXT, get_tres_name),
    ROW(NULL, "value", FLOAT, get_tres_usage),
    { 0 },
};
static const struct show_table show_run = { "seconds of running jobs", run_fields, "", NULL };
static const struct show_table show_minutes = { "minutes of a group", minutes_fields, "", NULL };
static const struct show_table show_usage = { "usage", usage_fields, "", NULL };

/* ---- the association ---- */

static bool is_user(const Pb__Assoc *a)
{
    return !str_empty(a->user);
}

GET_NUMBER(get_id, ASSOC(row)->id)
GET_TEXT(get_cluster, ROW_OF(row)->cluster)
GET_TEXT(get_user, ASSOC(row)->user)
GET_TEXT(get_name, is_user(ASSOC(row)) ? ASSOC(row)->user : ASSOC(row)->account)
GET_TEXT(get_parent, is_user(ASSOC(row)) ? ASSOC(row)->account : ROW_OF(row)->parent)
GET_TEXT(get_partition, ASSOC(row)->partition)
GET_TEXT(get_type, is_user(ASSOC(row)) ? "USER" : "ASSOCIATION")
GET(get_account) { buf_addf(show_make(v), "%*s%s", (int)ROW_OF(row)->depth, "", ASSOC(row)->account); }

/* ---- what was promised ---- */

GET(get_shares_text)
{
    const Pb__Assoc *a = ASSOC(row);
    if (a->shares == SHARES_PARENT)
        show_set_text(v, "parent");
    else if (a->parent)
        buf_addf(show_make(v), "%u", a->shares);
}

GET(get_shares)
{
    if (ASSOC(row)->parent)
        show_set_number(v, ASSOC(row)->shares);
}

GET_REAL(get_norm_shares, ASSOC(row)->parent || ROW_OF(row)->classic ? SHARE(row)->norm_shares : 0)

/* ---- what was used, and what follows from it ---- */

GET_REAL(get_raw, SHARE(row)->raw)
GET_NUMBER(get_raw_number, SHARE(row)->raw)
GET_REAL(get_effective, ASSOC(row)->parent ? SHARE(row)->used : 1)

GET(get_norm_usage)
{
    const struct share_row *r = row;
    if (r->assoc->parent)
        show_set_real(v, r->all_raw > 0 ? r->share->raw / r->all_raw : 0);
}

GET(get_factor_column)
{
    if (is_user(ASSOC(row)))
        show_set_real(v, SHARE(row)->factor);
}

GET_REAL(get_factor, is_user(ASSOC(row)) ? SHARE(row)->factor : 0)

static bool has_level(const struct share_row *r)
{
    return r->assoc->parent && r->assoc->shares != SHARES_PARENT && !r->classic;
}

bool share_level_infinite(const struct share_row *r)
{
    return has_level(r) && isinf(r->share->level);
}

GET(get_level_column)
{
    if (has_level(row))
        show_set_real(v, SHARE(row)->level);
}

GET(get_level)
{
    if (has_level(row))
        show_set_real(v, share_level_infinite(row) ? INFINITE_LEVEL : SHARE(row)->level);
}

GET(get_mins)
{
    const Pb__Assoc *a = ASSOC(row);
    struct buf *out = show_make(v);
    size_t start = out->len;
    for (size_t i = 0; i < a->n_limits; i++) {
        const Pb__Limit *l = a->limits[i];
        if (l->what == PB__LIMIT_WHAT__LIMIT_MINS && l->scope == PB__LIMIT_SCOPE__LIMIT_GROUP)
            buf_addf(out, "%s%s=%llu", out->len > start ? "," : "", l->tres, (unsigned long long)l->max);
    }
}

GET(get_tres_raw)
{
    const Pb__Charged *c = ASSOC(row)->charged;
    struct buf *out = show_make(v);
    for (size_t i = 0; c && i < c->n_tres; i++)
        buf_addf(out, "%s%s=%.0f", i ? "," : "", c->tres[i]->name, c->tres[i]->seconds / 60);
}

GET_TEXT(get_run_mins, SHARE(row)->run_mins)

/* clang-format off */
#define COLUMN(name_, width_, type_, get_, ...) \
    { .name = name_, .head = name_, .width = width_, .type = SHOW_##type_, .get = get_, .none = "", __VA_ARGS__ }
static const struct show_field fields[] = {
    COLUMN("Account",      -20, TEXT,   get_account,       .of = "account depth"),
    COLUMN("Cluster",       10, TEXT,   get_cluster,       .json = "cluster"),
    COLUMN("EffectvUsage",  13, FLOAT_SET, get_effective,  .json = "effective_usage", .of = "used"),
    COLUMN("FairShare",     10, FLOAT,  get_factor_column, .of = "factor"),
    COLUMN("GrpTRESMins",   30, TEXT,   get_mins,          .of = "limits"),
    COLUMN("GrpTRESRaw",    30, TEXT,   get_tres_raw,      .of = "charged"),
    COLUMN("ID",             6, NUMBER, get_id,            .json = "id", .of = "id assoc"),
    COLUMN("LevelFS",       10, FLOAT,  get_level_column,  .of = "level"),
    COLUMN("NormShares",    11, FLOAT_SET, get_norm_shares, .json = "shares_normalized", .of = "norm_shares"),
    COLUMN("NormUsage",     11, FLOAT_SET, get_norm_usage, .json = "usage_normalized"),
    COLUMN("Partition",     12, TEXT,   get_partition,     .json = "partition", .of = "partition"),
    COLUMN("RawShares",     10, TEXT,   get_shares_text),
    COLUMN("RawUsage",      11, FLOAT,  get_raw,           .format = "%.0f"),
    COLUMN("TRESRunMins",   30, TEXT,   get_run_mins,      .of = "run_mins"),
    COLUMN("User",          10, TEXT,   get_user,          .of = "user"),
    ROW(NULL, "name",               TEXT,       get_name),
    ROW(NULL, "parent",             TEXT,       get_parent, .of = "parent"),
    ROW(NULL, "shares",             NUMBER_SET, get_shares, .of = "shares"),
    ROW(NULL, "tres.run_seconds",   RECORDS,    get_tres, .sub = &show_run),
    ROW(NULL, "tres.group_minutes", RECORDS,    get_tres, .sub = &show_minutes),
    ROW(NULL, "tres.usage",         RECORDS,    get_tres, .sub = &show_usage),
    ROW(NULL, "usage",              NUMBER,     get_raw_number, .of = "raw"),
    ROW(NULL, "fairshare.factor",   FLOAT_SET,  get_factor),
    ROW(NULL, "fairshare.level",    FLOAT_SET,  get_level),
    ROW(NULL, "type",               LIST,       get_type),
    { 0 },
};

static const struct show_skip skips[] = {
    { "has_uid uid", "the user is shown by name" },
    { "priority qos def_qos is_default description organization users_are_coords", "of sacctmgr" },
    { "running submitted", "counts for limits; sacctmgr and the dashboard have them" },
    { NULL, NULL },
};
/* clang-format on */

const struct show_table show_share = { "share", fields, "", skips, .help_width = 17 };
