/* What a roster writes, it reads, and writes the same again. */
#include "fuzz.h"

#include "base/mem.h"
#include "base/str.h"
#include "text/roster.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct roster r = { 0 }, again = { 0 };
    struct err err = ERR_INIT;
    if (n > FUZZ_TEXT_MAX)
        return 0;
    if (!roster_parse((const char *)data, n, &r, &err)) {
        auto_free char *once = roster_text(&r);
        check(!roster_parse(once, strlen(once), &again, &err));
        auto_free char *twice = roster_text(&again);
        check(str_eq(once, twice));
    } else {
        check(err.text[0]);
    }
    roster_clear(&r);
    roster_clear(&again);
    return 0;
}
