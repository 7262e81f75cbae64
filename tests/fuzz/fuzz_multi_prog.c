/* A file that is good for its tasks has a line for each of them. */
#include "fuzz.h"

#include <string.h>

#include "text/multi_prog.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n > FUZZ_TEXT_MAX)
        return 0;
    auto_free char *text = mem_strn((const char *)data, n);
    uint32_t tasks = MIN(multi_prog_tasks(text), 16u);
    bool good = !multi_prog_check(text, "f", tasks, NULL);
    for (uint32_t i = 0; i < tasks; i++) {
        auto_strs struct strs argv = STRS_INIT;
        int rc = multi_prog_argv(text, i, &argv);
        check(rc || argv.n);
        check(!good || !rc || strchr(text, '\'')); /* only a quote that does not end may still be in the way */
    }
    return 0;
}
