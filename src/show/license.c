/* license - the fields of a licence; see license.h. */
#include "show/license.h"

#include "base/mem.h"
#include "record.pb-c.h"
#include "show/row.h"

#define LICENSE(row) ((const Pb__License *)(row))

GET_TEXT(get_name, LICENSE(row)->name)
GET_NUMBER(get_total, LICENSE(row)->count)
GET_NUMBER(get_used, LICENSE(row)->used)
GET_NUMBER(get_reserved, LICENSE(row)->reserved)
GET(get_free)
{
    const Pb__License *l = LICENSE(row);
    show_set_number(v, (int64_t)(l->count - MIN(l->count, l->used + l->reserved)));
}

/* clang-format off */
static const struct show_field fields[] = {
    ROW("LicenseName", "LicenseName",  TEXT,   get_name,       .of = "name"),
    ROW("Total",       "Total",        NUMBER, get_total,      .of = "count"),
    ROW("Used",        "Used",         NUMBER, get_used,       .of = "used"),
    ROW("Free",        "Free",         NUMBER, get_free),
    ROW("Remote",      "Remote",       BOOL,   show_get_unset, .pair_none = "no"),
    ROW("Reserved",    "Reserved",     NUMBER, get_reserved,   .of = "reserved"),
    ROW(NULL,          "LastConsumed", NUMBER, show_get_unset),
    ROW(NULL,          "LastDeficit",  NUMBER, show_get_unset),
    ROW(NULL,          "LastUpdate",   TIME,   show_get_unset, .flags = SHOW_PLAIN),
    ROW(NULL,          "Nodes",        TEXT,   show_get_unset, .since = 44),
    { 0 },
};
/* clang-format on */

const struct show_table show_license = {
    "license", fields, "LicenseName\nTotal Used Free Reserved Remote", .indent = "    ", .dense = true,
};
