/* columns: -o, -O and sstat's fields become the same columns. */
#include "sample.h"
#include "test.h"

static char said[64];

static void bad(const char *what)
{
    snprintf(said, sizeof(said), "%s", what);
}

static const char *head_and_rows(struct show_columns *c)
{
    static struct buf out = BUF_INIT;
    buf_reset(&out);
    show_columns_head(c, &out);
    show_columns_row(c, &full, &out);
    show_columns_row(c, &empty, &out);
    show_columns_clear(c);
    return out.s;
}

static void test_letters(void)
{
    static const struct { const char *spec, *want, *name; } cases[] = {
        { "%n %i", "NAME ID\nada 42\n(null) 0\n", "as long as the value" },
        { "<%.6n|%6i>", "<  NAME|ID    >\n<   ada|42    >\n<(null)|0     >\n", "to the right, and to the left" },
        { "%2n%.1i", "NAI\nad4\n(n0\n", "a longer value is cut" },
        { "%S %L %M", "START LIMIT TIME\n1970-01-01T01:00:00 1:30:00 1:01\nN/A UNLIMITED 0:00\n", "times" },
        { "%m %c %o %u", "MEMORY CODE LOAD UP\n2G 0:9 1.00 yes\n0 0:0 0.00 no\n", "memory, code, load, bool" },
        { "%l %w", "LABEL WORDS\nada#42 x,y[1,2]\n(null)#0 (null)\n", "made text" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct show_columns c = { 0 };
        show_columns_letters(&c, &sample_table, cases[i].spec, bad);
        is_str(head_and_rows(&c), cases[i].want, "-o: %s", cases[i].name);
    }
    struct show_columns c = { 0 };
    show_columns_letters(&c, &sample_table, "%n%9?x", bad);
    is_str(head_and_rows(&c), "NAME%9?x\nada%9?x\n(null)%9?x\n", "an unknown letter stands as it is");
    is_str(said, "?", "and is reported");
}

static void test_names(void)
{
    struct show_columns c = { 0 };
    show_columns_names(&c, &sample_table, "name:4,ID:.5;,up", bad);
    is_str(head_and_rows(&c),
           "NAME   ID;UP                  \n"
           "ada    42;yes                 \n"
           "(nul    0;no                  \n",
           "-O: widths, text after a column, the usual width");
    show_columns_names(&c, &sample_table, "sort:,nope:3", bad);
    ok(show_columns_has(&c, show_find(&sample_table, "sort", 4)) &&
           !show_columns_has(&c, show_find(&sample_table, "id", 2)),
       "the columns that are there are known");
    is_str(head_and_rows(&c), "SORT\n42\n0\n", "an alias is a column; an unknown name is none");
    is_str(said, "nope", "and is reported");
}

static void test_wide(void)
{
    static const struct { const char *spec; struct show_wide how; const char *want, *name; } cases[] = {
        { "name,id,label", { 0 },
          "NAME     ID LABEL \n------ ---- ----- \nada      42 ada#+ \n          0 (nul+ \n",
          "widths, a rule, a plus where a value is cut" },
        { "na%-3,i%3", { 0 }, "NAM  ID \n--- --- \nada  42 \n      0 \n", "the beginning of a name is enough" },
        { "name,id", { true, false }, "NAME|ID\nada|42\n|0\n", "bars between" },
        { "name,id", { true, true }, "NAME|ID|\nada|42|\n|0|\n", "bars after each" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct show_columns c = { 0 };
        ok(!show_columns_wide(&c, &sample_table, cases[i].spec, cases[i].how, NULL), "%s: known", cases[i].name);
        is_str(head_and_rows(&c), cases[i].want, "%s", cases[i].name);
    }
    struct show_columns c = { 0 };
    struct err err = ERR_INIT;
    ok(show_columns_wide(&c, &sample_table, "name,what", (struct show_wide){ 0 }, &err) == EINVAL, "an unknown field");
    is_str(err.text, "Invalid field requested: \"what\"", "is named");
    show_columns_clear(&c);
}

static void test_help(void)
{
    struct buf out = BUF_INIT;
    show_help_letters(&sample_table, &out);
    is_str(out.s, "%n    %i    %l    %w    %u    %S    %L    %M    \n%m    %c    %o    %k    \n",
           "letters in lines of eight");
    buf_reset(&out);
    show_help_names(&sample_table, &out);
    ok(strstr(out.s, "Name                Id                  Label               Words               \n") == out.s,
       "names in lines of four");
    ok(!strstr(out.s, "Sort"), "an alias is not listed");
    buf_clear(&out);
}

int main(void)
{
    setenv("TZ", "UTC", 1);
    test_letters();
    test_names();
    test_wide();
    test_help();
    return test_done();
}
