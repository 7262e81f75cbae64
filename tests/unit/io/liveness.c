/* liveness - when a silent peer is asked, and when it is left. */
#include "io/liveness.h"

#include "test.h"

static void test_limits(void)
{
    static const struct {
        uint32_t timeout_s;
        int64_t silence_ms;
    } cases[] = { { 300, 15000 }, { 60, 15000 }, { 20, 5000 }, { 6, 1500 }, { 1, 1500 }, { 0, 15000 } };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct liveness l;
        liveness_start(&l, cases[i].timeout_s, 0);
        is_int(l.silence_ms, cases[i].silence_ms, "the silence that SlurmdTimeout=%u allows", cases[i].timeout_s);
        ok(l.interval_ms * LIVENESS_INTERVALS <= l.silence_ms, "it has room for a few pings");
    }
}

static void test_silence(void)
{
    struct liveness l;
    liveness_start(&l, 300, 1000);
    is_int(liveness_check(&l, 5999), LIVENESS_FINE, "nothing is asked before an interval is over");
    is_int(liveness_check(&l, 6000), LIVENESS_ASK, "then a ping is sent");
    is_int(liveness_check(&l, 6001), LIVENESS_FINE, "once");
    is_int(liveness_next(&l), 11000, "the next one is due after an interval");
    is_int(liveness_check(&l, 11000), LIVENESS_ASK, "a second ping follows");
    is_int(liveness_check(&l, 16000), LIVENESS_DEAD, "silence for the whole limit is the end");
    liveness_heard(&l, 16000);
    is_int(liveness_check(&l, 20999), LIVENESS_FINE, "a frame makes it live");
    is_int(liveness_check(&l, 21000), LIVENESS_ASK, "until the next silence");
    liveness_heard(&l, 21010);
    is_int(liveness_check(&l, 26009), LIVENESS_FINE, "an answered ping begins a new interval");
}

/* SIGSTOP, or a suspended machine: the clock goes on, and what was sent to this process waits to be read. */
static void test_stood_still(void)
{
    struct liveness l;
    liveness_start(&l, 300, 0);
    is_int(liveness_check(&l, 5000), LIVENESS_ASK, "a ping is under way");
    is_int(liveness_check(&l, 1000000), LIVENESS_ASK, "after a long sleep of this process it is asked again");
    is_int(liveness_check(&l, 1005000), LIVENESS_ASK, "and gets its whole time");
    is_int(liveness_check(&l, 1010000), LIVENESS_DEAD, "after which it is left");
}

int main(void)
{
    test_limits();
    test_silence();
    test_stood_still();
    return test_done();
}
