/* depend - what a job waits for, as text; see depend.h. */
#include "text/depend.h"

#include <ctype.h>

#include "base/buf.h"
#include "base/errnum.h"
#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"
#include "text/array.h"

#define JOB_MAX  0x03ffffffu /* MAX_JOB_ID of Slurm */
#define TASK_MAX 4000001     /* the largest MaxArraySize */

static const char *const type_names[] = {
    [DEPEND_AFTER] = "after",
    [DEPEND_AFTERANY] = "afterany",
    [DEPEND_AFTERNOTOK] = "afternotok",
    [DEPEND_AFTEROK] = "afterok",
    [DEPEND_AFTERCORR] = "aftercorr",
    [DEPEND_AFTERBURSTBUFFER] = "afterburstbuffer",
    [DEPEND_SINGLETON] = "singleton",
    [DEPEND_EXPAND] = "expand",
};

static const char *const state_names[] = {
    [DEPEND_UNFULFILLED] = "unfulfilled",
    [DEPEND_FULFILLED] = "fulfilled",
    [DEPEND_FAILED] = "failed",
};

/* A spec on its way into a list. */
struct reading {
    const char *spec;
    struct depend_list *out;
    struct map seen; /* depend_key() of what is in `out` */
    struct err *err;
};

void depend_clear(struct depend_list *l)
{
    vec_clear(l);
    l->any = false;
}

static int depend_refuse(const struct reading *r, const char *what, const char *why)
{
    return err_set(r->err, ESLURM_DEPENDENCY, "invalid dependency \"%.128s\": \"%.64s\" %s", r->spec, what, why);
}

static uint64_t depend_key(const struct depend *d)
{
    return (uint64_t)d->job << 32 | (uint64_t)(d->task - DEPEND_ALL_TASKS) << 4 | (uint64_t)d->type;
}

/* The same job for the same reason is one dependency; the first one stays. */
static int depend_add(struct reading *r, const struct depend *d)
{
    if (map_put(&r->seen, depend_key(d), r))
        return 0;
    if (r->out->n == DEPEND_MAX)
        return err_set(r->err, ESLURM_DEPENDENCY, "more than %d dependencies", DEPEND_MAX);
    vec_push(r->out, *d);
    return 0;
}

/* JOB_[1-3]: one for each task. */
static int add_tasks(struct reading *r, struct depend d, const char *ranges)
{
    auto_array struct array a = ARRAY_INIT;
    int rc = array_parse(ranges, TASK_MAX, &a, r->err);
    if (rc)
        return depend_refuse(r, ranges, "names no tasks");
    bitmap_each(&a.tasks, i) {
        d.task = (int64_t)i;
        rc = depend_add(r, &d);
        if (rc)
            return rc;
    }
    return 0;
}

/* Cut the word at the first of `sign`, and return what follows it. */
static char *cut_at(char *word, char sign)
{
    char *at = strchr(word, sign);
    if (at)
        *at++ = '\0';
    return at;
}

/* JOB[_TASK][+MINUTES][(STATE)]; the minutes of one job hold for those after it too, as in Slurm. */
static int read_job(struct reading *r, char *word, enum depend_type type, uint32_t *minutes)
{
    auto_free char *whole = mem_str(word);
    struct depend d = { .type = type, .task = DEPEND_NO_TASK };
    uint64_t n;
    char *state = cut_at(word, '(');
    if (state && !str_eq(state, "unfulfilled)") && !str_eq(state, "failed)"))
        return depend_refuse(r, whole, "does not end in a state of a dependency");
    char *plus = cut_at(word, '+');
    if (plus && !str_u64(plus, 1, UINT32_MAX / 60, &n))
        return depend_refuse(r, whole, "has no number of minutes after '+'");
    if (plus)
        *minutes = (uint32_t)n;
    d.minutes = *minutes;
    char *task = cut_at(word, '_');
    if (!str_u64(word + strspn(word, " "), 1, JOB_MAX, &n))
        return depend_refuse(r, whole, "is no job id");
    d.job = (uint32_t)n;
    if (task && *task == '[')
        return add_tasks(r, d, task);
    if (str_eq(task, "*"))
        d.task = DEPEND_ALL_TASKS;
    else if (task && !str_u64(task, 0, TASK_MAX - 1, &n))
        return depend_refuse(r, whole, "is no task id");
    else if (task)
        d.task = (int64_t)n;
    return depend_add(r, &d);
}

static int read_type(const struct reading *r, const char *word, enum depend_type *out)
{
    for (size_t i = 0; i < ARRAY_LEN(type_names); i++)
        if (str_ieq(type_names[i], word)) {
            *out = (enum depend_type)i;
            return 0;
        }
    return depend_refuse(r, word, "is no type of dependency");
}

/* TYPE:JOB[:JOB...], singleton, or a lone JOB that means afterany. */
static int read_group(struct reading *r, char *group)
{
    enum depend_type type = DEPEND_AFTERANY;
    uint32_t minutes = 0;
    if (isdigit((unsigned char)*group))
        return read_job(r, group, type, &minutes);
    char *jobs = cut_at(group, ':');
    if (!jobs)
        cut_at(group, '('); /* singleton(unfulfilled), as it is shown */
    int rc = read_type(r, group, &type);
    if (rc)
        return rc;
    if (type == DEPEND_SINGLETON)
        return jobs ? depend_refuse(r, jobs, "follows singleton, which names no job")
                    : depend_add(r, &(struct depend){ .type = type, .task = DEPEND_NO_TASK });
    if (!jobs)
        return depend_refuse(r, group, "names no job");
    while (!rc && jobs) {
        char *job = jobs;
        jobs = cut_at(job, ':');
        rc = read_job(r, job, type, &minutes);
    }
    return rc;
}

/* Where the group at `s` ends: a separator outside brackets. */
static size_t group_len(const char *s)
{
    size_t n = 0;
    for (bool inside = false; s[n] && (inside || (s[n] != ',' && s[n] != '?')); n++)
        inside = s[n] == '[' || (inside && s[n] != ']');
    return n;
}

static int read_all(struct reading *r)
{
    const char *s = r->spec;
    char sep = '\0';
    for (;;) {
        size_t n = group_len(s);
        auto_free char *group = mem_strn(s, n);
        int rc = read_group(r, group);
        if (rc)
            return rc;
        s += n;
        if (!*s)
            break;
        if (sep && sep != *s)
            return depend_refuse(r, s, "mixes ',' and '?'");
        sep = *s++;
    }
    r->out->any = sep == '?' && r->out->n > 1;
    return 0;
}

int depend_parse(const char *spec, struct depend_list *out, struct err *err)
{
    struct reading r = { .spec = str_or(spec, ""), .out = out, .err = err };
    if (!*r.spec)
        return 0;
    int rc = read_all(&r);
    if (rc)
        depend_clear(out);
    map_clear(&r.seen);
    return rc;
}

static void add_one(struct buf *b, const struct depend *d, bool any)
{
    if (b->len)
        buf_addc(b, any ? '?' : ',');
    buf_adds(b, type_names[d->type]);
    if (d->type == DEPEND_SINGLETON)
        return;
    buf_addf(b, ":%u", d->job);
    if (d->task == DEPEND_ALL_TASKS)
        buf_adds(b, "_*");
    else if (d->task != DEPEND_NO_TASK)
        buf_addf(b, "_%lld", (long long)d->task);
    if (d->minutes)
        buf_addf(b, "+%u", d->minutes);
}

char *depend_text(const struct depend_list *l)
{
    auto_buf struct buf b = BUF_INIT;
    for (size_t i = 0; i < l->n; i++) {
        if (l->at[i].state == DEPEND_FULFILLED)
            continue;
        add_one(&b, &l->at[i], l->any);
        buf_addf(&b, "(%s)", state_names[l->at[i].state]);
    }
    return buf_take(&b);
}

char *depend_spec(const struct depend_list *l)
{
    auto_buf struct buf b = BUF_INIT;
    for (size_t i = 0; i < l->n; i++)
        add_one(&b, &l->at[i], l->any);
    return buf_take(&b);
}
