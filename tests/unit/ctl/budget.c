/* budget - a user over a bound is told to slow down, other users are not, and what was taken is given back. */
#include "ctl/budget.h"

#include "base/errnum.h"
#include "base/log.h"
#include "test.h"

#define SLOW SLURMCTLD_COMMUNICATIONS_BACKOFF
#define ADA 1001
#define BOB 1002

static struct site *site_of(const char *parameters)
{
    struct err err = ERR_INIT;
    struct site *site;
    auto_buf struct buf conf = BUF_INIT;
    buf_addf(&conf, "ClusterName=t\nSlurmctldHost=localhost\nNodeName=n1\nPartitionName=p Nodes=n1\n%s\n", parameters);
    if (site_load_text(&site, conf.s, conf.len, "test.conf", &err)) {
        printf("Bail out! %s\n", err.text);
        exit(1);
    }
    return site;
}

static void test_connections(void)
{
    struct budget b;
    struct err err = ERR_INIT;
    budget_init(&b);
    b.connections_max = BUDGET_CONNECTIONS + 1;
    struct budget_user *ada = budget_user(&b, ADA, 0), *bob = budget_user(&b, BOB, 0);
    int rc = 0;
    for (unsigned i = 0; i < BUDGET_CONNECTIONS; i++)
        rc |= budget_connect(&b, ada, &err);
    is_int(rc, 0, "as many connections as a user may have");
    is_int(budget_connect(&b, ada, &err), SLOW, "one more is refused");
    is_int(budget_connect(&b, bob, &err), 0, "not to another user");
    is_int(budget_connect(&b, bob, &err), SLOW, "before the descriptors are used up");
    is_int(budget_connect(&b, NULL, &err), 0, "and never to an administrator or an agent");
    budget_disconnect(&b, ada);
    is_int(budget_connect(&b, bob, &err), 0, "a closed connection makes room");
    is_int((int)b.refused, 2, "refusals are counted");
    budget_clear(&b);
}

static void test_bytes(void)
{
    struct budget b;
    struct err err = ERR_INIT;
    budget_init(&b);
    struct budget_user *ada = budget_user(&b, ADA, 0), *bob = budget_user(&b, BOB, 0);
    is_int(budget_receive(&b, ada, BUDGET_IN_BYTES - 10, &err), 0, "frames under way");
    is_int(budget_request(&b, ada, 11, 0, &err), SLOW, "a request beyond the bound");
    is_int(budget_request(&b, ada, 10, 0, &err), 0, "one that fits");
    is_int(budget_receive(&b, bob, BUDGET_IN_BYTES, &err), 0, "another user has bytes of the own");
    budget_received(&b, ada, BUDGET_IN_BYTES - 10);
    budget_answered(&b, ada, 10);
    is_int((int)ada->in_bytes, 0, "nothing is left of them");
    is_int(budget_receive(&b, NULL, (size_t)1 << 40, &err), 0, "an agent has no bound");
    int rc = 0;
    for (unsigned i = 0; i < BUDGET_REQUESTS; i++)
        rc |= budget_request(&b, ada, 1, 0, &err);
    is_int(rc, 0, "many requests may wait");
    is_int(budget_request(&b, ada, 1, 0, &err), SLOW, "and then none more");
    ada->unread = BUDGET_OUT_BYTES;
    is_int(budget_reply(&b, ada, &err), 0, "replies that are not read");
    budget_spend(&b, ada, 1, 1);
    is_int(budget_reply(&b, ada, &err), SLOW, "with what this turn adds: no more of them");
    is_int(budget_reply(&b, bob, &err), 0, "for this user alone");
    budget_clear(&b);
}

static void test_time(void)
{
    struct budget b;
    struct site *site = site_of("");
    budget_init(&b);
    struct budget_user *ada = budget_user(&b, ADA, 0), *bob = budget_user(&b, BOB, 0);
    budget_turn(&b, site);
    budget_spend(&b, ada, BUDGET_SLICE_US - 1, 0);
    ok(!budget_spent(&b, ada), "a user with time left in the turn");
    budget_spend(&b, ada, 1, 0);
    ok(budget_spent(&b, ada) && !budget_spent(&b, bob), "a user without time left waits for other users");
    ok(!budget_spent(&b, NULL), "an administrator never does");
    budget_turn(&b, site);
    ok(!budget_spent(&b, ada), "the next turn begins anew");
    budget_clear(&b);
    site_free(site);
}

static void test_rate(void)
{
    struct budget b;
    struct err err = ERR_INIT;
    struct site *site = site_of("SlurmctldParameters=rl_enable,rl_bucket_size=3,rl_refill_rate=2,rl_refill_period=5,"
                                "rl_table_size=2,rl_log_freq=-1");
    budget_init(&b);
    budget_turn(&b, site);
    struct budget_user *ada = budget_user(&b, ADA, 100);
    int rc = 0;
    for (int i = 0; i < 3; i++) {
        rc |= budget_request(&b, ada, 0, 100, &err);
        budget_answered(&b, ada, 0);
    }
    is_int(rc, 0, "a bucket of three requests");
    is_int(budget_request(&b, ada, 0, 104, &err), SLOW, "the fourth has to wait");
    is_int(budget_request(&b, NULL, 0, 104, &err), 0, "not so an administrator's");
    is_int(budget_request(&b, ada, 0, 105, &err), 0, "after a period there are two more");
    is_int(budget_request(&b, ada, 0, 105, &err), 0, "of them this is one");
    is_int(budget_request(&b, ada, 0, 105, &err), SLOW, "and no third");
    budget_answered(&b, ada, 0), budget_answered(&b, ada, 0);
    budget_user(&b, BOB, 105), budget_user(&b, 1003, 105);
    ok(b.users.n <= 2, "the table holds rl_table_size users");
    budget_clear(&b);
    site_free(site);
}

int main(void)
{
    log_open("test", LOG_FATAL);
    test_connections();
    test_bytes();
    test_time();
    test_rate();
    return test_done();
}
