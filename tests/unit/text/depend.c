/* Job arrays and dependencies; the answers are Slurm's. */
#include "test.h"

#include "base/errnum.h"
#include "base/mem.h"
#include "text/array.h"
#include "text/depend.h"

static void test_array(void)
{
    static const struct {
        const char *spec, *want;
    } cases[] = {
        { "0", "0" },
        { "1-5,7%2", "1-5,7%2" },
        { "1-5%2,7", "1-5,7%2" },
        { "0-15:4,20,30%3", "0,4,8,12,20,30%3" },
        { "5,1,3", "1,3,5" },
        { "1,2", "1-2" },
        { "1-3,2-5", "1-5" },
        { "0-100:10%5", "0-100:10%5" },
        { "0-10:2", "0,2,4,6,8,10" },
        { "0-12:2", "0-12:2" },
        { "0-500:100", "0-500:100" },
        { "50000-90000:10000", "50000,60000,70000,80000,90000" },
        { "50000-90000:7000", "50000-85000:7000" },
        { "0-6:2,8-12:2", "0-12:2" },
        { "0-12:2,13", "0,2,4,6,8,10,12-13" },
        { "1-100000:2", "1-99999:2" },
        { "7-13", "7-13" },
        { "0-6:3,7", "0,3,6-7" },
        { "1-5:9", "1" },
        { "1-5%0", "1-5" },
        { "1,,2", "1-2" },
        { "[1-5]", "1-5" },
        { " 1-3", "1-3" },
        { "1, 3", "1,3" },
        { "01-03", "1-3" },
        { "0-100000", "0-100000" },
        { "1-3,5-7,9-11,13-15,17-19,21-23,25-27,29-31,33-35,37-39,41-43,45-47,49-51",
          "1-3,5-7,9-11,13-15,17-19,21-23,25-27,29-31,33-35,37-39,41-43..." },
        { "1,2,4,8,16,32,64,128,256,512,1024,2048,4096,8192,16384,32768,65536%7",
          "1-2,4,8,16,32,64,128,256,512,1024,2048,4096,8192,16384,32768...%7" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err err = ERR_INIT;
        auto_array struct array a = ARRAY_INIT;
        int rc = array_parse(cases[i].spec, 100001, &a, &err);
        auto_free char *got = array_text(&a.tasks, a.max_running, ARRAY_TEXT_LEN);
        is_str(rc ? err.text : got, cases[i].want, "array %s", cases[i].spec);
    }
    static const char *const bad[] = {
        "",   ",",     "5-1",  "-1",      "1-",     "a",      "1-a",   "1-5:0",         "1-5:",                 "1:2",
        "%3", "1-5%a", "1-5%", "1-5%2%3", "100001", "1-3:-1", "1-[5]", "0-99999999999", "99999999999999999999", "0x5",
    };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct err err = ERR_INIT;
        auto_array struct array a = ARRAY_INIT;
        ok(array_parse(bad[i], 100001, &a, &err) == ESLURM_INVALID_ARRAY && strstr(err.text, bad[i]), "refused: %s",
           err.text);
    }
}

static void test_array_cut(void)
{
    static const struct {
        size_t len;
        const char *want;
    } cases[] = {
        { 0, "1-2,4,8,16,32,64,128" }, { 1, "" },                    { 2, "." },
        { 3, ".." },                   { 4, "..." },                 { 5, "1..." },
        { 10, "1-2,4,..." },           { 16, "1-2,4,8,16,3..." },    { 21, "1-2,4,8,16,32,64,..." },
        { 22, "1-2,4,8,16,32,64,1..." }, { 23, "1-2,4,8,16,32,64,128" },
    };
    auto_array struct array a = ARRAY_INIT;
    array_parse("1,2,4,8,16,32,64,128", 1001, &a, NULL);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        auto_free char *got = array_text(&a.tasks, 0, cases[i].len);
        is_str(got, cases[i].want, "cut at %zu", cases[i].len);
    }
}

static void test_depend(void)
{
    static const struct {
        const char *spec, *want;
    } cases[] = {
        { "afterok:234", "afterok:234(unfulfilled)" },
        { "AfterAny:234", "afterany:234(unfulfilled)" },
        { "aftercorr:234", "aftercorr:234(unfulfilled)" },
        { "afternotok:234", "afternotok:234(unfulfilled)" },
        { "afterburstbuffer:234", "afterburstbuffer:234(unfulfilled)" },
        { "singleton", "singleton(unfulfilled)" },
        { "afterok:234:235", "afterok:234(unfulfilled),afterok:235(unfulfilled)" },
        { "afterok:234?afterany:235", "afterok:234(unfulfilled)?afterany:235(unfulfilled)" },
        { "singleton,afterok:234", "singleton(unfulfilled),afterok:234(unfulfilled)" },
        { "after:234+5", "after:234+5(unfulfilled)" },
        { "after:234+5:235", "after:234+5(unfulfilled),after:235+5(unfulfilled)" },
        { "after:234:235+7", "after:234(unfulfilled),after:235+7(unfulfilled)" },
        { "afterok:236_3", "afterok:236_3(unfulfilled)" },
        { "afterok:236_*", "afterok:236_*(unfulfilled)" },
        { "after:236_*+5", "after:236_*+5(unfulfilled)" },
        { "afterok:236_[1,3]:7", "afterok:236_1(unfulfilled),afterok:236_3(unfulfilled),afterok:7(unfulfilled)" },
        { "after:236_2+5", "after:236_2+5(unfulfilled)" },
        { "234", "afterany:234(unfulfilled)" },
        { "afterok:234,235", "afterok:234(unfulfilled),afterany:235(unfulfilled)" },
        { "afterok:234:234,afterok:234", "afterok:234(unfulfilled)" },
        { "after:234+5:234+6", "after:234+5(unfulfilled)" },
        { "singleton,singleton", "singleton(unfulfilled)" },
        { "afterok:234(unfulfilled)", "afterok:234(unfulfilled)" },
        { "afterok: 234", "afterok:234(unfulfilled)" },
        { "", "" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err err = ERR_INIT;
        auto_depend struct depend_list l = DEPEND_INIT, again = DEPEND_INIT;
        int rc = depend_parse(cases[i].spec, &l, &err);
        auto_free char *got = depend_text(&l);
        is_str(rc ? err.text : got, cases[i].want, "dependency %s", cases[i].spec);
        auto_free char *spec = depend_spec(&l);
        depend_parse(spec, &again, &err);
        auto_free char *back = depend_text(&again);
        is_str(back, cases[i].want, "and %s reads back", spec);
    }
}

static void test_depend_refused(void)
{
    static const char *const bad[] = {
        "afterok:1,afterany:2?after:3", "after:1+0",   "after:1+",     "after:1+x",   "after:1+5m",    "afterok:",
        "afterok:1,,after:2",           "afterok:1:",  "afterok::1",   "afterok:1,",  ",afterok:1",    "afterok",
        "afterok:99999999999",          "afterok:abc", "afterok:0",    "afterok:-1",  "foo:1",         " afterok:1",
        "afterok:1 ",                   "singleton:5", "singleton:",   "234:235",     "none",          "afterok:1.0",
        "after:1+99999999999",          "?afterok:1",  "afterok:1?",   "afterok:1_x", "afterok:1_[x]", "afterok:1(x)",
    };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct err err = ERR_INIT;
        auto_depend struct depend_list l = DEPEND_INIT;
        ok(depend_parse(bad[i], &l, &err) == ESLURM_DEPENDENCY && strstr(err.text, bad[i]) && !l.n, "refused: %s",
           err.text);
    }
    struct err err = ERR_INIT;
    auto_depend struct depend_list l = DEPEND_INIT;
    ok(!depend_parse("expand:1", &l, &err) && l.n == 1 && l.at[0].type == DEPEND_EXPAND, "expand:1");
    depend_clear(&l);
    ok(depend_parse("afterok:1_[0-4000000]", &l, &err) == ESLURM_DEPENDENCY, "refused: %s", err.text);
}

static void test_depend_states(void)
{
    auto_depend struct depend_list l = DEPEND_INIT;
    depend_parse("afterok:1?after:2?afternotok:3", &l, NULL);
    l.at[0].state = DEPEND_FAILED;
    l.at[1].state = DEPEND_FULFILLED;
    auto_free char *got = depend_text(&l);
    is_str(got, "afterok:1(failed)?afternotok:3(unfulfilled)", "what is fulfilled is gone");
    ok(l.any, "one is enough");
}

int main(void)
{
    test_array();
    test_array_cut();
    test_depend();
    test_depend_refused();
    test_depend_states();
    return test_done();
}
