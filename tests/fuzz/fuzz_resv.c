/* Reservations: flags read back from what they are shown as; a list that was changed can be changed back. */
#include "fuzz.h"

#include "base/str.h"
#include "core/resv.h"

static void flags(const char *text)
{
    struct err err = ERR_INIT;
    uint64_t is = 0, again = 0;
    uint32_t purge = 0, purge_again = 0;
    int rc = resv_flags_parse(text, &is, &purge, &err);
    check(!rc == !err.text[0]);
    if (rc)
        return;
    auto_buf struct buf shown = BUF_INIT;
    resv_flags_text(is & ~(uint64_t)RESV_STATIC, purge, &shown); /* STATIC is written STATIC_ALLOC */
    check(!resv_flags_parse(shown.s ? shown.s : "", &again, &purge_again, NULL));
    check(again == (is & ~(uint64_t)RESV_STATIC));
}

static void lists(const char *text)
{
    static const enum resv_op ops[] = { RESV_SET, RESV_ADD, RESV_REMOVE };
    for (size_t i = 0; i < ARRAY_LEN(ops); i++) {
        struct err err = ERR_INIT;
        auto_free char *now = resv_list_change("a,b", text, ops[i], &err);
        check(!now == (err.text[0] != '\0'));
        if (!now)
            continue;
        auto_free char *same = resv_list_change("", now, RESV_SET, &err);
        check(same && str_eq(same, now));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n > FUZZ_TEXT_MAX)
        return 0;
    auto_free char *text = mem_strn((const char *)data, n);
    flags(text);
    lists(text);
    return 0;
}
