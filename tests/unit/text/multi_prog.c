/* multi_prog - which task runs what, as recorded from Slurm 26.05. */
#include "text/multi_prog.h"

#include "base/mem.h"
#include "base/str.h"
#include "test.h"

static void test_words(void)
{
    static const struct {
        const char *text;
        uint32_t rank;
        const char *want; /* by "|"; NULL: none */
    } cases[] = {
        { "0 a b\n", 0, "a|b" },
        { "# c\n\n  0 a\n", 0, "a" },
        { " # c\n0 a\n", 0, "a" },
        { "0 a #b\n", 0, "a|#b" },
        { "0\ta\tb  \n", 0, "a|b" },
        { "0 a 'b c'd   e  \n", 0, "a|b cd|e" },
        { "0 a 'x %t y' %t %o z%\n", 0, "a|x %t y|0|0|z" },
        { "0 a %% %x b\n", 0, "a|||b" },
        { "0 a \\%t \\\\ c\\nd \"q r\"\n", 0, "a|%t|\\|cnd|\"q|r\"" },
        { "0 a %t:%o\\ %t\n", 0, "a|0:0 0" },
        { "0 p a \\\n  b\n", 0, "p|a||b" },
        { "0 p a\\\nb\n", 0, "p|ab" },
        { "0 %t\n", 0, "0" },
        { "1-2,0 a %t %o\n", 0, "a|0|2" },
        { "1-2,0 a %t %o\n", 2, "a|2|1" },
        { "0-1,3 a %o\n2 b\n", 3, "a|2" },
        { "0 a\n* b %t %o\n", 7, "b|7|7" },
        { "0- a\n", 0, "a" },
        { "0 a 'unterminated\n", 0, NULL },
        { "0 a\n", 1, NULL },
        { "0\n", 0, NULL },
        { "", 0, NULL },
        { "0 a \\", 0, "a|\\" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        auto_strs struct strs argv = STRS_INIT;
        int rc = multi_prog_argv(cases[i].text, cases[i].rank, &argv);
        auto_free char *got = strs_join(&argv, "|");
        if (cases[i].want)
            is_str(rc ? "none" : got, cases[i].want, "the words of case %zu", i);
        else
            ok(rc != 0, "case %zu: nothing for this task", i);
    }
}

static void test_check(void)
{
    static const struct {
        const char *text;
        uint32_t ntasks;
        const char *want; /* "": good */
    } cases[] = {
        { "0 a\n1 b", 2, "" },
        { "* a\n* b\n", 2, "" },
        { "0 a\n", 2, "Configuration file f invalid, no record for task id 1" },
        { "", 1, "Configuration file f invalid, no record for task id 0" },
        { "0-1 a\n0 b\n", 2, "Duplicate record for task 0\nLine 2 of configuration file f invalid" },
        { "0-9 a\n", 2, "Invalid task id, 9 >= ntasks\nLine 1 of configuration file f invalid" },
        { "x a\n", 2, "Invalid task range specification (x)\nLine 1 of configuration file f invalid" },
        { "[0-1] a\n", 2, "Invalid task range specification ([0-1])\nLine 1 of configuration file f invalid" },
        { "0-1:2 a\n", 3, "Invalid task range specification\nLine 1 of configuration file f invalid" },
        { "1-0 a\n", 2, "Invalid task range, 1-0\nLine 1 of configuration file f invalid" },
        { "-1 a\n", 1, "Invalid task id, -1 < 0\nLine 1 of configuration file f invalid" },
        { "0\n1 a\n", 2, "\nLine 1 of configuration file f invalid" },
        { "#\n0 a\n\n* b\n1 c\n", 2,
          "Task range specification with asterisk must be last\nLine 5 of configuration file f invalid" },
        { "0, 1 a\n", 2, "Configuration file f invalid, no record for task id 1" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err err = ERR_INIT;
        multi_prog_check(cases[i].text, "f", cases[i].ntasks, &err);
        is_str(err.text, cases[i].want, "what is said of case %zu", i);
    }
    is_int(multi_prog_tasks("0 a\n3-4,1 b\n* c\n"), 5, "tasks are counted by the highest rank");
    is_int(multi_prog_tasks("* a\n"), 1, "at least one");
}

int main(void)
{
    test_words();
    test_check();
    return test_done();
}
