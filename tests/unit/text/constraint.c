/* Constraints and licences as users write them; what Slurm refuses is refused. */
#include "test.h"

#include "base/errnum.h"
#include "base/mem.h"
#include "base/str.h"
#include "text/constraint.h"
#include "text/license.h"

#define N1 "rack1,intel,fast"
#define N4 "rack2,amd,gpu"

static void test_match(void)
{
    static const struct {
        const char *text, *features;
        bool want;
    } cases[] = {
        { "intel", N1, true },
        { "intel", N4, false },
        { "int", N1, false },
        { "intel", NULL, false },
        { "intel&rack1", N1, true },
        { "intel&rack2", N1, false },
        { "intel,rack1", N1, true },
        { "intel|gpu", N4, true },
        { "fast|rack2&amd", N1, false }, /* (fast|rack2)&amd */
        { "fast|rack2&amd", N4, true },
        { "rack2&amd|fast", N1, true },
        { "fast|(rack2&amd)", N1, true },
        { "(rack1|rack2)&amd", N4, true },
        { "amd&(rack1|fast)", N4, false },
        { "intel&", N1, true },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        auto_constraint struct constraint *c = NULL;
        struct err err = ERR_INIT;
        ok(!constraint_parse(cases[i].text, &c, &err) && constraint_match(c, cases[i].features) == cases[i].want &&
               constraint_how(c) == CONSTRAINT_PLAIN,
           "%s of %s%s", cases[i].text, cases[i].features ? cases[i].features : "nothing", err.text);
    }
}

static void test_sets(void)
{
    static const struct {
        const char *text;
        enum constraint_how how;
        uint32_t counts[3];
        const char *first, *other; /* a node of the first set, and one that is of none or not of all */
        bool all;                  /* does `other` have what every node must? */
    } cases[] = {
        { "[rack1|rack2]", CONSTRAINT_MATCHING, { 0, 0 }, N1, "rack3", true },
        { "[intel]", CONSTRAINT_MATCHING, { 0 }, N1, N4, true },
        { "intel&[rack1|rack2]", CONSTRAINT_MATCHING, { 0, 0 }, N1, "rack3,amd", false },
        { "[rack1|rack2]&intel", CONSTRAINT_MATCHING, { 0, 0 }, N1, "rack3,amd", false },
        { "[(rack1&intel)|(rack2&amd)]", CONSTRAINT_MATCHING, { 0, 0 }, N1, "rack1,amd", true },
        { "gpu*4", CONSTRAINT_COUNTED, { 4 }, N4, N1, true },
        { "[rack1*2&rack2*4]", CONSTRAINT_COUNTED, { 2, 4 }, N1, N4, true },
        { "[(fast|big)*1&(amd)*2]", CONSTRAINT_COUNTED, { 1, 2 }, N1, N4, true },
        { "x&[fast*1&amd*2]", CONSTRAINT_COUNTED, { 1, 2 }, N1, N4, false },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        auto_constraint struct constraint *c = NULL;
        struct err err = ERR_INIT;
        bool good = !constraint_parse(cases[i].text, &c, &err) && constraint_how(c) == cases[i].how;
        uint32_t sum = 0;
        for (size_t k = 0; good && k < constraint_sets(c); k++) {
            good = k < 3 && constraint_count(c, k) == cases[i].counts[k];
            sum += cases[i].counts[k];
        }
        ok(good && constraint_nodes(c) == sum && constraint_match_set(c, 0, cases[i].first) &&
               !constraint_match_set(c, 0, cases[i].other) && constraint_match(c, cases[i].other) == cases[i].all,
           "sets of %s%s", cases[i].text, err.text);
    }
}

static void test_bad(void)
{
    static const char *const bad[] = {
        "",          "&intel",        "intel||amd",    "(intel",        "intel)",          "[intel",
        "intel]",    "[a|b]&[c|d]",   "[[a|b]]",       "intel*",        "intel*0",         "intel*x",
        "intel*-1",  "[intel&amd]",   "intel*1&amd*1", "intel*1|amd*1", "[intel*1|amd*1]", "()",
        "[]",        "(intel&amd)*1", "(intel)(amd)",  "intel amd",     "(intel*1)",       "([intel|amd])",
        "((intel))", "a|[b|c]",       "[a|b]|c",       "[a*1&b]",       "[a|b*1]",         "a*99999999999",
        "[a*2]*3",
    };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct constraint *c = NULL;
        struct err err = ERR_INIT;
        ok(constraint_parse(bad[i], &c, &err) == ESLURM_INVALID_FEATURE && !c && strstr(err.text, bad[i]),
           "refused: %s", err.text);
    }
    auto_free char *long_one = mem_alloc(6000);
    memset(long_one, 'a', 5999);
    struct constraint *c = NULL;
    ok(constraint_parse(long_one, &c, NULL) == ESLURM_INVALID_FEATURE, "what is too long is refused");
}

static void test_licenses(void)
{
    static const struct {
        const char *text, *want; /* NULL: refused */
        bool any;
    } cases[] = {
        { "matlab", "matlab:1", false },
        { "matlab:4,ansys", "matlab:4,ansys:1", false },
        { "matlab=2", "matlab:2", false },
        { "matlab:1,matlab:2", "matlab:3", false },
        { "ansys:2|matlab:1", "ansys:2,matlab:1", true },
        { "matlab:0", "", false },
        { ",matlab,,ansys,", "matlab:1,ansys:1", false },
        { "matlab:1,ansys|one", NULL, false },
        { "matlab@db:1", NULL, false },
        { "matlab:x", NULL, false },
        { "matlab:", NULL, false },
        { "matlab:-1", NULL, false },
        { ":1", NULL, false },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        auto_license struct license_list l = LICENSE_INIT;
        struct err err = ERR_INIT;
        int rc = license_parse(cases[i].text, &l, &err);
        auto_free char *got = license_text(&l, ',');
        if (cases[i].want)
            ok(!rc && str_eq(got, cases[i].want) && l.any == cases[i].any, "licences %s are %s", cases[i].text, got);
        else
            ok(rc == ESLURM_INVALID_LICENSES && !l.n && strstr(err.text, cases[i].text), "refused: %s", err.text);
    }
}

int main(void)
{
    test_match();
    test_sets();
    test_bad();
    test_licenses();
    return test_done();
}
