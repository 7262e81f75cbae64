/* stepid, freq - small texts: a job or step, and how often usage is looked at. */
#include "base/errnum.h"
#include "test.h"
#include "text/freq.h"
#include "text/stepid.h"

static void test_ids(void)
{
    static const struct {
        const char *text;
        int rc;
        struct stepid want;
    } cases[] = {
        { "12", 0, { .job = 12 } },
        { "12.0", 0, { .job = 12, .has_step = true } },
        { "12_3", 0, { .job = 12, .has_task = true, .task = 3 } },
        { "12_0.7", 0, { .job = 12, .has_task = true, .has_step = true, .step = 7 } },
        { "12.batch", 0, { .job = 12, .has_step = true, .step = STEPID_BATCH } },
        { "12.Extern", 0, { .job = 12, .has_step = true, .step = STEPID_EXTERN } },
        { "12.interactive", 0, { .job = 12, .has_step = true, .step = STEPID_INTERACTIVE } },
        { "", ESLURM_EMPTY_JOB_ID, { 0 } },
        { "0", ESLURM_INVALID_JOB_ID_ZERO, { 0 } },
        { "foo", ESLURM_INVALID_JOB_ID_ZERO, { 0 } },
        { "-1", ESLURM_INVALID_JOB_ID_NEGATIVE, { 0 } },
        { "12x", ESLURM_INVALID_JOB_ID_NON_NUMERIC, { 0 } },
        { "99999999999999999999", ESLURM_INVALID_JOB_ID_TOO_LARGE, { 0 } },
        { "12.", ESLURM_EMPTY_STEP_ID, { 0 } },
        { "12.foo", ESLURM_INVALID_STEP_ID_NON_NUMERIC, { 0 } },
        { "12.-1", ESLURM_INVALID_STEP_ID_NEGATIVE, { 0 } },
        { "12.4294967295", ESLURM_INVALID_STEP_ID_TOO_LARGE, { 0 } },
        { "12_", ESLURM_EMPTY_JOB_ARRAY_ID, { 0 } },
        { "12_a", ESLURM_INVALID_JOB_ARRAY_ID_NON_NUMERIC, { 0 } },
        { "12+1", ESLURM_NOT_SUPPORTED, { 0 } },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct stepid got;
        int rc = stepid_parse(cases[i].text, &got);
        is_int(rc, cases[i].rc, "\"%s\"", cases[i].text);
        const struct stepid *w = &cases[i].want;
        ok(rc || (got.job == w->job && got.task == w->task && got.step == w->step && got.has_task == w->has_task &&
                  got.has_step == w->has_step),
           "  and what it means");
    }
}

static void test_freq(void)
{
    static const struct {
        const char *text;
        bool good;
        uint32_t want;
    } cases[] = {
        { "30", true, 30 },    { "task=5", true, 5 },       { "energy=3", true, 77 }, { "Task=0,energy=10", true, 0 },
        { "5,task=6", true, 6 }, { "", false, 77 },         { "foo", false, 77 },     { "bar=5", false, 77 },
        { "-1", false, 77 },   { "task=", false, 77 },      { "70000", false, 77 },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint32_t got = 77;
        ok(freq_parse(cases[i].text, &got) == cases[i].good, "\"%s\" is %s", cases[i].text,
           cases[i].good ? "good" : "refused");
        ok(!cases[i].good || got == cases[i].want, "  and means %u", cases[i].want);
    }
}

int main(void)
{
    test_ids();
    test_freq();
    return test_done();
}
