/* time - time limits and durations as text; see time.h.  Moments are in time_at.c. */
#include "text/time.h"

#include <ctype.h>
#include <stdio.h>

#include "base/str.h"

#define MINUTE 60
#define HOUR   3600
#define DAY    86400

/* Digits at `*s` become `*out`; more than ten are no sensible time. */
static bool parse_digits(const char **s, uint64_t *out)
{
    const char *from = *s;
    uint64_t v = 0;
    while (isdigit((unsigned char)**s) && *s - from < 11)
        v = v * 10 + (uint64_t)(*(*s)++ - '0');
    *out = v;
    return *s > from && *s - from < 11;
}

/* What the fields between colons count, by how many there are; after "days-" they start at hours. */
static const uint64_t unit_plain[3][3] = { { MINUTE }, { MINUTE, 1 }, { HOUR, MINUTE, 1 } };
static const uint64_t unit_days[3] = { HOUR, MINUTE, 1 };

static bool parse_total(const char *s, uint64_t *seconds)
{
    uint64_t field[3], days = 0;
    int n = 0;
    const char *dash = strchr(s, '-');
    if (dash && (!parse_digits(&s, &days) || s++ != dash))
        return false;
    *seconds = days * DAY;
    if (dash && !*s) /* "1-" is a day */
        return true;
    do {
        if (n == 3 || !parse_digits(&s, &field[n++]))
            return false;
    } while (*s == ':' && s++);
    const uint64_t *unit = dash ? unit_days : unit_plain[n - 1];
    for (int i = 0; i < n; i++)
        *seconds += field[i] * unit[i];
    return !*s;
}

/* Seconds, or UINT64_MAX for unlimited. */
static int parse_duration(const char *text, uint64_t *seconds, struct err *err)
{
    const char *s = str_or(text, "");
    if (str_ieq(s, "UNLIMITED") || str_ieq(s, "INFINITE") || str_eq(s, "-1"))
        *seconds = UINT64_MAX;
    else if (!parse_total(s, seconds))
        return err_set(err, EINVAL, "invalid time \"%s\"", s);
    return 0;
}

int time_limit_parse(const char *text, uint32_t *minutes, struct err *err)
{
    uint64_t seconds;
    int rc = parse_duration(text, &seconds, err);
    if (rc)
        return rc;
    uint64_t m = seconds == UINT64_MAX ? TIME_INFINITE : (seconds + MINUTE - 1) / MINUTE;
    if (m > TIME_INFINITE || m == TIME_NO_VAL)
        return err_set(err, ERANGE, "time limit \"%s\" is too long", text);
    *minutes = (uint32_t)m;
    return 0;
}

int time_secs_parse(const char *text, uint32_t *seconds, struct err *err)
{
    uint64_t s;
    int rc = parse_duration(text, &s, err);
    if (rc)
        return rc;
    if (s != UINT64_MAX && s >= TIME_NO_VAL)
        return err_set(err, ERANGE, "time \"%s\" is too long", text);
    *seconds = s == UINT64_MAX ? TIME_INFINITE : (uint32_t)s;
    return 0;
}

char *time_secs_text(char out[static TIME_TEXT], uint64_t seconds)
{
    unsigned long long d = seconds / DAY;
    unsigned h = seconds % DAY / HOUR, m = seconds % HOUR / MINUTE, s = seconds % MINUTE;
    if (d)
        snprintf(out, TIME_TEXT, "%llu-%02u:%02u:%02u", d, h, m, s);
    else
        snprintf(out, TIME_TEXT, "%02u:%02u:%02u", h, m, s);
    return out;
}

char *time_elapsed(char out[static TIME_TEXT], int64_t seconds)
{
    unsigned h = (unsigned)(seconds / HOUR), m = (unsigned)(seconds % HOUR / MINUTE), s = (unsigned)(seconds % MINUTE);
    if (seconds < 0)
        snprintf(out, TIME_TEXT, "INVALID");
    else if (seconds >= DAY)
        time_secs_text(out, (uint64_t)seconds);
    else if (h)
        snprintf(out, TIME_TEXT, "%u:%02u:%02u", h, m, s);
    else
        snprintf(out, TIME_TEXT, "%u:%02u", m, s);
    return out;
}

char *time_limit_text(char out[static TIME_TEXT], uint32_t minutes)
{
    if (minutes == TIME_INFINITE)
        snprintf(out, TIME_TEXT, "UNLIMITED");
    else if (minutes == TIME_NO_VAL)
        snprintf(out, TIME_TEXT, "Partition_Limit");
    else
        time_secs_text(out, (uint64_t)minutes * MINUTE);
    return out;
}

char *time_limit_short(char out[static TIME_TEXT], uint32_t minutes)
{
    if (minutes == TIME_INFINITE)
        snprintf(out, TIME_TEXT, "UNLIMITED");
    else if (minutes == TIME_NO_VAL)
        snprintf(out, TIME_TEXT, "NOT_SET");
    else
        time_elapsed(out, (int64_t)minutes * MINUTE);
    return out;
}
