/* name - a text is kept as long as a job has it, and once. */
#include "core/name.h"
#include "base/str.h"
#include "test.h"

int main(void)
{
    struct name_table t = { 0 };
    char text[] = "main";
    char *a = name_ref(&t, text), *b = name_ref(&t, "main"), *c = name_ref(&t, NULL);
    text[0] = 'x';
    ok(a == b && str_eq(a, "main"), "two jobs of one partition share its name");
    ok(c && !*c && c == name_ref(&t, ""), "no text is an empty name");
    ok(t.by_text.n == 2, "each text has one entry");
    name_set(&t, &b, "main");
    ok(a == b, "the same text again changes nothing");
    name_set(&t, &b, "debug");
    ok(str_eq(a, "main") && str_eq(b, "debug") && t.by_text.n == 3, "another text leaves the other job's name alone");
    name_set(&t, &b, a);
    ok(a == b && t.by_text.n == 2, "a text that no job has any more is dropped");
    name_unref(NULL);
    name_unref(a), name_unref(b), name_unref(c), name_unref(c);
    ok(!t.by_text.n, "nothing is left");
    name_table_clear(&t);
    return test_done();
}
