/* A limit reads back from both of its texts; a moment reads back from its timestamp; signals are in range. */
#include "fuzz.h"

#include "text/signal.h"
#include "text/time.h"

#define NOW 1794774408

static void limit(const char *text)
{
    uint32_t minutes, again;
    char out[TIME_TEXT];
    if (time_limit_parse(text, &minutes, NULL))
        return;
    check(!time_limit_parse(time_limit_text(out, minutes), &again, NULL) && again == minutes);
    /* "1:00" of squeue is minutes and seconds, as the parser takes it */
    check(!time_limit_parse(time_limit_short(out, minutes), &again, NULL) && again == minutes);
}

static void seconds(const char *text)
{
    uint32_t s, again;
    char out[TIME_TEXT];
    if (time_secs_parse(text, &s, NULL) || s == TIME_INFINITE)
        return;
    check(!time_secs_parse(time_secs_text(out, s), &again, NULL) && again == s);
    check(!time_secs_parse(time_elapsed(out, s), &again, NULL) && again == s);
}

static void moment(const char *text)
{
    time_t at, again;
    char out[TIME_TEXT];
    if (!time_past_parse(text, NOW, &at, NULL))
        check(at >= 0);
    if (time_at_parse(text, NOW, &at, NULL))
        return;
    time_stamp(out, at, "");
    if (out[0])
        check(!time_at_parse(out, NOW, &again, NULL) && again == at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n > FUZZ_TEXT_MAX)
        return 0;
    auto_free char *text = mem_strn((const char *)data, n);
    struct signal_spec spec;
    setenv("TZ", "UTC", 1);
    limit(text);
    seconds(text);
    moment(text);
    if (!signal_spec_parse(text, &spec, NULL))
        check(spec.signo > 0 && spec.signo < 100 && spec.lead_s <= 65535);
    return 0;
}
