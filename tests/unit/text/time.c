/* Times: limits, durations and moments; the answers are Slurm's. */
#include "test.h"

#include <stdlib.h>

#include "base/mem.h"
#include "text/signal.h"
#include "text/time.h"

static void test_limit(void)
{
    static const struct {
        const char *text;
        uint32_t minutes;
        const char *squeue, *scontrol;
    } cases[] = {
        { "1", 1, "1:00", "00:01:00" },
        { "60", 60, "1:00:00", "01:00:00" },
        { "1:30", 2, "2:00", "00:02:00" },
        { "0:01", 1, "1:00", "00:01:00" },
        { "1:2:3", 63, "1:03:00", "01:03:00" },
        { "1-0", 1440, "1-00:00:00", "1-00:00:00" },
        { "1-", 1440, "1-00:00:00", "1-00:00:00" },
        { "1-2", 1560, "1-02:00:00", "1-02:00:00" },
        { "1-2:3", 1563, "1-02:03:00", "1-02:03:00" },
        { "1-2:3:4", 1564, "1-02:04:00", "1-02:04:00" },
        { "UNLIMITED", TIME_INFINITE, "UNLIMITED", "UNLIMITED" },
        { "infinite", TIME_INFINITE, "UNLIMITED", "UNLIMITED" },
        { "-1", TIME_INFINITE, "UNLIMITED", "UNLIMITED" },
        { "4294967295", TIME_INFINITE, "UNLIMITED", "UNLIMITED" },
        { "90", 90, "1:30:00", "01:30:00" },
        { "1441", 1441, "1-00:01:00", "1-00:01:00" },
        { "525600", 525600, "365-00:00:00", "365-00:00:00" },
        { "1:60", 2, "2:00", "00:02:00" },
        { "1:61:00", 121, "2:01:00", "02:01:00" },
        { "25:00:00", 1500, "1-01:00:00", "1-01:00:00" },
        { "1-25", 2940, "2-01:00:00", "2-01:00:00" },
        { "0", 0, "0:00", "00:00:00" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        uint32_t m = 12345;
        char out[TIME_TEXT];
        ok(!time_limit_parse(cases[i].text, &m, NULL) && m == cases[i].minutes, "limit %s", cases[i].text);
        is_str(time_limit_short(out, m), cases[i].squeue, "squeue shows %s", cases[i].text);
        is_str(time_limit_text(out, m), cases[i].scontrol, "scontrol shows %s", cases[i].text);
    }
    static const char *const bad[] = {
        "",    "abc",  "1h", "-5",  "1:2:3:4",    "1-1-1",       " 5", "5 ",  "1.",  "5m",  ":30",  "1:",
        "1-:", "1::2", "+5", "Inf", "4294967294", "99999999999", "-",  "1--", "-1-", "--1", "1-2:",
    };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct err err = ERR_INIT;
        uint32_t m = 7;
        ok(time_limit_parse(bad[i], &m, &err) && strstr(err.text, bad[i]) && m == 7, "refused: %s", err.text);
    }
    uint32_t s;
    ok(!time_secs_parse("1:30", &s, NULL) && s == 90, "seconds are not rounded there");
    ok(time_secs_parse("99999999-0", &s, NULL) == ERANGE, "too many seconds");
}

static void test_duration(void)
{
    static const struct {
        int64_t seconds;
        const char *squeue, *scontrol;
    } cases[] = {
        { 0, "0:00", "00:00:00" },
        { 42, "0:42", "00:00:42" },
        { 600, "10:00", "00:10:00" },
        { 7384, "2:03:04", "02:03:04" },
        { 93784, "1-02:03:04", "1-02:03:04" },
        { 86399, "23:59:59", "23:59:59" },
    };
    char out[TIME_TEXT];
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        is_str(time_elapsed(out, cases[i].seconds), cases[i].squeue, "%s elapsed", cases[i].squeue);
        is_str(time_secs_text(out, (uint64_t)cases[i].seconds), cases[i].scontrol, "%s in full", cases[i].scontrol);
    }
    is_str(time_elapsed(out, -1), "INVALID", "before the start");
    is_str(time_limit_text(out, TIME_NO_VAL), "Partition_Limit", "scontrol: no limit given");
    is_str(time_limit_short(out, TIME_NO_VAL), "NOT_SET", "squeue: no limit given");
    is_str(time_secs_text(out, UINT64_MAX), "213503982334601-07:00:15", "the longest fits");
}

#define NOW 1794774408 /* 2026-11-15T20:26:48 UTC, a Sunday */

static void test_at(void)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        { "now", "2026-11-15T20:26:48" },
        { "now+1", "2026-11-15T20:26:49" },
        { "now+60seconds", "2026-11-15T20:27:48" },
        { "now+3minutes", "2026-11-15T20:29:48" },
        { "now+1hour", "2026-11-15T21:26:48" },
        { "NOW+1HOUR", "2026-11-15T21:26:48" },
        { "now + 1 hour", "2026-11-15T21:26:48" },
        { "now+1day", "2026-11-16T20:26:48" },
        { "now+2weeks", "2026-11-29T20:26:48" },
        { "now-1hour", "2026-11-15T19:26:48" },
        { "now ", "2026-11-15T20:26:48" },
        { "16:00", "2026-11-16T16:00:00" },
        { "23:59", "2026-11-15T23:59:00" },
        { "23:59:58", "2026-11-15T23:59:58" },
        { "4:30pm", "2026-11-16T16:30:00" },
        { "11:30 pm", "2026-11-15T23:30:00" },
        { "11:30PM", "2026-11-15T23:30:00" },
        { "12:00am", "2026-11-16T00:00:00" },
        { "12:30 am", "2026-11-16T00:30:00" },
        { "0:30pm", "2026-11-16T12:30:00" },
        { "1:30:30Pm", "2026-11-16T13:30:30" },
        { "0:00", "2026-11-16T00:00:00" },
        { "  16:00 ", "2026-11-16T16:00:00" },
        { "T16:00", "2026-11-16T16:00:00" },
        { "16:00-", "2026-11-16T16:00:00" },
        { "midnight", "2026-11-16T00:00:00" },
        { "MIDNIGHT", "2026-11-16T00:00:00" },
        { "noon", "2026-11-16T12:00:00" },
        { "teatime", "2026-11-16T16:00:00" },
        { "fika", "2026-11-16T15:00:00" },
        { "elevenses", "2026-11-16T11:00:00" },
        { "today", "2026-11-15T00:00:00" },
        { "tomorrow", "2026-11-16T00:00:00" },
        { "noon tomorrow", "2026-11-16T12:00:00" },
        { "tomorrow-noon", "2026-11-16T12:00:00" },
        { "tomorrowT12:00", "2026-11-16T12:00:00" },
        { "tomorrow 12:00", "2026-11-16T12:00:00" },
        { "16:00tomorrow", "2026-11-16T16:00:00" },
        { "today noon", "2026-11-15T12:00:00" },
        { "todayT23:30", "2026-11-15T23:30:00" },
        { "011527", "2027-01-15T00:00:00" },
        { "01/15/27", "2027-01-15T00:00:00" },
        { "01.15.27", "2027-01-15T00:00:00" },
        { "1/5/27", "2027-01-05T00:00:00" },
        { "01/15", "2027-01-15T00:00:00" },
        { "0115", "2027-01-15T00:00:00" },
        { "12/25", "2026-12-25T00:00:00" },
        { "1225", "2026-12-25T00:00:00" },
        { "11/15", "2027-11-15T00:00:00" },
        { "11/15-20:00", "2027-11-15T20:00:00" },
        { "11/15-23:00", "2026-11-15T23:00:00" },
        { "23:00 1115", "2026-11-15T23:00:00" },
        { "01/15-16:00", "2027-01-15T16:00:00" },
        { "01/01/99", "2099-01-01T00:00:00" },
        { "01/01/00", "2027-01-01T00:00:00" },
        { "2027-01-20", "2027-01-20T00:00:00" },
        { "2027-01-20T12:34", "2027-01-20T12:34:00" },
        { "2027-01-20T12:34:56", "2027-01-20T12:34:56" },
        { "2027-01-20 12:34", "2027-01-20T12:34:00" },
        { "2027-01-20-12:34", "2027-01-20T12:34:00" },
        { "2010-01-20T12:34:00", "2010-01-20T12:34:00" },
        { "2027-02-30", "2027-03-02T00:00:00" },
        { "2027-01-20T", "2027-01-20T00:00:00" },
        { "noon2027-01-20", "2027-01-20T12:00:00" },
        { "12:34T2027-01-20", "2027-01-20T12:34:00" },
        { "uts1800000000", "2027-01-15T08:00:00" },
        { "9999-12-31", "9999-12-31T00:00:00" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err err = ERR_INIT;
        time_t at = 0;
        char out[TIME_TEXT];
        int rc = time_at_parse(cases[i].text, NOW, &at, &err);
        is_str(rc ? err.text : time_stamp(out, at, "Unknown"), cases[i].want, "moment %s", cases[i].text);
    }
    is_int(NOW % 86400, 20 * 3600 + 26 * 60 + 48, "the clock of the test");
}

static void test_past(void)
{
    static const struct { const char *text, *want; } cases[] = {
        { "0101", "2026-01-01T00:00:00" },       { "1231", "2025-12-31T00:00:00" },
        { "12/31", "2025-12-31T00:00:00" },      { "00:00", "2026-11-15T00:00:00" },
        { "23:59", "2026-11-15T23:59:00" },      { "2010-01-20", "2010-01-20T00:00:00" },
        { "12.31.20-10:00", "2020-12-31T10:00:00" }, { "now-1hours", "2026-11-15T19:26:48" },
        { "midnight", "2026-11-15T00:00:00" },   { "6:30 PM", "2026-11-15T18:30:00" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err err = ERR_INIT;
        char out[TIME_TEXT];
        time_t at = 0;
        int rc = time_past_parse(cases[i].text, NOW, &at, &err);
        is_str(rc ? err.text : time_stamp(out, at, ""), cases[i].want, "moment of the past %s", cases[i].text);
    }
    time_t at;
    ok(time_past_parse("uts100", NOW, &at, NULL), "seconds since 1970 are no time of the accounting commands");
}

static void test_at_refused(void)
{
    static const char *const bad[] = {
        "",           "abc",          "now+",       "now+x",      "now+3min",         "now+5s",        "now+1w",
        "now+1hourx", "now tomorrow", "24:00",      "12:60",      "13:00pm",          "4pm",           "1:2",
        "1:02:3",     "2027-1-5",     "2027-13-01", "now+1.5h",   "2027-01-20T25:00", "2027-01-20T12", "20270120",
        "01/32/27",   "00/01",        "1/0",        "9",          "12",               "T",             "-",
        "tod",        "11:30p",       "16:00:00.5", "uts",        "uts12x",           "uts-5",         "1800000000",
        "16:0",       "01/15/2027",   "01152027",   "1-1-27",     "2027-01-20T12:34Z", "noonpm",
        "now+999999999999weeks",
    };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct err err = ERR_INIT;
        time_t at = 0;
        ok(time_at_parse(bad[i], NOW, &at, &err) && strstr(err.text, bad[i]), "refused: %s", err.text);
    }
    struct err err = ERR_INIT;
    time_t at;
    time_at_parse("2027-01-20T25:00", NOW, &at, &err);
    is_str(err.text, "Invalid time specification (pos=11): 2027-01-20T25:00", "the place of the error is told");
    char out[TIME_TEXT];
    is_str(time_stamp(out, 0, "N/A"), "N/A", "no moment is the caller's word");
}

static void test_signal(void)
{
    static const struct {
        const char *text;
        int signo;
        uint32_t lead_s;
        bool batch, resv;
    } cases[] = {
        { "USR1", 10, 60 },         { "SIGUSR1", 10, 60 },       { "usr1", 10, 60 },        { "10", 10, 60 },
        { "USR1@120", 10, 120 },    { "USR1@", 10, 60 },         { "INT@0", 2, 0 },         { "B:USR1", 10, 60, true },
        { "b:USR1", 10, 60, true }, { "R:TERM@5", 15, 5, false, true }, { "RB:USR1", 10, 60, true, true },
        { "BR:USR1@5", 10, 5, true, true }, { "USR1@65535", 10, 65535 }, { "64", 64, 60 }, { "sigkill", 9, 60 },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct signal_spec s = { 0 };
        int rc = signal_spec_parse(cases[i].text, &s, NULL);
        ok(!rc && s.signo == cases[i].signo && s.lead_s == cases[i].lead_s && s.batch == cases[i].batch &&
               s.resv == cases[i].resv, "signal %s", cases[i].text);
    }
    static const char *const bad[] = { "", "@60", "R:B:USR1", "B:USR1@70000", "USR1@-1", "FOO", "0", "B:", "USR1@10x",
                                       "SIGRTMIN", "SIGINT+1", "X:USR1" };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct err err = ERR_INIT;
        struct signal_spec s;
        ok(signal_spec_parse(bad[i], &s, &err) == EINVAL, "\"%s\" is refused: %s", bad[i], err.text);
    }
}

int main(void)
{
    setenv("TZ", "UTC", 1);
    tzset();
    test_limit();
    test_duration();
    test_at();
    test_past();
    test_at_refused();
    test_signal();
    return test_done();
}
