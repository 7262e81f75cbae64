/* resv - flags and lists as they are written, turns, which users may use one; and reservations in the state. */
#include <stdlib.h>
#include <time.h>

#include "../test.h"
#include "base/str.h"
#include "core/cluster.h"
#include "core/pbutil.h"

static void test_flags(void)
{
    static const struct {
        const char *text, *shown;
        uint32_t purge_s;
    } cases[] = {
        { "MAINT", "MAINT", 0 },
        { "maint,ignore_jobs", "MAINT,IGNORE_JOBS", 0 },
        { "magnetic,flex,daily", "FLEX,DAILY,MAGNETIC", 0 },
        { "LICENSE_ONLY", "ANY_NODES", 0 },
        { "STATIC_ALLOC", "STATIC", 0 },
        { "replace", "REPLACE", 0 },
        { "replace_down", "REPLACE_DOWN", 0 },
        { "PURGE_COMP=10:00", "PURGE_COMP=00:10:00", 600 },
        { "NO_HOLD_JOBS_AFTER", "NO_HOLD_JOBS_AFTER_END", 0 },
        { "", "", 0 },
        { "BOGUS", NULL, 0 },
        { "MAINT=1", NULL, 0 },
        { "PURGE_COMP=x", NULL, 0 },
        { "MONTHLY", NULL, 0 },
        { "WEEK", NULL, 0 },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err err = ERR_INIT;
        uint64_t flags = 0;
        uint32_t purge = 0;
        int rc = resv_flags_parse(cases[i].text, &flags, &purge, &err);
        auto_buf struct buf b = BUF_INIT;
        resv_flags_text(flags, purge, &b);
        if (!cases[i].shown)
            ok(rc && strstr(err.text, cases[i].text), "flags %s are refused by name", cases[i].text);
        else
            ok(!rc && str_eq(b.s ? b.s : "", cases[i].shown) && purge == cases[i].purge_s, "flags %s", cases[i].text);
    }
}

static void test_lists(void)
{
    static const struct {
        const char *old, *text;
        enum resv_op op;
        const char *now;
    } cases[] = {
        { "", "a,b", RESV_SET, "a,b" },
        { "a,b", "c", RESV_SET, "c" },
        { "a,b", "", RESV_SET, "" },
        { "a", "b", RESV_ADD, "a,b" },
        { "a,b", "a", RESV_REMOVE, "b" },
        { "a", "a", RESV_REMOVE, "" },
        { "", "a", RESV_REMOVE, "-a" },
        { "", "-a,-b", RESV_SET, "-a,-b" },
        { "-a,-b", "a", RESV_ADD, "-b" },
        { "a,b", "+c,-a", RESV_SET, "b,c" },
        { "a", "b", RESV_REMOVE, NULL },
        { "", "a,-b", RESV_SET, NULL },
        { "a", "a", RESV_ADD, "a" },
        { "a", "++b", RESV_SET, NULL },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err err = ERR_INIT;
        auto_free char *now = resv_list_change(cases[i].old, cases[i].text, cases[i].op, &err);
        ok(cases[i].now ? now && str_eq(now, cases[i].now) : !now && err.text[0], "'%s' and '%s' give '%s'",
           cases[i].old, cases[i].text, cases[i].now ? cases[i].now : "an error");
    }
}

static int64_t at(int year, int month, int day, int hour)
{
    struct tm tm = { .tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day, .tm_hour = hour, .tm_isdst = -1 };
    return (int64_t)mktime(&tm);
}

static void test_turns(void)
{
    setenv("TZ", "Europe/Berlin", 1);
    tzset();
    is_int(resv_next(0, at(2026, 11, 16, 8)), 0, "one that does not repeat has no next turn");
    is_int(resv_next(RESV_HOURLY, at(2026, 11, 16, 8)), at(2026, 11, 16, 9), "every hour");
    is_int(resv_next(RESV_DAILY, at(2026, 11, 16, 8)), at(2026, 11, 17, 8), "every day");
    is_int(resv_next(RESV_DAILY, at(2026, 10, 24, 8)), at(2026, 10, 25, 8), "at the same hour when clocks change");
    is_int(at(2026, 10, 25, 8) - at(2026, 10, 24, 8), 25 * 3600, "which is 25 hours later");
    is_int(resv_next(RESV_WEEKLY, at(2026, 11, 16, 8)), at(2026, 11, 23, 8), "every week");
    is_int(resv_next(RESV_WEEKDAY, at(2026, 11, 20, 8)), at(2026, 11, 23, 8), "after Friday comes Monday");
    is_int(resv_next(RESV_WEEKDAY, at(2026, 11, 16, 8)), at(2026, 11, 17, 8), "after Monday Tuesday");
    is_int(resv_next(RESV_WEEKEND, at(2026, 11, 21, 8)), at(2026, 11, 22, 8), "after Saturday Sunday");
    is_int(resv_next(RESV_WEEKEND, at(2026, 11, 22, 8)), at(2026, 11, 28, 8), "after Sunday Saturday");
}

static void test_times(void)
{
    int64_t hit[2], noon = at(2026, 11, 16, 12);
    Pb__Resv a = PB__RESV__INIT, b = PB__RESV__INIT;
    a.start_s = noon, a.end_s = noon + 3600;
    ok(!resv_hits(&a, 0, noon - 3600, noon, hit), "what ends when it begins does not touch it");
    ok(resv_hits(&a, 0, noon - 3600, noon + 1, hit) && hit[0] == noon && hit[1] == noon + 3600,
       "a second later it does");
    ok(!resv_hits(&a, 0, noon + 3600, noon + 7200, hit), "what begins when it ends does not touch it");
    a.flags = RESV_DAILY;
    ok(resv_hits(&a, 0, noon + 86400 * 3 + 60, noon + 86400 * 3 + 120, hit), "a later turn is touched, too");
    ok(!resv_hits(&a, 0, noon + 86400 * 3 + 3600, noon + 86400 * 4, hit), "the pause between is free");
    b.start_s = noon + 86400 * 2 + 1800, b.end_s = b.start_s + 60;
    ok(resv_meet(&a, &b, 0) && resv_meet(&b, &a, 0), "one in a later turn of another meets it");
    b.start_s = noon + 86400 * 2 + 3600, b.end_s = b.start_s + 60;
    ok(!resv_meet(&a, &b, 0) && !resv_meet(&b, &a, 0), "one in its pause does not");
    int64_t from, to;
    a.flags = RESV_TIME_FLOAT, a.float_s = 600;
    resv_span(&a, noon + 5000, &from, &to);
    ok(from == noon + 5600 && to == from + 3600, "one that floats is always as far ahead");
}

static void test_who(void)
{
    uint32_t uid = 1000;
    Pb__Resv pb = PB__RESV__INIT;
    pb.id = 1, pb.uid = &uid, pb.n_uid = 1, pb.users = (char[]){ "ada" };
    struct resv *r = resv_new(&pb, 0);
    ok(resv_admits(r, &(struct resv_user){ 1000, NULL, NULL, NULL }), "a user it names may use it");
    ok(!resv_admits(r, &(struct resv_user){ 1001, NULL, NULL, NULL }), "another one may not");
    ok(resv_admits(r, &(struct resv_user){ 0, NULL, NULL, NULL }), "root may");
    resv_free(r);
    pb.users = (char[]){ "-ada" };
    r = resv_new(&pb, 0);
    ok(!resv_admits(r, &(struct resv_user){ 1000, NULL, NULL, NULL }) &&
           resv_admits(r, &(struct resv_user){ 1001, NULL, NULL, NULL }),
       "or every user but the named ones");
    resv_free(r);
    pb.users = (char[]){ "" }, pb.n_uid = 0, pb.accounts = (char[]){ "a,b" }, pb.partitions = (char[]){ "-low" };
    r = resv_new(&pb, 0);
    ok(resv_admits(r, &(struct resv_user){ 5, "b", NULL, "high" }), "all lists agree");
    ok(!resv_admits(r, &(struct resv_user){ 5, "c", NULL, "high" }) &&
           !resv_admits(r, &(struct resv_user){ 5, "b", NULL, "low" }),
       "one of them does not");
    ok(resv_admits_user(r, 5, "b"), "a user that deletes it needs no partition");
    resv_free(r);
}

static int apply(struct cluster *c, Pb__Resv *pb, bool remove)
{
    struct err err = ERR_INIT;
    Pb__EvResv e = PB__EV_RESV__INIT;
    Pb__Event ev = PB__EVENT__INIT;
    e.resv = pb, e.remove = remove;
    ev.body_case = PB__EVENT__BODY_RESV, ev.resv = &e;
    return cluster_apply(c, &ev, &err);
}

static struct cluster *two_nodes(void)
{
    struct err err = ERR_INIT;
    struct cluster *c = cluster_new();
    Pb__EvConfig conf = PB__EV_CONFIG__INIT;
    Pb__NodeDef a = PB__NODE_DEF__INIT, b = PB__NODE_DEF__INIT, *defs[] = { &a, &b };
    Pb__Event ev = PB__EVENT__INIT;
    a.name = (char[]){ "n1" }, b.name = (char[]){ "n2" };
    conf.nodes = defs, conf.n_nodes = 2;
    ev.body_case = PB__EVENT__BODY_CONFIG, ev.config = &conf;
    ok(!cluster_apply(c, &ev, &err), "two nodes");
    return c;
}

static void test_state(void)
{
    struct err err = ERR_INIT;
    struct cluster *c = two_nodes(), *again;
    Pb__ResvNode n1 = PB__RESV_NODE__INIT, n2 = PB__RESV_NODE__INIT, far = PB__RESV_NODE__INIT;
    Pb__ResvNode *nodes[] = { &n1, &n2 };
    Pb__Resv r = PB__RESV__INIT;
    n2.node = 1, n2.cpus = 2, far.node = 7;
    r.id = 1, r.name = (char[]){ "a" }, r.node = nodes, r.n_node = 1, r.flags = RESV_MAINT;
    ok(!apply(c, &r, false) && cluster_resv_named(c, "a") == cluster_resv(c, 1), "a reservation is there");
    is_int(c->node[0].resv_state, 0, "before its time its nodes show nothing");
    r.active = true;
    ok(!apply(c, &r, false) && c->resv.n == 1, "it begins");
    is_int(c->node[0].resv_state, NODE_RES | NODE_MAINT, "its node shows it");
    ok(!c->node[1].resv_state && cluster_resv(c, 1)->whole, "another one does not");
    Pb__Resv b = PB__RESV__INIT;
    b.id = 2, b.name = (char[]){ "a" };
    ok(apply(c, &b, false) != 0, "no two have the same name");
    b.name = (char[]){ "b" }, b.node = nodes, b.n_node = 2;
    ok(!apply(c, &b, false) && !cluster_resv(c, 2)->whole, "one of parts of nodes");
    nodes[0] = &far;
    b.id = 3, b.name = (char[]){ "c" };
    ok(apply(c, &b, false) != 0, "a node that is not there is refused");
    auto_buf struct buf one = BUF_INIT, two = BUF_INIT;
    cluster_encode(c, &one);
    ok(!cluster_decode(&again, one.s, one.len, &err), "the state is read back");
    cluster_encode(again, &two);
    ok(one.len == two.len && !memcmp(one.s, two.s, one.len), "and is the same");
    is_int(again->node[0].resv_state, NODE_RES | NODE_MAINT, "nodes show their reservations again");
    ok(!apply(again, &r, true) && !again->node[0].resv_state && again->resv.n == 1, "it is removed");
    ok(apply(again, &r, true) != 0 && apply(again, &r, false) != 0, "and its number is not used again");
    cluster_free(again);
    cluster_free(c);
}

int main(void)
{
    test_flags();
    test_lists();
    test_turns();
    test_times();
    test_who();
    test_state();
    return test_done();
}
