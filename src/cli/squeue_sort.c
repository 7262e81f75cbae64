/*
 * squeue_sort - the order of squeue's lines.
 *
 * Lines are written while the answer comes in; only their keys are kept, so that 50 000 jobs cost no more than
 * their text.  Equal lines stay in the order of `base`; a few of Slurm's comparisons swap equals, and so do ours.
 */
#include "base/map.h"
#include "base/str.h"
#include "cli/squeue.h"

struct sort_by {
    const struct show_field *field;
    show_get_fn *get;
    bool text;       /* keys are interned texts, not numbers */
    bool down;
    bool swaps;      /* rows with equal keys change places */
    bool unset_last;
    const char *last; /* the text that was interned last: neighbours often have the same */
};

struct sort_spec {
    VEC(struct sort_by) by;
    struct smap texts; /* interned, so that equal texts are equal pointers */
    struct buf scratch;
};

/* The letters that Slurm sorts by. */
static const char job_letters[] = "bBcCdDefgGhHiIjJlLmMnNOpPQStTuUvVz";
static const char step_letters[] = "iNPSMjuUl";

/* Two comparisons of jobs have corners of their own in Slurm. */
static const struct {
    char letter;
    bool unset_last;
} swapping[] = { { 'N', false }, { 'S', true } };

/* ---- the spec ---- */

static struct sort_by sort_by_letter(const struct show_table *t, char letter, bool steps)
{
    const struct show_field *f = show_find_letter(t, letter);
    struct sort_by by = { .field = f, .get = f->sort ? f->sort : f->get, .text = show_is_text(f->type) && !f->sort };
    for (size_t i = 0; i < ARRAY_LEN(swapping) && !steps; i++)
        if (swapping[i].letter == letter) {
            by.swaps = true;
            by.unset_last = swapping[i].unset_last;
        }
    return by;
}

/* The letter at the end is looked at first, as Slurm does: it is the one named in an error. */
struct sort_spec *sort_new(const char *text, bool steps, char *bad)
{
    struct sort_spec *s = NEW(struct sort_spec);
    for (size_t i = strlen(text); i-- > 0;) {
        if (strchr(",+-# ", text[i]))
            continue;
        bool known = strchr(steps ? step_letters : job_letters, text[i]);
        if (!known && steps)
            continue;
        if (!known) {
            *bad = text[i];
            sort_free(s);
            return NULL;
        }
        struct sort_by by = sort_by_letter(steps ? &show_step : &show_job, text[i], steps);
        by.down = i > 0 && text[i - 1] == '-';
        vec_push(&s->by, by);
    }
    for (size_t i = 0; i < s->by.n / 2; i++) {
        struct sort_by swap = s->by.at[i];
        s->by.at[i] = s->by.at[s->by.n - 1 - i];
        s->by.at[s->by.n - 1 - i] = swap;
    }
    return s;
}

void sort_free(struct sort_spec *s)
{
    if (!s)
        return;
    size_t pos = 0;
    const char *key;
    for (void *value; (value = smap_next(&s->texts, &pos, &key));)
        free(value);
    smap_clear(&s->texts);
    buf_clear(&s->scratch);
    vec_clear(&s->by);
    free(s);
}

/* ---- keys ---- */

static const char *intern_text(struct sort_spec *s, const char *text)
{
    char *known = smap_get(&s->texts, text);
    if (!known) {
        known = mem_str(text);
        smap_put(&s->texts, known, known);
    }
    return known;
}

static int64_t text_key(struct sort_spec *s, struct sort_by *by, const void *row)
{
    struct show_value v;
    buf_reset(&s->scratch);
    show_get(&v, by->field, row, &s->scratch);
    if (v.state != SHOW_SET) {
        show_value_text(&s->scratch, by->field, &v, SHOW_COLUMN);
        v.text = s->scratch.s;
    }
    if (!by->last || strcmp(by->last, v.text))
        by->last = intern_text(s, v.text);
    return (int64_t)(intptr_t)by->last;
}

static int64_t number_key(const struct sort_by *by, const void *row)
{
    struct show_value v = { 0 };
    by->get(&v, by->field, row);
    if (v.state == SHOW_INFINITE || (v.state == SHOW_UNSET && by->unset_last))
        return INT64_MAX;
    return v.state == SHOW_SET ? v.number : 0;
}

void sort_add(struct sort_lines *lines, size_t at, const void *row, int64_t base)
{
    struct sort_spec *s = lines->spec;
    for (size_t i = 0; i < s->by.n; i++) {
        struct sort_by *by = &s->by.at[i];
        vec_push(&lines->key, by->text ? text_key(s, by, row) : number_key(by, row));
    }
    uint32_t index = (uint32_t)lines->line.n;
    vec_push(&lines->line, (struct sort_line){ at, (uint32_t)(lines->text.len - at), index, base });
}

static int cmp_key(const struct sort_by *by, int64_t a, int64_t b)
{
    if (a == b)
        return 0;
    int order = by->text ? strcmp((const char *)(intptr_t)a, (const char *)(intptr_t)b) : a < b ? -1 : 1;
    if (!order)
        return 0;
    return (order < 0) == by->down ? 1 : -1;
}

static int cmp_lines(const void *pa, const void *pb, void *arg)
{
    const struct sort_line *a = pa, *b = pb;
    const struct sort_lines *lines = arg;
    const struct sort_spec *s = lines->spec;
    const size_t ka = (size_t)a->index * s->by.n, kb = (size_t)b->index * s->by.n;
    int sign = 1;
    for (size_t i = 0; i < s->by.n; i++) {
        int order = cmp_key(&s->by.at[i], lines->key.at[ka + i], lines->key.at[kb + i]);
        if (order)
            return sign * order;
        if (s->by.at[i].swaps)
            sign = -sign;
    }
    if (a->base != b->base)
        return sign * (a->base < b->base ? -1 : 1);
    return sign * (a->index < b->index ? -1 : a->index > b->index);
}

/* Is every line before (sign -1) or after (1) the next? */
static bool in_order(struct sort_lines *lines, int sign)
{
    for (size_t i = 1; i < lines->line.n; i++)
        if (cmp_lines(&lines->line.at[i - 1], &lines->line.at[i], lines) != sign)
            return false;
    return true;
}

static void turn_around(struct sort_lines *lines)
{
    for (size_t i = 0, k = lines->line.n - 1; i < k; i++, k--) {
        struct sort_line swap = lines->line.at[i];
        lines->line.at[i] = lines->line.at[k];
        lines->line.at[k] = swap;
    }
}

/* A queue comes in an order of its own, which is often the one asked for, or its reverse. */
void sort_lines(struct sort_lines *lines)
{
    if (lines->line.n < 2 || in_order(lines, -1))
        return;
    if (in_order(lines, 1))
        turn_around(lines);
    else
        qsort_r(lines->line.at, lines->line.n, sizeof(*lines->line.at), cmp_lines, lines);
}

void sort_clear(struct sort_lines *lines)
{
    buf_clear(&lines->text);
    vec_clear(&lines->line);
    vec_clear(&lines->key);
}
