/* The table of keys, and values of every type. */
#include "text/conf_keys.h"

#include "base/str.h"
#include "test.h"

static void test_table(void)
{
    for (enum conf_kind kind = CONF_GLOBAL; kind < CONF_KINDS; kind++) {
        size_t n, unsorted = 0, lost = 0, bad = 0, dangling = 0;
        const struct conf_key *row = conf_keys(kind, &n);
        auto_buf struct buf scratch = BUF_INIT;
        for (size_t i = 0; i < n; i++) {
            struct conf_value v;
            unsorted += i && strcasecmp(row[i - 1].name, row[i].name) >= 0;
            dangling += row[i].alias && !conf_key_find(kind, row[i].alias);
            lost += !row[i].alias && conf_key_find(kind, row[i].name) != &row[i];
            bad += row[i].dflt && conf_value_parse(&row[i], row[i].dflt, &v, &scratch, NULL);
            bool words = row[i].type == CONF_WORD || row[i].type == CONF_WORDS || row[i].type == CONF_FLAGS ||
                         row[i].type == CONF_GONE;
            bad += words != (row[i].words != NULL);
        }
        ok(!unsorted && !lost && !bad && !dangling,
           "kind %d: %zu rows: sorted, found, defaults read as their type, words where needed", kind, n);
    }
    size_t n;
    conf_keys(CONF_GLOBAL, &n);
    ok(n > 240, "%zu global keys", n);
}

static void test_find(void)
{
    is_str(conf_key_find(CONF_GLOBAL, "slurmctldport")->name, "SlurmctldPort", "any case");
    is_str(conf_key_find(CONF_NODE, "Procs")->name, "CPUs", "an alias is followed");
    is_str(conf_key_find(CONF_PART, "SHARED")->name, "OverSubscribe", "any case of an alias");
    is_str(conf_key_find(CONF_GLOBAL, "CryptoType")->name, "CredType", "a global alias");
    ok(!conf_key_find(CONF_GLOBAL, "Foo"), "NULL for what is none");
    ok(!conf_key_find(CONF_GLOBAL, "CPUs") && !conf_key_find(CONF_NODE, "ClusterName"), "each kind has its own");
    static const struct {
        enum conf_kind kind;
        const char *name, *want;
    } near[] = {
        { CONF_GLOBAL, "SlurmCtldHosts", "SlurmctldHost" }, { CONF_GLOBAL, "ClusterNane", "ClusterName" },
        { CONF_NODE, "CPU", "CPUs" },                       { CONF_NODE, "RealMemroy", "RealMemory" },
        { CONF_PART, "Node", "Nodes" },                     { CONF_GLOBAL, "xyzzy", NULL },
        { CONF_GLOBAL, "", NULL },
        { CONF_GLOBAL, "AVeryLongKeyThatNobodyWouldEverWriteIntoAFileAtAll", NULL },
    };
    for (size_t i = 0; i < ARRAY_LEN(near); i++)
        is_str(conf_key_nearest(near[i].kind, near[i].name), near[i].want, "nearest to %s", near[i].name);
    is_int(conf_line_kind("nodename"), CONF_NODE, "a node line");
    is_int(conf_line_kind("NodeSet"), CONF_NODESET, "a set line");
    is_int(conf_line_kind("ClusterName"), CONF_GLOBAL, "any other is global");
}

/* No warning says that a key does nothing when it does. */
static void test_used(void)
{
    static const char *const global[] = { "PriorityWeightAge", "PriorityWeightAssoc", "PriorityWeightFairShare",
                                          "PriorityWeightQOS", "PriorityWeightTRES", "AccountingStorageTRES",
                                          "PreemptExemptTime", "TopologyPlugin", "Licenses", "ResvOverRun" };
    for (size_t i = 0; i < ARRAY_LEN(global); i++)
        is_int(conf_key_find(CONF_GLOBAL, global[i])->use, USED, "%s is acted on", global[i]);
    is_int(conf_key_find(CONF_PART, "GraceTime")->use, USED, "GraceTime of a partition is acted on");
}

/* What a value reads as: a number, a text, or the sentence of its error. */
static char *reads(enum conf_kind kind, const char *key, const char *value)
{
    auto_buf struct buf scratch = BUF_INIT;
    struct conf_value v;
    struct err err = ERR_INIT;
    if (conf_value_parse(conf_key_find(kind, key), value, &v, &scratch, &err))
        return mem_printf("! %s", err.text);
    return v.text ? mem_str(v.text) : mem_printf("%llu", (unsigned long long)v.number);
}

static void test_values(void)
{
    static const struct {
        enum conf_kind kind;
        const char *key, *value, *want;
    } cases[] = {
        { CONF_GLOBAL, "KillWait", "30", "30" },
        { CONF_GLOBAL, "KillWait", "INFINITE", "65535" },
        { CONF_GLOBAL, "KillWait", "0x10", "16" },
        { CONF_GLOBAL, "KillWait", "010", "8" },
        { CONF_GLOBAL, "KillWait", "-0", "0" },
        { CONF_GLOBAL, "KillWait", "10k", "! KillWait=10k: not a valid number" },
        { CONF_GLOBAL, "KillWait", "1.5", "! KillWait=1.5: not a valid number" },
        { CONF_GLOBAL, "KillWait", "30s", "! KillWait=30s: not a valid number" },
        { CONF_GLOBAL, "KillWait", "", "! KillWait=: not a valid number" },
        { CONF_GLOBAL, "KillWait", "-1", "! KillWait=-1: less than zero" },
        { CONF_GLOBAL, "KillWait", "70000", "! KillWait=70000: greater than 65535" },
        { CONF_GLOBAL, "MaxJobCount", "10k", "10240" },
        { CONF_GLOBAL, "MaxJobCount", "10M", "! MaxJobCount=10M: not a valid number" },
        { CONF_GLOBAL, "MaxJobCount", "99999999999", "! MaxJobCount=99999999999: greater than 4294967295" },
        { CONF_GLOBAL, "MaxJobCount", "unlimited", "4294967295" },
        { CONF_GLOBAL, "DefMemPerCPU", "4k", "4096" },
        { CONF_GLOBAL, "DefMemPerCPU", "4G", "! DefMemPerCPU=4G: not a valid number" },
        { CONF_GLOBAL, "DefMemPerCPU", "99999999999999999999",
          "! DefMemPerCPU=99999999999999999999: greater than 18446744073709551615" },
        { CONF_GLOBAL, "TrackWCKey", "YeS", "1" },
        { CONF_GLOBAL, "TrackWCKey", "up", "1" },
        { CONF_GLOBAL, "TrackWCKey", "Down", "0" },
        { CONF_GLOBAL, "TrackWCKey", "0", "0" },
        { CONF_GLOBAL, "TrackWCKey", "on", "! TrackWCKey=on: not a valid option, say yes or no" },
        { CONF_GLOBAL, "SlurmctldDebug", "7", "debug3" },
        { CONF_GLOBAL, "SlurmctldDebug", "FATAL", "fatal" },
        { CONF_GLOBAL, "SlurmctldDebug", "loud",
          "! SlurmctldDebug=loud: not a log level, say quiet, fatal, error, info, verbose or debug to debug5" },
        { CONF_GLOBAL, "SlurmctldPort", "7000-7003", "7000-7003" },
        { CONF_GLOBAL, "SlurmctldPort", "0", "! SlurmctldPort=0: not a port or a range of ports" },
        { CONF_GLOBAL, "SlurmctldPort", "abc", "! SlurmctldPort=abc: not a port or a range of ports" },
        { CONF_GLOBAL, "SlurmctldPort", "70000", "! SlurmctldPort=70000: not a port or a range of ports" },
        { CONF_GLOBAL, "PriorityMaxAge", "5", "300" },
        { CONF_GLOBAL, "PriorityMaxAge", "1-0", "86400" },
        { CONF_GLOBAL, "PriorityMaxAge", "x",
          "! PriorityMaxAge=x: not a valid time, say minutes, hours:minutes:seconds, days-hours:minutes:seconds or "
          "UNLIMITED" },
        { CONF_GLOBAL, "SuspendTime", "NONE", "4294967295" },
        { CONF_GLOBAL, "SuspendTime", "-1", "4294967295" },
        { CONF_GLOBAL, "SuspendTime", "60", "60" },
        { CONF_GLOBAL, "SuspendTime", "x", "! SuspendTime=x: not a valid number" },
        { CONF_GLOBAL, "EnforcePartLimits", "any", "ANY" },
        { CONF_GLOBAL, "EnforcePartLimits", "yes", "ANY" },
        { CONF_GLOBAL, "EnforcePartLimits", "foo", "! EnforcePartLimits=foo: \"foo\" is not one of NO, ANY, ALL" },
        { CONF_GLOBAL, "SelectTypeParameters", "cr_lln,CR_core_memory", "CR_CORE_MEMORY,CR_LLN" },
        { CONF_GLOBAL, "PropagateResourceLimits", "CORE,FOO",
          "! PropagateResourceLimits=CORE,FOO: \"FOO\" is not one of ALL, NONE, AS, CORE, CPU, DATA, FSIZE, MEMLOCK, "
          "NOFILE, NPROC, RSS, STACK" },
        { CONF_GLOBAL, "DebugFlags", "gres,backfill", "Backfill,Gres" },
        { CONF_GLOBAL, "PrivateData", "users,x,jobs", "jobs,users" },
        { CONF_GLOBAL, "SallocDefaultCommand", "x",
          "! SallocDefaultCommand is no longer a key of slurm.conf: use LaunchParameters=use_interactive_step" },
        { CONF_NODE, "NodeAddr", "a[1-2", "! NodeAddr=a[1-2: " },
        { CONF_NODE, "State", "idle", "UNKNOWN" },
        { CONF_NODE, "State", "foo",
          "! State=foo: \"foo\" is not one of UNKNOWN, DOWN, DRAIN, FAIL, FAILING, CLOUD, FUTURE" },
        { CONF_PART, "MaxTime", "1:30", "2" },
        { CONF_PART, "MaxTime", "1-0", "1440" },
        { CONF_PART, "MaxTime", "INFINITE", "4294967295" },
        { CONF_PART, "Nodes", "feature{big}", "feature{big}" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        auto_free char *got = reads(cases[i].kind, cases[i].key, cases[i].value);
        if (str_has_suffix(cases[i].want, ": ")) /* the rest is the hostlist's sentence */
            ok(str_has_prefix(got, cases[i].want) && strlen(got) > strlen(cases[i].want), "%s", got);
        else
            is_str(got, cases[i].want, "%s=%s", cases[i].key, cases[i].value);
    }
}

int main(void)
{
    test_table();
    test_find();
    test_used();
    test_values();
    return test_done();
}
