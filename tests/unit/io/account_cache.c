/* account_cache: users, groups and hosts are looked up beside the loop, once, and remembered. */
#include "io/account_cache.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include "base/str.h"
#include "test.h"

static uv_loop_t loop;
static uint64_t ended;
static unsigned calls;

static void on_done(void *arg, uint64_t up_to)
{
    *(uint64_t *)arg = up_to;
    calls++;
}

static void wait_all(const struct account_cache *c)
{
    while (ended < account_cache_begun(c))
        uv_run(&loop, UV_RUN_ONCE);
}

static bool has_gid(const struct account_user *u, uint32_t gid)
{
    for (size_t i = 0; i < u->ngroups; i++)
        if (u->gids[i] == gid)
            return true;
    return false;
}

static void test_user(struct account_cache *c)
{
    struct accounts *a = account_cache_accounts(c);
    const struct account_user *u = NULL;
    const struct passwd *pw = getpwuid(0);
    is_int(a->user(a, 0, 0, &u), EAGAIN, "a user is looked up first");
    is_int(a->user(a, 0, 0, &u), EAGAIN, "asking again begins no second lookup");
    is_int(account_cache_begun(c), 1, "there is one");
    wait_all(c);
    ok(calls == 1 && !a->user(a, 0, 0, &u), "then it is known");
    is_str(u->name, pw->pw_name, "its name");
    is_str(u->home, pw->pw_dir, "its home");
    ok(has_gid(u, 0) && u->groups[0], "its groups");
    is_str(u->group, getgrgid(0)->gr_name, "the name of its group");
    is_int(a->user(a, 0, 12345, &u), EAGAIN, "another group of it is another question");
    is_int(a->user(a, 4000000000u, 4000000000u, &u), EAGAIN, "a user that is not there");
    wait_all(c);
    ok(!a->user(a, 0, 12345, &u) && has_gid(u, 12345), "the group that was asked for is among its groups");
    ok(a->user(a, 4000000000u, 4000000000u, &u) == ENOENT && u && !*u->name, "one that is not there is known as such");
    is_int(account_cache_begun(c), 3, "nothing is looked up twice");
}

/* The name alone is a question of its own. */
static void test_name(struct account_cache *c)
{
    struct accounts *a = account_cache_accounts(c);
    const char *name = NULL, *none = NULL;
    uint64_t before = account_cache_begun(c);
    ok(a->name(a, 0, &name) == EAGAIN && a->name(a, 4000000000u, &none) == EAGAIN, "a name is looked up first");
    wait_all(c);
    ok(!a->name(a, 0, &name), "then it is known");
    is_str(name, "root", "it is the user's");
    is_int(a->name(a, 4000000000u, &none), ENOENT, "a user that is not there has none");
    is_int(account_cache_begun(c), before + 2, "each was looked up once");
}

static void test_names(struct account_cache *c)
{
    struct accounts *a = account_cache_accounts(c);
    uint32_t uid = 99;
    const struct account_group *g = NULL;
    const char *address = NULL;
    const char *root_group = getgrgid(0)->gr_name;
    ok(a->uid(a, "root", &uid) == EAGAIN && a->uid(a, "0", &uid) == EAGAIN && a->uid(a, "absent-user", &uid) == EAGAIN,
       "names");
    ok(a->group(a, root_group, &g) == EAGAIN && a->group(a, "no-such-group", &g) == EAGAIN, "groups");
    ok(account_cache_host(c, "localhost", &address) == EAGAIN &&
           account_cache_host(c, "no.such.name.invalid", &address) == EAGAIN,
       "and hosts are looked up");
    wait_all(c);
    ok(!a->uid(a, "root", &uid) && uid == 0, "a name");
    uid = 99;
    ok(!a->uid(a, "0", &uid) && uid == 0, "a number that has an account");
    is_int(a->uid(a, "absent-user", &uid), ENOENT, "a name without one");
    bool member = false;
    is_int(a->group(a, root_group, &g), 0, "a group");
    for (size_t i = 0; g && i < g->nmembers; i++)
        member |= g->members[i] == 0;
    ok(member, "with the users whose first group it is");
    is_int(a->group(a, "no-such-group", &g), ENOENT, "a group that is not there");
    ok(!account_cache_host(c, "localhost", &address) && (str_eq(address, "127.0.0.1") || str_eq(address, "::1")),
       "a host's address");
    is_int(account_cache_host(c, "no.such.name.invalid", &address), ENOENT, "a host that is not there");
}

int main(void)
{
    uv_loop_init(&loop);
    struct account_cache *c = account_cache_new(&loop, on_done, &ended);
    test_user(c);
    test_name(c);
    test_names(c);
    account_cache_free(c);
    c = account_cache_new(&loop, on_done, &ended);
    const char *address;
    account_cache_host(c, "localhost", &address);
    unsigned before = calls;
    account_cache_free(c);
    uv_run(&loop, UV_RUN_DEFAULT);
    is_int(calls, before, "nothing is told after the cache was freed");
    is_int(uv_loop_close(&loop), 0, "nothing is left on the loop");
    return test_done();
}
