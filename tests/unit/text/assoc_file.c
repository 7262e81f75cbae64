/* Limits by name, and sacctmgr's flat file, both ways. */
#include "test.h"

#include <errno.h>

#include "base/mem.h"
#include "text/assoc_file.h"

static void test_limits(void)
{
    static const struct {
        const char *key, *value;
        bool qos;
        const char *want;
    } cases[] = {
        { "MaxJobsPU", "4", true, ":MaxJobsPerUser=4" },
        { "MaxJobs", "4", true, ":MaxJobsPerUser=4" },
        { "MaxJobs", "4", false, ":MaxJobs=4" },
        { "GrpTRES", "cpu=64,gres/gpu=8", true, ":GrpTRES=cpu=64,gres/gpu=8" },
        { "MaxWall", "1-00:00:00", true, ":MaxWallDurationPerJob=1440" },
        { "MaxWallDurationPerJob", "40", false, ":MaxWallDurationPerJob=40" },
        { "GrpNodes", "7", false, ":GrpTRES=node=7" },
        { "MaxCPUsPerUser", "7", true, ":MaxTRESPerUser=cpu=7" },
        { "MinTRES", "gres/gpu=1", true, ":MinTRESPerJob=gres/gpu=1" },
        { "GrpJobs", "-1", true, "" },
        { "GrpJobsAccrue", "2", true, ":GrpJobsAccrue=2" },
        { "MaxJobsAccruePerUser", "2", true, ":MaxJobsAccruePU=2" },
        { "MaxJobsAccruePA", "2", true, ":MaxJobsAccruePA=2" },
        { "MaxJobsAccrue", "2", false, ":MaxJobsAccrue=2" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct limit_list l = { 0 };
        ok(!limit_parse(cases[i].key, cases[i].value, cases[i].qos, &l, NULL), "%s=%s", cases[i].key, cases[i].value);
        auto_free char *text = limit_text(&l, cases[i].qos);
        is_str(text, cases[i].want, "%s=%s is written", cases[i].key, cases[i].value);
        limit_list_clear(&l);
    }
    struct limit_list l = { 0 };
    limit_set(&l, LIMIT_TRES, LIMIT_GROUP, "cpu", 5);
    limit_set(&l, LIMIT_TRES, LIMIT_GROUP, "cpu", 6);
    ok(limit_get(&l, LIMIT_TRES, LIMIT_GROUP, "cpu") == 6 && l.n == 1, "a limit is said once");
    limit_set(&l, LIMIT_TRES, LIMIT_GROUP, "cpu", LIMIT_NONE);
    ok(limit_get(&l, LIMIT_TRES, LIMIT_GROUP, "cpu") == LIMIT_NONE && !l.n, "-1 takes it away");
    limit_list_clear(&l);
}

#define GOOD                                                                                                     \
    "# a comment\n"                                                                                              \
    "QOS - 'high':Description='for those in a hurry':Flags=DenyOnLimit,NoReserve:Priority=100:MaxJobsPU=4\n"     \
    "QOS - odd:Flags=PartitionTimeLimit,Relative,UsageFactorSafe:LimitFactor=2.5:UsageThreshold=0.25\n"          \
    "QOS - normal:Preempt=low:MaxTRESPA=gres/gpu:a100=2,cpu=8:UsageFactor=0.5\n"                                  \
    "Cluster - 'tux':Fairshare=1:QOS='normal'\n"                                                                 \
    "Parent - root\n"                                                                                            \
    "User - 'root':DefaultAccount='root':AdminLevel='Administrator':Fairshare=1\n"                               \
    "Account - physics:Description='a: b':Organization='uni':Fairshare=40:GrpTRES=gres/gpu=16:MaxJobs=3\n"       \
    "Parent - 'physics'\n"                                                                                       \
    "User - ann:DefaultAccount=physics:FairShare=2147483647:Coordinator='physics,biology':DefaultWCKey=w1:"       \
    "WCKeys='w1,w2'\n"                                                                                            \
    "User - ann:Partition=gpu:MaxSubmitJobs=2\n"

static void test_assoc_file(void)
{
    struct assoc_file r = { 0 }, again = { 0 };
    struct err err = ERR_INIT;
    ok(!assoc_file_parse(GOOD, strlen(GOOD), &r, &err), "a good file %s", err.text);
    ok(r.qos.n == 3 && r.assoc.n == 5 && !r.warnings.n, "three QOS, five associations");
    if (r.qos.n != 3 || r.assoc.n != 5)
        return;
    ok(r.qos.at[0].flags == (QOS_DENY_ON_LIMIT | QOS_NO_RESERVE) && r.qos.at[0].priority == 100, "flags and priority");
    is_str(r.qos.at[0].description, "for those in a hurry", "a value in quotes");
    ok(r.qos.at[1].flags == (QOS_PART_TIME | QOS_RELATIVE | QOS_FACTOR_SAFE), "more flags");
    ok(r.qos.at[1].limit_factor > 2.49 && r.qos.at[1].usage_threshold > 0.24 && r.qos.at[0].usage_threshold < 0,
       "factors");
    ok(limit_get(&r.qos.at[2].limits, LIMIT_TRES, LIMIT_ACCOUNT, "gres/gpu:a100") == 2, "a type keeps its colon");
    ok(limit_get(&r.qos.at[2].limits, LIMIT_TRES, LIMIT_ACCOUNT, "cpu") == 8, "and what follows it");
    is_str(r.assoc.at[2].description, "a: b", "a colon in quotes");
    is_int(r.assoc.at[1].admin, ADMIN_LEVEL_FULL, "an administrator");
    is_str(r.assoc.at[3].coordinates, "physics,biology", "a coordinator of two accounts");
    is_str(r.assoc.at[3].def_wckey, "w1", "a wckey by default");
    is_str(r.assoc.at[3].wckeys, "w1,w2", "of two");
    ok(r.assoc.at[3].shares == SHARES_PARENT && r.assoc.at[3].is_default, "shares of the parent, default account");
    is_str(r.assoc.at[4].partition, "gpu", "one more for a partition");
    auto_free char *text = assoc_file_text(&r);
    ok(!assoc_file_parse(text, strlen(text), &again, &err), "what is written can be read %s", err.text);
    auto_free char *twice = assoc_file_text(&again);
    is_str(twice, text, "and says the same");
    assoc_file_clear(&r);
    assoc_file_clear(&again);
}

static void test_bad(void)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        { "nonsense", "line 1" },
        { "Cluster - t\nFoo - x", "Foo" },
        { "Account - x", "comes before" },
        { "Cluster - t\nCluster - u", "second cluster: u" },
        { "Cluster - t\nParent - absent", "absent" },
        { "Cluster - t\nAccount - a:Fairshare=much", "much" },
        { "Cluster - t\nAccount - a:Wishes=3", "Wishes" },
        { "Cluster - t\nAccount - a\nAccount - a", "twice" },
        { "QOS - q:MaxJobsPU=few", "few" },
        { "QOS - q:Flags=Nice", "Nice" },
        { "QOS - q:MaxWall=3:MaxTRESPU=cpu", "cpu" },
        { "QOS - q\nQOS - q", "twice" },
        { "QOS - ", "line 1" },
        { "QOS - q:UsageFactor=nan", "nan" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct assoc_file r = { 0 };
        struct err err = ERR_INIT;
        int rc = assoc_file_parse(cases[i].text, strlen(cases[i].text), &r, &err);
        ok(rc && strstr(err.text, cases[i].want), "refused: %s", err.text);
        assoc_file_clear(&r);
    }
}

int main(void)
{
    test_limits();
    test_assoc_file();
    test_bad();
    return test_done();
}
