/* An order is executed once, also after a restart, for as long as its signature is valid. */
#include "node/launched_log.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "test.h"

int main(void)
{
    char dir[] = "/tmp/spur-ran-XXXXXX";
    int spool = -1;
    if (!mkdtemp(dir) || spool_open(&spool, dir, NULL))
        return 1;
    struct launched_log r;
    struct step_key a = { 1, 0, 1 }, b = { 1, 0, 2 }, c = { 2, 0, 1 };
    int64_t now = (int64_t)1800000000 * 1000;
    ok(!launched_log_open(&r, spool, now, NULL) && !launched_log_has(&r, a), "at first nothing has run");
    launched_log_add(&r, a, now);
    launched_log_add(&r, c, now - 3 * LAUNCHED_LOG_WINDOW_MS);
    ok(launched_log_has(&r, a) && !launched_log_has(&r, b), "an attempt that ran is known, another is not");
    launched_log_close(&r);
    ok(!launched_log_open(&r, spool, now + LAUNCHED_LOG_WINDOW_MS, NULL) && launched_log_has(&r, a),
       "it is known after a restart");
    ok(!launched_log_has(&r, c), "what is too old to be believed is not kept");
    launched_log_add(&r, b, now + LAUNCHED_LOG_WINDOW_MS);
    launched_log_forget(&r, a);
    launched_log_forget(&r, c);
    ok(!launched_log_has(&r, a) && launched_log_has(&r, b), "what came to nothing may come again");
    launched_log_close(&r);
    ok(!launched_log_open(&r, spool, now + LAUNCHED_LOG_WINDOW_MS, NULL) && !launched_log_has(&r, a) &&
           launched_log_has(&r, b),
       "also after a restart");
    launched_log_add(&r, a, now + LAUNCHED_LOG_WINDOW_MS);
    launched_log_close(&r);
    ok(!launched_log_open(&r, spool, now + LAUNCHED_LOG_WINDOW_MS, NULL) && launched_log_has(&r, a),
       "and then counts as any other");
    launched_log_close(&r);
    ok(!launched_log_open(&r, spool, now + 4 * LAUNCHED_LOG_WINDOW_MS, NULL) && !launched_log_has(&r, a),
       "in the end it is forgotten");
    ok(launched_log_signal(&r, "USR1", 4, now) && !launched_log_signal(&r, "USR1", 4, now), "a signal counts once");
    ok(launched_log_signal(&r, "USR2", 4, now), "another one is another one");
    launched_log_close(&r);
    ok(!launched_log_open(&r, spool, now, NULL) && !launched_log_signal(&r, "USR1", 4, now), "also after a restart");
    launched_log_close(&r);
    close(spool);
    auto_free char *rm = mem_printf("rm -rf '%s'", dir);
    ok(!system(rm), "nothing is left");
    return test_done();
}
