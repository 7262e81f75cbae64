/* pattern - file name patterns of a job; see pattern.h. */
#include "step/pattern.h"

#include <string.h>

#include "base/buf.h"
#include "base/str.h"

#define WIDTH_MAX 10 /* Slurm pads no further */
#define NO_ARRAY 0xfffffffeu

static char *without_backslashes(const char *name)
{
    auto_buf struct buf out = BUF_INIT;
    for (const char *p = name; *p; p++)
        if (*p != '\\')
            buf_addc(&out, *p);
    return buf_take(&out);
}

/* The number that a letter stands for; false: not a numeric letter. */
static bool number_of(char letter, const struct pattern_facts *f, uint32_t *out)
{
    uint32_t task = f->has_task ? f->array_task : f->batch ? NO_ARRAY : 0;
    switch (letter) {
    case 'A': *out = f->array_job ? f->array_job : f->job_id; return true;
    case 'a': *out = task; return true;
    case 'b': *out = task % 10; return true;
    case 'j': *out = f->job_id; return true;
    case 'n': *out = f->node_index; return true;
    case 't': *out = f->rank; return true;
    case 's': *out = f->step_id; return !f->batch;
    }
    return false;
}

static bool add_text(struct buf *out, char letter, const struct pattern_facts *f)
{
    switch (letter) {
    case '%': buf_addc(out, '%'); return true;
    case 'J': buf_addf(out, f->batch ? "%u" : "%u.%u", f->job_id, f->step_id); return true;
    case 'N': buf_adds(out, str_or(f->node, "")); return true;
    case 's': buf_adds(out, "batch"); return true;
    case 'u': buf_adds(out, str_or(f->user, "")); return true;
    case 'x': buf_adds(out, str_or(f->job_name, "")); return true;
    }
    return false;
}

/* One "%5j" at `p`; returns what follows it. */
static const char *expand_one(struct buf *out, const char *p, const struct pattern_facts *f)
{
    const char *start = p++;
    unsigned width = 0;
    for (; *p >= '0' && *p <= '9'; p++)
        width = MIN(width * 10 + (unsigned)(*p - '0'), (unsigned)WIDTH_MAX);
    if (!*p)
        return p; /* a lone % at the end is dropped */
    uint32_t n;
    if (number_of(*p, f, &n))
        buf_addf(out, "%0*u", (int)width, n);
    else if (!add_text(out, *p, f))
        buf_add(out, start, (size_t)(p - start) + 1);
    return p + 1;
}

char *pattern_expand(const char *name, const struct pattern_facts *f)
{
    if (strchr(name, '\\'))
        return without_backslashes(name);
    auto_buf struct buf out = BUF_INIT;
    for (const char *p = name; *p;) {
        if (*p == '%')
            p = expand_one(&out, p, f);
        else
            buf_addc(&out, *p++);
    }
    return buf_take(&out);
}
