/* assoc_file: what is written can be read, and gives the same text again. */
#include "fuzz.h"

#include "base/mem.h"
#include "base/str.h"
#include "text/assoc_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct assoc_file r = { 0 }, again = { 0 };
    struct err err = ERR_INIT;
    if (n > FUZZ_TEXT_MAX)
        return 0;
    if (!assoc_file_parse((const char *)data, n, &r, &err)) {
        auto_free char *once = assoc_file_text(&r);
        check(!assoc_file_parse(once, strlen(once), &again, &err));
        auto_free char *twice = assoc_file_text(&again);
        check(str_eq(once, twice));
    } else {
        check(err.text[0]);
    }
    assoc_file_clear(&r);
    assoc_file_clear(&again);
    return 0;
}
