/* refusal_log - refused connections, at a bounded rate; see refusal_log.h. */
#include "io/refusal_log.h"

#include "base/clock.h"
#include "base/log.h"

void refusal_log(const struct link *l, const struct err *why)
{
    static int64_t second;
    static unsigned lines, left_out;
    int64_t now_s = clock_mono_ms() / 1000;
    if (why->code == ECONNRESET)
        return;
    if (now_s != second) {
        second = now_s;
        lines = 0;
    }
    if (lines++ >= REFUSALS_A_SECOND) {
        left_out++;
        return;
    }
    if (left_out)
        log_error("refused connections that are not listed: %u", left_out);
    left_out = 0;
    log_error("connection refused from=%s says=%s why=%s", link_remote(l), link_claimed(l), why->text);
}
