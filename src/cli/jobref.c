/* jobref - jobs as users name them; see jobref.h. */
#include "cli/jobref.h"

#include "base/str.h"
#include "core/pbutil.h"
#include "text/array.h"

void jobrefs_clear(struct jobrefs *l)
{
    for (size_t i = 0; i < l->ref.n; i++) {
        free(l->ref.at[i]->tasks.data);
        free(l->ref.at[i]);
        free(l->text.at[i]);
    }
    vec_clear(&l->ref);
    vec_clear(&l->text);
}

bool jobref_step(const char *text, uint32_t *step)
{
    uint64_t n;
    if (str_u64(text, 0, INT32_MAX - 16, &n))
        *step = (uint32_t)n;
    else if (str_ieq(text, "batch"))
        *step = PB__STEP_NUMBER__STEP_BATCH;
    else if (str_ieq(text, "extern"))
        *step = PB__STEP_NUMBER__STEP_EXTERN;
    else if (str_ieq(text, "interactive"))
        *step = PB__STEP_NUMBER__STEP_INTERACTIVE;
    else
        return false;
    return true;
}

/* What follows the underscore. */
static bool read_tasks(Pb__JobRef *ref, char *tasks)
{
    uint64_t n;
    size_t len = strlen(tasks);
    if (!len || str_eq(tasks, "*"))
        return true; /* the whole array */
    if (str_u64(tasks, 0, UINT32_MAX - 2, &n)) {
        ref->has_task = true;
        ref->task = (uint32_t)n;
        return true;
    }
    if (tasks[0] != '[' || tasks[len - 1] != ']')
        return false;
    tasks[len - 1] = 0;
    auto_array struct array a = ARRAY_INIT;
    if (array_parse(tasks + 1, UINT32_MAX, &a, NULL))
        return false;
    pb_from_bitmap(&ref->tasks, &a.tasks);
    return true;
}

static bool read_ref(Pb__JobRef *ref, char *text, bool steps)
{
    char *dot = strchr(text, '.'), *under = strchr(text, '_'), *plus = strchr(text, '+');
    uint64_t n, part = 0;
    if (dot && !steps)
        return false;
    if (dot)
        *dot++ = 0;
    if (under)
        *under++ = 0;
    if (plus)
        *plus++ = 0;
    if (!str_u64(text, 1, UINT32_MAX - 1, &n) || (plus && (under || !str_u64(plus, 0, UINT32_MAX - 2, &part))))
        return false;
    ref->job = (uint32_t)n;
    ref->has_het = plus != NULL;
    ref->het = (uint32_t)part;
    if (under && !read_tasks(ref, under))
        return false;
    ref->has_step = dot != NULL;
    return !dot || jobref_step(dot, &ref->step);
}

bool jobrefs_add(struct jobrefs *l, const char *text, bool steps)
{
    auto_free char *copy = mem_str(text);
    Pb__JobRef *ref = NEW(Pb__JobRef);
    pb__job_ref__init(ref);
    if (!read_ref(ref, copy, steps)) {
        free(ref->tasks.data);
        free(ref);
        return false;
    }
    vec_push(&l->ref, ref);
    vec_push(&l->text, mem_str(text));
    return true;
}
