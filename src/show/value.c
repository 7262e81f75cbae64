/* value - values as text, by type and style; see show.h. */
#include <sys/wait.h>

#include "base/str.h"
#include "show/show.h"
#include "text/size.h"
#include "text/time.h"

void show_get_unset(struct show_value *v, const struct show_field *f, const void *row)
{
    v->state = SHOW_UNSET;
}

const struct show_table show_empty = { "empty", (const struct show_field[]){ { 0 } }, "", NULL };

static const void *same_row(const void *of, size_t i, void *room)
{
    return of;
}

void show_get_empty(struct show_value *v, const struct show_field *f, const void *row)
{
    v->state = SHOW_SET;
    v->rows = (struct show_rows){ 1, row, same_row };
}

/* ---- finding ---- */

const struct show_field *show_find(const struct show_table *t, const char *name, size_t len)
{
    for (const struct show_field *f = t->field; f->type; f++)
        if (f->name && strlen(f->name) == len && !strncasecmp(f->name, name, len))
            return f;
    return NULL;
}

/* No letter at all ("%5") is the first field without one, as it is in Slurm. */
const struct show_field *show_find_letter(const struct show_table *t, char letter)
{
    for (const struct show_field *f = t->field; f->type; f++)
        if (f->letter == letter)
            return f;
    return NULL;
}

const struct show_field *show_find_key(const struct show_table *t, const char *key, size_t len)
{
    for (const struct show_field *f = t->field; f->type; f++)
        if (f->key && strlen(f->key) == len && !memcmp(f->key, key, len))
            return f;
    return NULL;
}

/* ---- getting ---- */

void show_get(struct show_value *v, const struct show_field *f, const void *row, struct buf *scratch)
{
    size_t start = scratch->len;
    *v = (struct show_value){ .scratch = scratch };
    f->get(v, f, row);
    if (!show_is_text(f->type) || v->state != SHOW_SET || v->text)
        return;
    if (scratch->len == start)
        v->state = SHOW_UNSET;
    else
        v->text = scratch->s + start;
}

/* ---- what stands for no value ---- */

static const char *unset_text(const struct show_field *f, enum show_style style)
{
    if (style == SHOW_PAIR && f->pair_none)
        return f->pair_none;
    if (style != SHOW_PAIR && f->none)
        return f->none;
    if (style >= SHOW_WIDE)
        return "";
    switch (f->type) {
    case SHOW_TEXT: case SHOW_LIST: return "(null)";
    case SHOW_TIME: return style == SHOW_PAIR ? "Unknown" : "N/A";
    case SHOW_MINUTES: return style == SHOW_PAIR ? "N/A" : "NOT_SET";
    case SHOW_SECONDS: return style == SHOW_PAIR ? "00:00:00" : "0:00";
    case SHOW_NUMBER: case SHOW_NUMBER_SET: case SHOW_BOOL: case SHOW_MEMORY_MB: case SHOW_BYTES: return "0";
    case SHOW_FLOAT: case SHOW_FLOAT_SET: return "N/A";
    case SHOW_EXIT_CODE: return "0:0";
    case SHOW_END: case SHOW_LINES: case SHOW_RECORDS: case SHOW_RECORD: break;
    }
    return "";
}

static const char *infinite_text(const struct show_field *f, enum show_style style)
{
    if (f->infinite)
        return f->infinite;
    if (f->type == SHOW_TIME)
        return style == SHOW_PAIR ? "Unknown" : "NONE";
    return "UNLIMITED";
}

/* ---- text ---- */

static void add_int(struct buf *out, int64_t n)
{
    char digits[24], *at = digits + sizeof(digits);
    uint64_t rest = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
    do
        *--at = (char)('0' + rest % 10);
    while (rest /= 10);
    if (n < 0)
        *--at = '-';
    buf_add(out, at, (size_t)(digits + sizeof(digits) - at));
}

static void add_real(struct buf *out, const struct show_field *f, double d)
{
    char text[64];
    snprintf(text, sizeof(text), f->format ? f->format : "%f", d);
    buf_adds(out, text);
}

static void add_exit_code(struct buf *out, int status)
{
    add_int(out, WIFSIGNALED(status) ? 0 : WEXITSTATUS(status));
    buf_addc(out, ':');
    add_int(out, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

static void add_span(struct buf *out, int64_t seconds, enum show_style style)
{
    char text[TIME_TEXT];
    buf_adds(out, style == SHOW_COLUMN ? time_elapsed(text, seconds) : time_secs_text(text, (uint64_t)MAX(seconds, 0)));
}

static void add_set(struct buf *out, const struct show_field *f, const struct show_value *v, enum show_style style)
{
    char text[MAX(TIME_TEXT, SIZE_TEXT)];
    switch (f->type) {
    case SHOW_TEXT: case SHOW_LIST: case SHOW_LINES: buf_adds(out, v->text); break;
    case SHOW_NUMBER: case SHOW_NUMBER_SET: add_int(out, v->number); break;
    case SHOW_BOOL: buf_adds(out, v->number ? (f->yes ? f->yes : "1") : unset_text(f, style)); break;
    case SHOW_TIME: buf_adds(out, time_stamp(text, (time_t)v->number, unset_text(f, style))); break;
    case SHOW_SECONDS: add_span(out, v->number, style); break;
    case SHOW_MINUTES: add_span(out, v->number * 60, style); break;
    case SHOW_MEMORY_MB: buf_adds(out, size_mb_text(text, (uint64_t)v->number)); break;
    case SHOW_BYTES:
        if (style == SHOW_EXACT)
            add_int(out, v->number);
        else
            buf_adds(out, size_count_text(text, (uint64_t)v->number));
        break;
    case SHOW_FLOAT: case SHOW_FLOAT_SET: add_real(out, f, v->real); break;
    case SHOW_EXIT_CODE: add_exit_code(out, (int)v->number); break;
    case SHOW_END: case SHOW_RECORDS: case SHOW_RECORD: break;
    }
}

void show_value_text(struct buf *out, const struct show_field *f, const struct show_value *v, enum show_style style)
{
    if (v->state == SHOW_SET)
        add_set(out, f, v, style);
    else
        buf_adds(out, v->state == SHOW_UNSET ? unset_text(f, style) : infinite_text(f, style));
}

/* The output is the scratch buffer, so a text that is made is written once, in its place. */
bool show_text(struct buf *out, const struct show_field *f, const void *row, enum show_style style)
{
    struct show_value v = { .scratch = out };
    size_t start = out->len;
    f->get(&v, f, row);
    if (show_is_text(f->type) && v.state == SHOW_SET && !v.text) {
        if (out->len > start)
            return true;
        v.state = SHOW_UNSET;
    }
    show_value_text(out, f, &v, style);
    return v.state != SHOW_UNSET;
}
