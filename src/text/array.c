/* array - the tasks of a job array; see array.h. */
#include "text/array.h"

#include "base/buf.h"
#include "base/errnum.h"
#include "base/str.h"

#define NAMED_TIMES 2 /* a text may name tasks again, but not all of them over and over */
#define STEP_MIN_COUNT 6  /* fewer tasks than this are listed, not written FIRST-LAST:STEP */
#define STEP_MIN_SPAN  11

void array_clear(struct array *a)
{
    bitmap_clear(&a->tasks);
    a->max_running = 0;
}

static int array_refuse(const char *spec, const char *piece, const char *why, struct err *err)
{
    return err_set(err, ESLURM_INVALID_ARRAY, "invalid job array \"%.128s\": \"%.64s\" %s", spec, piece, why);
}

/* FIRST, FIRST-LAST or FIRST-LAST:STEP; cuts `piece` up.  `left`: how many tasks the whole text may still name. */
static bool parse_piece(char *piece, uint32_t max_size, struct bitmap *tasks, uint64_t *left)
{
    uint64_t first, last, step = 1;
    char *colon = strchr(piece, ':'), *dash = strchr(piece, '-');
    if (colon)
        *colon++ = '\0';
    if (dash)
        *dash++ = '\0';
    if (!str_u64(piece, 0, UINT32_MAX, &first) || (colon && (!dash || !str_u64(colon, 1, UINT32_MAX, &step))))
        return false;
    last = first;
    if (dash && !str_u64(dash, first, UINT32_MAX, &last))
        return false;
    if (last >= max_size || (last - first) / step >= *left)
        return false;
    *left -= (last - first) / step + 1;
    bitmap_set(tasks,
               first + (last - first) / step * step); /* the last one first: the set grows once, not word by word */
    for (uint64_t i = first; i <= last; i += step)
        bitmap_set(tasks, i);
    return true;
}

/* Cut "%N" from the end of the piece. */
static bool parse_throttle(char *piece, uint32_t *max_running)
{
    uint64_t n;
    char *percent = strchr(piece, '%');
    if (!percent)
        return true;
    *percent = '\0';
    if (!str_u64(percent + 1, 0, UINT32_MAX, &n))
        return false;
    *max_running = (uint32_t)n;
    return true;
}

int array_parse(const char *spec, uint32_t max_size, struct array *out, struct err *err)
{
    auto_array struct array a = ARRAY_INIT;
    auto_free char *copy = mem_str(str_or(spec, ""));
    char *s = str_trim(copy);
    size_t n = strlen(s);
    if (n && s[0] == '[' && s[n - 1] == ']') {
        s[n - 1] = '\0';
        s++;
    }
    const char *pos = s;
    uint64_t left = (uint64_t)max_size * NAMED_TIMES;
    for (char *next; (next = str_next(&pos, ","));) {
        auto_free char *piece = next, *whole = mem_str(next);
        if (!parse_throttle(piece, &a.max_running))
            return array_refuse(spec, whole, "does not say how many may run at once", err);
        if (!parse_piece(str_trim(piece), max_size, &a.tasks, &left))
            return array_refuse(spec, whole, "is no task or range of tasks that this cluster takes", err);
    }
    if (bitmap_none(&a.tasks))
        return err_set(err, ESLURM_INVALID_ARRAY, "invalid job array \"%.128s\": no tasks", str_or(spec, ""));
    array_clear(out);
    *out = a;
    a = (struct array)ARRAY_INIT;
    return 0;
}

/* The same distance, over 1, between all of them?  Then Slurm writes many of them as FIRST-LAST:STEP. */
static bool add_steps(struct buf *b, const struct bitmap *tasks)
{
    size_t first = bitmap_next(tasks, 0), last = first, step = 0, count = 0;
    bitmap_each(tasks, i) {
        if (count == 1)
            step = i - first;
        if (count > 1 && i - last != step)
            return false;
        last = i;
        count++;
    }
    if (step < 2 || count < STEP_MIN_COUNT || last - first < STEP_MIN_SPAN)
        return false;
    buf_addf(b, "%zu-%zu:%zu", first, last, step);
    return true;
}

static void add_ranges(struct buf *b, const struct bitmap *tasks)
{
    for (size_t i = bitmap_next(tasks, 0); i != BITMAP_END;) {
        size_t end = bitmap_next_unset(tasks, i);
        buf_addf(b, b->len ? ",%zu" : "%zu", i);
        if (end > i + 1)
            buf_addf(b, "-%zu", end - 1);
        i = bitmap_next(tasks, end);
    }
}

/* As a buffer of `max_len` bytes would hold it: the last three before the NUL are dots once it comes near. */
static void cut_text(struct buf *b, size_t max_len)
{
    if (!max_len || b->len + 3 <= max_len)
        return;
    size_t dots = MIN(3, max_len - 1);
    b->len = max_len - 1 - dots;
    b->s[b->len] = '\0';
    buf_add(b, "...", dots);
}

char *array_text(const struct bitmap *tasks, uint32_t max_running, size_t max_len)
{
    auto_buf struct buf b = BUF_INIT;
    if (bitmap_none(tasks))
        return mem_str("");
    if (!add_steps(&b, tasks))
        add_ranges(&b, tasks);
    cut_text(&b, max_len);
    if (max_running)
        buf_addf(&b, "%%%u", max_running);
    return buf_take(&b);
}
