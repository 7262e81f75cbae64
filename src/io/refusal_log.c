/* refusal_log - refused connections, at a bounded rate; see refusal_log.h. */
#include "io/refusal_log.h"

#include "base/clock.h"
#include "base/log.h"

static int64_t second;
static unsigned lines, left_out;

/* May a line be logged now? */
static bool may_log(void)
{
    int64_t now_s = clock_mono_ms() / 1000;
    if (now_s != second) {
        second = now_s;
        lines = 0;
    }
    if (lines++ >= REFUSALS_A_SECOND) {
        left_out++;
        return false;
    }
    if (left_out)
        log_error("refused connections that are not listed: %u", left_out);
    left_out = 0;
    return true;
}

void refusal_log(const struct link *l, const struct err *why)
{
    if (why->code != ECONNRESET && may_log())
        log_error("connection refused from=%s says=%s why=%s", link_remote(l), link_claimed(l), why->text);
}

void refusal_log_listener(const char *why)
{
    if (may_log())
        log_error("connections cannot be accepted why=%s", why);
}
