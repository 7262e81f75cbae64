/* Constraints: what was read answers about any node; licences read back from what they are written as. */
#include "fuzz.h"

#include "base/str.h"
#include "text/constraint.h"
#include "text/license.h"

static void licenses(const char *text)
{
    auto_license struct license_list l = LICENSE_INIT, m = LICENSE_INIT;
    struct err err = ERR_INIT;
    int rc = license_parse(text, &l, &err);
    check(!rc == !err.text[0]);
    check(!rc || !l.n);
    auto_free char *shown = license_text(&l, l.any ? '|' : ',');
    check(!license_parse(shown, &m, &err) && m.n == l.n);
    for (size_t i = 0; i < l.n; i++)
        check(str_eq(l.at[i].name, m.at[i].name) && l.at[i].count == m.at[i].count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n > FUZZ_TEXT_MAX)
        return 0;
    auto_free char *text = mem_strn((const char *)data, n);
    auto_constraint struct constraint *c = NULL;
    struct err err = ERR_INIT;
    licenses(text);
    int rc = constraint_parse(text, &c, &err);
    check(!rc == !err.text[0] && !rc == (c != NULL));
    if (rc)
        return 0;
    check((constraint_how(c) == CONSTRAINT_PLAIN) == !constraint_sets(c) && constraint_name(c, 0));
    uint32_t nodes = 0;
    for (size_t i = 0; i < constraint_sets(c); i++) {
        check(!constraint_count(c, i) == (constraint_how(c) == CONSTRAINT_MATCHING));
        nodes += constraint_count(c, i);
        check(!constraint_match_set(c, i, NULL)); /* nothing is asked for by leaving it out */
    }
    check(nodes == constraint_nodes(c));
    constraint_match(c, "a,b");
    return 0;
}
