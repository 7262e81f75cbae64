/* stepid - one job or one step as users write it; see stepid.h. */
#include "text/stepid.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/errnum.h"
#include "base/str.h"

#define JOB_MAX 0xfffffffdu
#define STEP_MAX 0x7fffffefu

/* What may be wrong with a number, in this order. */
struct wrong {
    int empty, zero, negative, large, letters;
};

static const struct wrong job_wrong = { ESLURM_EMPTY_JOB_ID, ESLURM_INVALID_JOB_ID_ZERO, ESLURM_INVALID_JOB_ID_NEGATIVE,
                                        ESLURM_INVALID_JOB_ID_TOO_LARGE, ESLURM_INVALID_JOB_ID_NON_NUMERIC };
static const struct wrong task_wrong = { ESLURM_EMPTY_JOB_ARRAY_ID, 0, ESLURM_INVALID_JOB_ARRAY_ID_NEGATIVE,
                                         ESLURM_INVALID_JOB_ARRAY_ID_TOO_LARGE,
                                         ESLURM_INVALID_JOB_ARRAY_ID_NON_NUMERIC };
static const struct wrong step_wrong = { ESLURM_EMPTY_STEP_ID, 0, ESLURM_INVALID_STEP_ID_NEGATIVE,
                                         ESLURM_INVALID_STEP_ID_TOO_LARGE, ESLURM_INVALID_STEP_ID_NON_NUMERIC };

/* The number at *p, which then points behind it. */
static int parse_id(const char **p, const char *ends, uint32_t max, const struct wrong *w, uint32_t *out)
{
    if (!**p || strchr(ends, **p))
        return w->empty;
    if (**p == '-')
        return w->negative;
    uint64_t n = 0;
    const char *s = *p;
    for (; isdigit((unsigned char)*s); s++) {
        n = n * 10 + (uint64_t)(*s - '0');
        if (n > max)
            return w->large;
    }
    if (!n && w->zero)
        return w->zero;
    if (*s && !strchr(ends, *s))
        return w->letters;
    *p = s;
    *out = (uint32_t)n;
    return 0;
}

static int parse_step(const char *text, struct stepid *out)
{
    static const struct {
        const char *name;
        uint32_t step;
    } words[] = { { "batch", STEPID_BATCH }, { "extern", STEPID_EXTERN }, { "interactive", STEPID_INTERACTIVE } };
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (str_ieq(text, words[i].name)) {
            out->step = words[i].step;
            return 0;
        }
    return parse_id(&text, "", STEP_MAX, &step_wrong, &out->step);
}

int stepid_parse(const char *text, struct stepid *out)
{
    *out = (struct stepid){ 0 };
    int rc = parse_id(&text, "_.+", JOB_MAX, &job_wrong, &out->job);
    if (!rc && *text == '+')
        return ESLURM_NOT_SUPPORTED; /* heterogeneous jobs */
    if (!rc && *text == '_') {
        out->has_task = true;
        text++;
        rc = parse_id(&text, ".", JOB_MAX, &task_wrong, &out->task);
    }
    if (!rc && *text == '.') {
        out->has_step = true;
        rc = parse_step(text + 1, out);
    }
    return rc;
}
