/* license - the fields of a licence; see license.h. */
#include "show/license.h"

#include "base/mem.h"
#include "record.pb-c.h"

#define LICENSE(row) ((const Pb__License *)(row))
#define GET(name) static void name(struct show_value *v, const struct show_field *f, const void *row)

GET(get_name) { show_set_text(v, LICENSE(row)->name); }
GET(get_total) { show_set_number(v, (int64_t)LICENSE(row)->count); }
GET(get_used) { show_set_number(v, (int64_t)LICENSE(row)->used); }
GET(get_reserved) { show_set_number(v, (int64_t)LICENSE(row)->reserved); }
GET(get_free)
{
    const Pb__License *l = LICENSE(row);
    show_set_number(v, (int64_t)(l->count - MIN(l->count, l->used + l->reserved)));
}

/* clang-format off */
static const struct show_field fields[] = {
    { .key = "LicenseName", .json = "LicenseName",  .type = SHOW_TEXT,   .get = get_name,       .of = "name" },
    { .key = "Total",       .json = "Total",        .type = SHOW_NUMBER, .get = get_total,      .of = "count" },
    { .key = "Used",        .json = "Used",         .type = SHOW_NUMBER, .get = get_used,       .of = "used" },
    { .key = "Free",        .json = "Free",         .type = SHOW_NUMBER, .get = get_free },
    { .key = "Remote",      .json = "Remote",       .type = SHOW_BOOL,   .get = show_get_unset, .pair_none = "no" },
    { .key = "Reserved",    .json = "Reserved",     .type = SHOW_NUMBER, .get = get_reserved,   .of = "reserved" },
    {                       .json = "LastConsumed", .type = SHOW_NUMBER, .get = show_get_unset },
    {                       .json = "LastDeficit",  .type = SHOW_NUMBER, .get = show_get_unset },
    {                       .json = "LastUpdate",   .type = SHOW_TIME,   .get = show_get_unset, .flags = SHOW_PLAIN },
    {                       .json = "Nodes",        .type = SHOW_TEXT,   .get = show_get_unset },
    { 0 },
};
/* clang-format on */

const struct show_table show_license = {
    "license", fields, "LicenseName\nTotal Used Free Reserved Remote", .indent = "    ", .dense = true,
};
