/* Counts read back exactly; a memory size whose text holds no fraction does too. */
#include "fuzz.h"

#include <string.h>

#include "text/size.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n > FUZZ_TEXT_MAX)
        return 0;
    auto_free char *text = mem_strn((const char *)data, n);
    uint64_t v, again;
    char out[SIZE_TEXT];
    if (!size_count_parse(text, &v, NULL))
        check(!size_count_parse(size_count_text(out, v), &again, NULL) && again == v);
    if (size_mb_parse(text, &v, NULL))
        return 0;
    size_mb_text(out, v);
    if (v < 1ull << 50 && !strchr(out, '.') && !strpbrk(out, "PE"))
        check(!size_mb_parse(out, &again, NULL) && again == v);
    return 0;
}
