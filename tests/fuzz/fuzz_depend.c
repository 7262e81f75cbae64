/* Dependencies read back from what they are written as. */
#include "fuzz.h"

#include "base/str.h"
#include "text/depend.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n > FUZZ_TEXT_MAX)
        return 0;
    auto_free char *text = mem_strn((const char *)data, n);
    auto_depend struct depend_list l = DEPEND_INIT, m = DEPEND_INIT, k = DEPEND_INIT;
    struct err err = ERR_INIT;
    int rc = depend_parse(text, &l, &err);
    check(!rc == !err.text[0]);
    check(!rc || !l.n);
    if (rc || l.n > 3000) /* what is larger is only slower */
        return 0;
    auto_free char *spec = depend_spec(&l), *shown = depend_text(&l);
    check(!depend_parse(spec, &m, &err) && l.n == m.n && l.any == m.any);
    for (size_t i = 0; i < l.n; i++)
        check(l.at[i].type == m.at[i].type && l.at[i].job == m.at[i].job && l.at[i].task == m.at[i].task &&
              l.at[i].minutes == m.at[i].minutes);
    check(!depend_parse(shown, &k, &err) && k.n == l.n);
    return 0;
}
