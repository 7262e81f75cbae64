/* Names of output files; the answers are those of Slurm 26.05. */
#include "step/pattern.h"

#include <stdlib.h>

#include "base/mem.h"
#include "test.h"

static const struct pattern_facts batch = {
    .job_id = 525, .batch = true, .node = "n1", .user = "root", .job_name = "bs2"
};
static const struct pattern_facts task = { .job_id = 413,
                                           .batch = true,
                                           .array_job = 412,
                                           .has_task = true,
                                           .array_task = 13,
                                           .node = "n1",
                                           .user = "ada",
                                           .job_name = "wrap" };
static const struct pattern_facts step = {
    .job_id = 575, .step_id = 2, .node_index = 1, .rank = 3, .node = "n4", .user = "ada", .job_name = "wrap"
};

/* clang-format off */
static const struct {
    const char *name;
    const struct pattern_facts *facts;
    const char *want;
} cases[] = {
    { "slurm-%j.out", &batch, "slurm-525.out" },
    { "plain", &batch, "plain" },
    { "", &batch, "" },
    { "%j%%", &batch, "525%" },
    { "%5j_%05j", &batch, "00525_00525" },
    { "%12345j", &batch, "0000000525" },
    { "%0j", &batch, "525" },
    { "%3x_%2u", &batch, "bs2_root" },
    { "%5t", &batch, "00000" },
    { "%A", &batch, "525" },
    { "%4a", &batch, "4294967294" },
    { "%z_%q", &batch, "%z_%q" },
    { "%5z", &batch, "%5z" },
    { "end%", &batch, "end" },
    { "end%5", &batch, "end" },
    { "%s-%J", &batch, "batch-525" },
    { "%N.%n", &batch, "n1.0" },
    { "a\\%j", &batch, "a%j" },
    { "a\\\\%j_%x", &batch, "a%j_%x" },
    { "%A_%a", &task, "412_13" },
    { "%4A_%4a-%j-%b", &task, "0412_0013-413-3" },
    { "%x.%u", &task, "wrap.ada" },
    { "s-%j-%J-%s-%t-%n-%N-%x-%2t-%A-%a", &step, "s-575-575.2-2-3-1-n4-wrap-03-575-0" },
    { "%3s", &step, "002" },
};
/* clang-format on */

int main(void)
{
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        auto_free char *got = pattern_expand(cases[i].name, cases[i].facts);
        is_str(got, cases[i].want, "%s", cases[i].name);
    }
    return test_done();
}
