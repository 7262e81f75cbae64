/* Whatever a hostlist stands for, its ranged form stands for the same; and the count is right without expanding. */
#include "fuzz.h"

#include "base/str.h"
#include "text/hostlist.h"

static void same(const struct strs *a, const struct strs *b)
{
    check(a->n == b->n);
    for (size_t i = 0; i < a->n; i++)
        check(str_eq(a->at[i], b->at[i]));
}

static int cmp(const void *a, const void *b)
{
    return hostlist_cmp(*(char *const *)a, *(char *const *)b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n > FUZZ_TEXT_MAX)
        return 0;
    auto_free char *text = mem_strn((const char *)data, n);
    auto_strs struct strs names = STRS_INIT, again = STRS_INIT, sorted = STRS_INIT;
    struct err err = ERR_INIT;
    size_t count = 0;
    int rc = hostlist_count(text, &count, &err);
    check(!rc == !err.text[0]);
    if (rc || count > 3000) /* what is larger is only slower */
        return 0;
    check(!hostlist_expand(text, &names, &err) && names.n == count);
    auto_free char *ranged = hostlist_compress(names.at, names.n);
    check(!hostlist_expand(ranged, &again, &err));
    same(&names, &again);
    auto_free char *ordered = hostlist_compress_sorted(names.at, names.n);
    check(!hostlist_expand(ordered, &sorted, &err));
    if (names.n)
        qsort(names.at, names.n, sizeof(*names.at), cmp);
    same(&names, &sorted);
    return 0;
}
