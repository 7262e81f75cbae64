/* Hostlists: the expected texts are what Slurm's own `scontrol show hostlist` answered. */
#include "test.h"

#include "base/mem.h"
#include "base/str.h"
#include "text/hostlist.h"

static void test_expand(void)
{
    static const struct {
        const char *expr, *want;
    } cases[] = {
        { "n[1-3,5],login,rack[0-1]n[01-04]",
          "n1 n2 n3 n5 login rack0n01 rack0n02 rack0n03 rack0n04 rack1n01 rack1n02 rack1n03 rack1n04" },
        { "n[1-2]a[3-4]b", "n1a3b n1a4b n2a3b n2a4b" },
        { "n[1-2][3-4]", "n13 n14 n23 n24" },
        { "", "" },
        { ",", "" },
        { "n1,,n2", "n1 n2" },
        { "n1 n2", "n1 n2" },
        { "[1-3],a", "1 2 3 a" },
        { "n[01-3]", "n01 n02 n03" },
        { "n[1-03]", "n1 n2 n3" },
        { "n[001-03]", "n001 n002 n003" },
        { "n[9-11]", "n9 n10 n11" },
        { "n[09-11]", "n09 n10 n11" },
        { "n[1]", "n1" },
        { "n[1,1]", "n1 n1" },
        { "gpu-[1-2].cluster.org", "gpu-1.cluster.org gpu-2.cluster.org" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err err = ERR_INIT;
        auto_strs struct strs names = STRS_INIT;
        int rc = hostlist_expand(cases[i].expr, &names, &err);
        auto_free char *got = strs_join(&names, " ");
        size_t n = 99;
        is_str(rc ? err.text : got, cases[i].want, "expand %s", cases[i].expr);
        ok(!hostlist_count(cases[i].expr, &n, &err) && n == names.n, "count %s", cases[i].expr);
    }
}

static void test_refused(void)
{
    static const struct {
        const char *expr, *culprit;
    } cases[] = {
        { "n[3-1]", "\"3-1\"" },
        { "a,n[1-3", "\"n[1-3\"" },
        { "n1]", "\"n1]\"" },
        { "n[1]]x[2]", "stray" },
        { "n[a-b]", "\"a-b\"" },
        { "n[]", "\"\"" },
        { "n[1,]", "\"\"" },
        { "n[,1]", "\"\"" },
        { "n[-1]", "\"-1\"" },
        { "n[1-]", "\"1-\"" },
        { "n[1 - 3]", "\"1 - 3\"" },
        { "n[1-3:2]", "\"1-3:2\"" },
        { "n[[1-2]]", "\"[1-2\"" },
        { "n[1-2x]", "\"1-2x\"" },
        { "n{1-2}", "n{1-2}" },
        { "n[1-100000]", "too many hosts in range \"1-100000\"" },
        { "n[0-999][0-999]", "more than 65536" },
        { "n[0-40000],m[0-40000]", "more than 65536" },
        { "n[99999999999999999999]", "99999999999999999999" },
        { "a[1][1][1][1][1][1][1][1][1]", "brackets" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err err = ERR_INIT;
        auto_strs struct strs names = STRS_INIT;
        strs_add(&names, "kept");
        int rc = hostlist_expand(cases[i].expr, &names, &err);
        ok(rc && strstr(err.text, cases[i].culprit) && names.n == 1, "%s is refused: %s", cases[i].expr, err.text);
    }
    char name[HOSTLIST_NAME_MAX + 2];
    memset(name, 'x', sizeof(name));
    name[sizeof(name) - 1] = '\0';
    struct err err = ERR_INIT;
    auto_strs struct strs names = STRS_INIT;
    is_int(hostlist_expand(name, &names, &err), ENAMETOOLONG, "an over-long name is refused");
    ok(!hostlist_expand(name + 1, &names, &err) && names.n == 1, "one byte less is not");
}

static void test_compress(void)
{
    static const struct {
        const char *expr, *want, *sorted;
    } cases[] = {
        { "n1,n2,n10,n3", "n[1-2,10,3]", "n[1-3,10]" },
        { "n1,n1,n1", "n[1,1,1]", "n[1,1,1]" },
        { "n1,n2,n2,n3", "n[1-2,2-3]", "n[1-2,2-3]" },
        { "n01,n02,n3", "n[01-02,3]", "n[3,01-02]" },
        { "n1,n02", "n[1,02]", "n[1,02]" },
        { "n09,n10,n11", "n[09-11]", "n[09-11]" },
        { "n9,n10", "n[9-10]", "n[9-10]" },
        { "n099,n100", "n[099-100]", "n[099-100]" },
        { "a,b,c", "a,b,c", "a,b,c" },
        { "n,n1", "n,n1", "n,n1" },
        { "n1,m2,n2", "n1,m2,n2", "m2,n[1-2]" },
        { "r0n1,r0n2,r1n1,r1n2", "r0n[1-2],r1n[1-2]", "r0n[1-2],r1n[1-2]" },
        { "n[1-2]a,n3a", "n1a,n2a,n3a", "n1a,n2a,n3a" },
        { "n3,n2,n1", "n[3,2,1]", "n[1-3]" },
        { "n[1-2],n[3-4]", "n[1-4]", "n[1-4]" },
        { "n00,n0", "n[00,0]", "n[0,00]" },
        { "1,2,3", "[1-3]", "[1-3]" },
        { "10", "10", "10" },
        { "n4294967295,n4294967296", "n[4294967295-4294967296]", "n[4294967295-4294967296]" },
        { "n[008-010],n11", "n[008-010,11]", "n[11,008-010]" },
        { "b1,a1,b0,a", "b1,a1,b0,a", "a,a1,b[0-1]" },
        { "n01,n1,n2,n02", "n[01,1-2,02]", "n[1-2,01-02]" },
        { "n1a,n3,n2a,n2", "n1a,n3,n2a,n2", "n[2-3],n1a,n2a" },
        { "n10,n9,n009", "n[10,9,009]", "n[9-10,009]" },
        { "n1-2,n1-1,n2-1", "n1-[2,1],n2-1", "n1-[1-2],n2-1" },
        { "n01,n100,n2,n10", "n[01,100,2,10]", "n[2,01,10,100]" },
        { "r01n1,r1n1,r2n1,r10n1,r010n1,r002n1", "r01n1,r1n1,r2n1,r10n1,r010n1,r002n1",
          "r002n1,r01n1,r010n1,r1n1,r2n1,r10n1" },
        { "a1b2c,a1b10c,a01b3c", "a1b2c,a1b10c,a01b3c", "a01b3c,a1b2c,a1b10c" },
        { "a,A,b,B", "a,A,b,B", "A,B,a,b" },
        { "r1-n1,r1n1,r1_n1", "r1-n1,r1n1,r1_n1", "r1-n1,r1_n1,r1n1" },
        { "x.1,x.01,x.001", "x.[1,01,001]", "x.[1,01,001]" },
        { "n0a,n00a,n000a", "n0a,n00a,n000a", "n0a,n00a,n000a" },
        { "n99999999999999999998,n99999999999999999999", "n99[999999999999999998-999999999999999999]",
          "n99[999999999999999998-999999999999999999]" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err err = ERR_INIT;
        auto_strs struct strs names = STRS_INIT;
        hostlist_expand(cases[i].expr, &names, &err);
        auto_free char *got = hostlist_compress(names.at, names.n);
        auto_free char *sorted = hostlist_compress_sorted(names.at, names.n);
        is_str(got, cases[i].want, "compress %s", cases[i].expr);
        is_str(sorted, cases[i].sorted, "compress and sort %s", cases[i].expr);
    }
    auto_free char *none = hostlist_compress(NULL, 0);
    is_str(none, "", "no host is no text");
}

static void test_strs(void)
{
    auto_strs struct strs l = STRS_INIT;
    strs_split(&l, "a,b,,c", ",");
    strs_add(&l, "d");
    strs_take(&l, mem_str("e"));
    auto_free char *all = strs_join(&l, "/");
    is_str(all, "a/b/c/d/e", "split, add, take, join");
    ok(strs_has(&l, "c") && !strs_has(&l, "x"), "has");
}

int main(void)
{
    test_expand();
    test_refused();
    test_compress();
    test_strs();
    return test_done();
}
