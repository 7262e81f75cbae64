/* ping - the fields of scontrol ping; see ping.h. */
#include "show/ping.h"

#include "show/row.h"

#define PING(row) ((const struct ping_row *)(row))

GET_TEXT(get_host, PING(row)->host)
GET_COUNT(get_up, PING(row)->status != NULL)
GET_NUMBER(get_latency, PING(row)->latency_us)
GET_COUNT(get_primary, PING(row)->primary)
GET_TEXT(get_status, PING(row)->status ? "No error" : "Unable to contact slurm controller (connect failure)")
GET_TEXT(get_pinged, PING(row)->status ? "UP" : "DOWN")
GET_TEXT(get_mode, PING(row)->primary ? "primary" : "backup")

static const struct show_field fields[] = {
    ROW(NULL, "hostname", TEXT, get_host),
    ROW(NULL, "pinged", TEXT, get_pinged, .until = 44),
    ROW(NULL, "responding", BOOL, get_up),
    ROW(NULL, "latency", NUMBER, get_latency),
    ROW(NULL, "mode", TEXT, get_mode, .until = 44),
    ROW(NULL, "primary", BOOL, get_primary),
    ROW(NULL, "status", TEXT, get_status, .since = 45),
    { 0 },
};

const struct show_table show_ping = { "ping", fields, "", NULL };
