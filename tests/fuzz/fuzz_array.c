/* The tasks of an array read back from their uncut text, and a cut text is never longer than was asked for. */
#include "fuzz.h"

#include <string.h>

#include "text/array.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n > FUZZ_TEXT_MAX || n < 1)
        return 0;
    size_t max_len = data[0];
    auto_free char *text = mem_strn((const char *)data + 1, n - 1);
    auto_array struct array a = ARRAY_INIT, b = ARRAY_INIT;
    struct err err = ERR_INIT;
    int rc = array_parse(text, 5000, &a, &err);
    check(!rc == !err.text[0]);
    if (rc)
        return 0;
    auto_free char *whole = array_text(&a.tasks, a.max_running, 0);
    check(!array_parse(whole, 5000, &b, &err));
    check(a.max_running == b.max_running && bitmap_count(&a.tasks) == bitmap_count(&b.tasks));
    bitmap_each(&a.tasks, i)
        check(bitmap_has(&b.tasks, i));
    auto_free char *cut = array_text(&a.tasks, 0, max_len);
    check(!max_len || strlen(cut) < max_len);
    return 0;
}
