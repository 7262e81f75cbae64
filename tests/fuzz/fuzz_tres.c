/* What gres and TRES write, they read, and write the same again. */
#include "fuzz.h"

#include "base/str.h"
#include "text/tres.h"

typedef int gres_fn(const char *, struct gres_list *, struct err *);

static void gres(const char *text, gres_fn *parse, gres_fn *back)
{
    auto_gres struct gres_list l = GRES_INIT, m = GRES_INIT;
    struct err err = ERR_INIT;
    int rc = parse(text, &l, &err);
    check(!rc == !err.text[0]);
    if (rc)
        return;
    auto_free char *once = gres_text(&l);
    check(!back(once, &m, &err));
    auto_free char *twice = gres_text(&m);
    check(str_eq(once, twice));
    check(gres_count(&l, "gpu", NULL) == gres_count(&m, "gpu", NULL));
}

/* A fraction of a memory size is rounded the first time it is written: compare from there on. */
static void tres(const char *text)
{
    auto_tres struct tres_list l = TRES_INIT, m = TRES_INIT, k = TRES_INIT;
    struct err err = ERR_INIT;
    if (tres_parse(text, &l, &err))
        return;
    auto_free char *once = tres_text(&l);
    if (strpbrk(once, "PE")) /* exabytes are written, never read */
        return;
    check(!tres_parse(once, &m, &err));
    auto_free char *twice = tres_text(&m);
    check(!tres_parse(twice, &k, &err));
    auto_free char *thrice = tres_text(&k);
    check(str_eq(twice, thrice));
    tres_add_all(&l, &m, 3);
    tres_sub_all(&l, &k);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n > FUZZ_TEXT_MAX)
        return 0;
    auto_free char *text = mem_strn((const char *)data, n);
    gres(text, gres_parse, gres_parse);
    gres(text, gres_parse_gpus, gres_parse);
    gres(text, gres_parse_node, gres_parse_node);
    tres(text);
    free(gres_spec_prefixed(text, "gres/"));
    return 0;
}
