/* A batch script's checks and directives, down to the options they become. */
#include <stdint.h>

#include "cli/directives.h"
#include "cli/script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static FILE *null;
    if (!null)
        stderr = null = fopen("/dev/null", "w"); /* getopt speaks there */
    auto_buf struct buf script = BUF_INIT;
    buf_adds(&script, "#!/bin/sh\n");
    buf_add(&script, data, size);
    struct err err = ERR_INIT;
    if (script_check(script.s, script.len, &err))
        return 0;
    for (unsigned part = 0; part < script_parts(script.s, script.len) && part < 4; part++) {
        struct job_opts o;
        auto_strs struct strs words = STRS_INIT;
        bool fatal;
        job_opts_init(&o);
        if (!directives_apply(&o, &script, "fuzz", part, false, &words, &fatal, &err))
            job_opts_check(&o, &fatal, &err);
        job_opts_clear(&o);
    }
    return 0;
}
