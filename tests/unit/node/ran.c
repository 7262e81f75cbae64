/* An order works once: also after a restart, for as long as it could be believed at all. */
#include "node/ran.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "test.h"

int main(void)
{
    char dir[] = "/tmp/spur-ran-XXXXXX";
    int spool = -1;
    if (!mkdtemp(dir) || spool_open(&spool, dir, NULL))
        return 1;
    struct ran r;
    struct step_key a = { 1, 0, 1 }, b = { 1, 0, 2 }, c = { 2, 0, 1 };
    int64_t now = (int64_t)1800000000 * 1000;
    ok(!ran_open(&r, spool, now, NULL) && !ran_has(&r, a), "at first nothing has run");
    ran_add(&r, a, now);
    ran_add(&r, c, now - 3 * RAN_WINDOW_MS);
    ok(ran_has(&r, a) && !ran_has(&r, b), "an attempt that ran is known, another is not");
    ran_close(&r);
    ok(!ran_open(&r, spool, now + RAN_WINDOW_MS, NULL) && ran_has(&r, a), "it is known after a restart");
    ok(!ran_has(&r, c), "what is too old to be believed is not kept");
    ran_add(&r, b, now + RAN_WINDOW_MS);
    ran_forget(&r, a);
    ran_forget(&r, c);
    ok(!ran_has(&r, a) && ran_has(&r, b), "what came to nothing may come again");
    ran_close(&r);
    ok(!ran_open(&r, spool, now + RAN_WINDOW_MS, NULL) && !ran_has(&r, a) && ran_has(&r, b), "also after a restart");
    ran_add(&r, a, now + RAN_WINDOW_MS);
    ran_close(&r);
    ok(!ran_open(&r, spool, now + RAN_WINDOW_MS, NULL) && ran_has(&r, a), "and then counts as any other");
    ran_close(&r);
    ok(!ran_open(&r, spool, now + 4 * RAN_WINDOW_MS, NULL) && !ran_has(&r, a), "in the end it is forgotten");
    ran_close(&r);
    close(spool);
    auto_free char *rm = mem_printf("rm -rf '%s'", dir);
    ok(!system(rm), "nothing is left");
    return test_done();
}
