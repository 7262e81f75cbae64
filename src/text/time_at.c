/* time_at - moments: what --begin and --deadline take, and how timestamps are written; see time.h. */
#include <ctype.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/str.h"
#include "text/time.h"

#define AT_MAX 253402300799 /* the end of the year 9999 */

/* What has been read so far. */
struct scan {
    const char *pos;
    struct tm tm;  /* the day and time of day */
    bool day, year, hour; /* which of them were said */
    struct tm today;
};

static int parse_digits(const char *s, int n)
{
    int v = 0;
    while (n--)
        v = v * 10 + (*s++ - '0');
    return v;
}

static int run_of_digits(const char *s)
{
    int n = 0;
    while (n < 16 && isdigit((unsigned char)s[n]))
        n++;
    return n;
}

static bool set_clock(struct scan *sc, int hour, int min, int sec)
{
    if (hour > 23 || min > 59 || sec > 59)
        return false;
    sc->tm.tm_hour = hour;
    sc->tm.tm_min = min;
    sc->tm.tm_sec = sec;
    sc->hour = true;
    return true;
}

/* Year 0 is one that was not said. */
static bool set_day(struct scan *sc, int year, int month, int day)
{
    if (month < 1 || month > 12 || day < 1 || day > 31)
        return false;
    sc->year = year != 0;
    sc->tm.tm_year = sc->year ? year - 1900 : sc->today.tm_year;
    sc->tm.tm_mon = month - 1;
    sc->tm.tm_mday = day;
    sc->day = true;
    return true;
}

static bool set_today(struct scan *sc, int plus)
{
    set_day(sc, sc->today.tm_year + 1900, sc->today.tm_mon + 1, sc->today.tm_mday);
    sc->tm.tm_mday += plus; /* mktime knows how long a month is */
    return true;
}

/* A word for a day or a time of day. */
static bool scan_word(struct scan *sc)
{
    static const struct {
        const char *word;
        int hour, day; /* -1: not said */
    } words[] = {
        { "midnight", 0, -1 }, { "elevenses", 11, -1 }, { "noon", 12, -1 },   { "fika", 15, -1 },
        { "teatime", 16, -1 }, { "today", -1, 0 },      { "tomorrow", -1, 1 },
    };
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        if (!str_has_iprefix(sc->pos, words[i].word))
            continue;
        sc->pos += strlen(words[i].word);
        return words[i].day < 0 ? set_clock(sc, words[i].hour, 0, 0) : set_today(sc, words[i].day);
    }
    return false;
}

/* "am" or "pm" after a time of day, perhaps after blanks. */
static bool scan_half(const char **pos, int *hour)
{
    const char *s = *pos + strspn(*pos, " \t");
    bool am = str_has_iprefix(s, "am"), pm = str_has_iprefix(s, "pm");
    if (!am && !pm)
        return true;
    if (*hour > 12)
        return false;
    *hour = *hour % 12 + (pm ? 12 : 0);
    *pos = s + 2;
    return true;
}

/* H:MM, HH:MM, HH:MM:SS, each with am or pm. */
static bool scan_clock(struct scan *sc, int n)
{
    const char *s = sc->pos;
    int hour = parse_digits(s, n), min, sec = 0;
    s += n + 1;
    if (run_of_digits(s) != 2)
        return false;
    min = parse_digits(s, 2);
    s += 2;
    if (*s == ':') {
        if (run_of_digits(s + 1) != 2)
            return false;
        sec = parse_digits(s + 1, 2);
        s += 3;
    }
    if (hour <= 23 && min > 59)
        sc->pos += n + 1;
    if (!scan_half(&s, &hour) || !set_clock(sc, hour, min, sec))
        return false;
    sc->pos = s;
    return true;
}

/* MM/DD, MM.DD.YY and so on. */
static bool scan_slashes(struct scan *sc, int n)
{
    int month = parse_digits(sc->pos, n), day, year = 0;
    const char *s = sc->pos + n + 1;
    int k = run_of_digits(s);
    if (k < 1 || k > 2)
        return false;
    day = parse_digits(s, k);
    s += k;
    if (*s == '/' || *s == '.') {
        if (run_of_digits(s + 1) != 2)
            return false;
        year = parse_digits(s + 1, 2);
        s += 3;
    }
    if (!set_day(sc, year ? 2000 + year : 0, month, day))
        return false;
    sc->pos = s;
    return true;
}

/* YYYY-MM-DD. */
static bool is_iso(const char *s)
{
    return run_of_digits(s) == 4 && s[4] == '-' && run_of_digits(s + 5) == 2 && s[7] == '-' &&
           run_of_digits(s + 8) == 2;
}

static bool scan_iso(struct scan *sc)
{
    const char *s = sc->pos;
    int year = parse_digits(s, 4), month = parse_digits(s + 5, 2);
    if (year >= 1900 && (month < 1 || month > 12))
        sc->pos += 5;
    if (year < 1900 || !set_day(sc, year, month, parse_digits(s + 8, 2)))
        return false;
    sc->pos += 10;
    return true;
}

/* MMDD or MMDDYY. */
static bool scan_packed(struct scan *sc, int n)
{
    const char *s = sc->pos;
    int year = n == 6 ? parse_digits(s + 4, 2) : 0;
    if (n < 3)
        sc->pos += n; /* a number that nothing follows that it could belong to */
    if ((n != 4 && n != 6) || !set_day(sc, year ? 2000 + year : 0, parse_digits(s, 2), parse_digits(s + 2, 2)))
        return false;
    sc->pos += n;
    return true;
}

static bool scan_digits(struct scan *sc)
{
    int n = run_of_digits(sc->pos);
    char next = sc->pos[n];
    if (is_iso(sc->pos))
        return scan_iso(sc);
    if (n <= 2 && next == ':')
        return scan_clock(sc, n);
    if (n <= 2 && (next == '/' || next == '.'))
        return scan_slashes(sc, n);
    return scan_packed(sc, n);
}

/* Words, days and times of day in any order, with T, '-' or blanks between them. */
static bool scan_all(struct scan *sc)
{
    while (*sc->pos) {
        if (isdigit((unsigned char)*sc->pos) ? scan_digits(sc) : scan_word(sc))
            continue;
        if (!isspace((unsigned char)*sc->pos) && *sc->pos != 'T' && *sc->pos != '-')
            return false;
        sc->pos++;
    }
    return sc->day || sc->hour;
}

/* Of the past: a day that is still to come this year means that of the last one. */
static time_t resolve_past(const struct scan *sc, time_t now)
{
    struct tm tm = sc->tm;
    tm.tm_isdst = -1;
    time_t at = mktime(&tm);
    if (at <= now || !sc->day || sc->year)
        return at;
    tm = sc->tm;
    tm.tm_isdst = -1;
    tm.tm_year--;
    return mktime(&tm);
}

/* A day or time that is over means the next one of its kind, unless it was said in full. */
static time_t resolve_time(const struct scan *sc, time_t now)
{
    struct tm tm = sc->tm;
    tm.tm_isdst = -1;
    time_t at = mktime(&tm);
    if (at >= now || (sc->day && sc->year))
        return at;
    tm = sc->tm;
    tm.tm_isdst = -1;
    if (sc->day)
        tm.tm_year++;
    else
        tm.tm_mday++;
    return mktime(&tm);
}

/* What follows "now": nothing, or +COUNT[UNIT]. */
static bool parse_now(const char **pos, time_t now, time_t *at)
{
    static const struct {
        const char *unit;
        int64_t seconds;
    } units[] = { { "second", 1 }, { "minute", 60 }, { "hour", 3600 }, { "day", 86400 }, { "week", 604800 } };
    const char *s = *pos + strspn(*pos, " \t");
    int64_t sign = *s == '-' ? -1 : 1, seconds = 1;
    *at = now;
    if (!*s)
        return true;
    if (*s != '+' && *s != '-')
        return false;
    s += 1 + strspn(s + 1, " \t");
    int n = run_of_digits(s);
    if (n < 1 || n > 12)
        return false;
    int64_t count = strtoll(s, NULL, 10);
    *pos = s;
    s += n;
    s += strspn(s, " \t");
    for (size_t i = 0; i < ARRAY_LEN(units); i++)
        if (str_has_iprefix(s, units[i].unit)) {
            seconds = units[i].seconds;
            s += strlen(units[i].unit);
            s += *s == 's' || *s == 'S';
            break;
        }
    *at = now + sign * count * seconds;
    return !s[strspn(s, " \t")];
}

static int time_refuse(const char *text, const char *pos, struct err *err)
{
    return err_set(err, EINVAL, "Invalid time specification (pos=%d): %s", (int)(pos - text), text);
}

static int parse_moment(const char *text, time_t now, bool past, time_t *out, struct err *err)
{
    struct scan sc = { .pos = str_or(text, "") };
    const char *start = sc.pos;
    uint64_t uts;
    time_t at;
    if (str_has_iprefix(start, "now")) {
        sc.pos += 3;
        if (!parse_now(&sc.pos, now, &at))
            return time_refuse(start, sc.pos, err);
    } else if (!past && str_has_prefix(start, "uts")) {
        if (!str_u64(start + 3, 0, AT_MAX, &uts))
            return time_refuse(start, start, err);
        at = (time_t)uts;
    } else {
        localtime_r(&now, &sc.today);
        sc.tm = sc.today;
        set_clock(&sc, 0, 0, 0);
        sc.hour = false;
        if (!scan_all(&sc))
            return time_refuse(start, sc.pos, err);
        at = past ? resolve_past(&sc, now) : resolve_time(&sc, now);
    }
    if (at > AT_MAX)
        return err_set(err, ERANGE, "Invalid time specification: %s is too far away", start);
    *out = MAX(at, 0);
    return 0;
}

int time_at_parse(const char *text, time_t now, time_t *at, struct err *err)
{
    return parse_moment(text, now, false, at, err);
}

int time_past_parse(const char *text, time_t now, time_t *at, struct err *err)
{
    return parse_moment(text, now, true, at, err);
}

char *time_stamp(char out[static TIME_TEXT], time_t at, const char *when_unset)
{
    struct tm tm;
    if (at <= 0 || at == TIME_INFINITE || at == TIME_NO_VAL || !localtime_r(&at, &tm) ||
        !strftime(out, TIME_TEXT, "%Y-%m-%dT%H:%M:%S", &tm))
        snprintf(out, TIME_TEXT, "%s", when_unset);
    return out;
}
