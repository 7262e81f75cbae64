/*
 * columns - -o, -O and the fields of sstat and the accounting commands; see show.h.
 *
 * Each syntax is read as Slurm reads it, odd corners included: "%%" is nothing, an unknown letter is reported and
 * printed as it stands.  All three become the same list of columns.
 */
#include <ctype.h>

#include "base/str.h"
#include "show/show.h"

#define WIDTH_MAX 10000
#define HELP_WIDTH 19

void show_columns_clear(struct show_columns *c)
{
    for (size_t i = 0; i < c->column.n; i++)
        free(c->column.at[i].after);
    vec_clear(&c->column);
    free(take(c->before));
}

/* ---- -o and -O ---- */

/* "[.][digits]" at *pos. */
static void read_width(const char **pos, const char *end, struct show_column *c)
{
    if (*pos < end && **pos == '.') {
        c->right = true;
        ++*pos;
    }
    for (; *pos < end && isdigit((unsigned char)**pos); ++*pos)
        if (c->width < WIDTH_MAX)
            c->width = c->width * 10 + (unsigned)(**pos - '0');
}

static void add_letter(struct show_columns *c, const struct show_table *t, const char *token, size_t len,
                       show_bad_fn *bad)
{
    struct show_column one = { 0 };
    const char *pos = token, *end = token + len;
    read_width(&pos, end, &one);
    char letter = pos < end ? *pos : '\0';
    one.field = show_find_letter(t, letter);
    if (one.field) {
        one.after = mem_strn(pos + (pos < end), (size_t)(end - pos) - (pos < end));
    } else {
        bad((char[]){ letter, '\0' });
        one = (struct show_column){ .after = mem_printf("%%%.*s", (int)len, token) };
    }
    vec_push(&c->column, one);
}

void show_columns_letters(struct show_columns *c, const struct show_table *t, const char *spec, show_bad_fn *bad)
{
    size_t first = strcspn(spec, "%");
    if (first && !c->column.n)
        c->before = mem_strn(spec, first);
    for (const char *pos = spec + first; *pos;) {
        pos += strspn(pos, "%");
        size_t len = strcspn(pos, "%");
        if (len)
            add_letter(c, t, pos, len, bad);
        pos += len;
    }
}

static void add_name(struct show_columns *c, const struct show_table *t, const char *token, size_t len,
                     show_bad_fn *bad)
{
    struct show_column one = { 0 };
    const char *colon = memchr(token, ':', len), *end = token + len;
    size_t name_len = colon ? (size_t)(colon - token) : len;
    one.field = show_find(t, token, name_len);
    if (!one.field) {
        auto_free char *name = mem_strn(token, name_len);
        bad(name);
        return;
    }
    one.width = colon ? 0 : SHOW_WIDTH;
    if (colon) {
        colon++;
        read_width(&colon, end, &one);
        one.after = mem_strn(colon, (size_t)(end - colon));
    }
    vec_push(&c->column, one);
}

void show_columns_names(struct show_columns *c, const struct show_table *t, const char *spec, show_bad_fn *bad)
{
    while (*spec) {
        size_t len = strcspn(spec, ",");
        if (len)
            add_name(c, t, spec, len, bad);
        spec += len + (spec[len] == ',');
    }
}

/* ---- sstat and the accounting commands ---- */

static const struct show_field *find_prefix(const struct show_table *t, const char *name, size_t len)
{
    for (const struct show_field *f = t->field; f->type; f++)
        if (len && f->name && !strncasecmp(f->name, name, len))
            return f;
    return NULL;
}

static int add_wide(struct show_columns *c, const struct show_table *t, const char *word, struct show_wide how,
                    struct err *err)
{
    size_t len = strcspn(word, "%");
    const struct show_field *f = find_prefix(t, word, len);
    if (!f)
        return err_set(err, EINVAL, "Invalid field requested: \"%.*s\"", (int)len, word);
    int width = word[len] ? (int)strtol(word + len + 1, NULL, 10) : f->width;
    if (!width && how.zero && !how.bars)
        f = NULL;
    else if (!width || width > WIDTH_MAX || width < -WIDTH_MAX)
        width = f->width;
    struct show_column one = { .field = f, .width = how.bars ? 0 : (unsigned)abs(width), .right = width > 0 };
    one.after = mem_str(!how.bars ? " " : how.delimiter ? how.delimiter : "|");
    vec_push(&c->column, one);
    return 0;
}

int show_columns_wide(struct show_columns *c, const struct show_table *t, const char *spec, struct show_wide how,
                      struct err *err)
{
    const char *pos = spec;
    int rc = 0;
    c->mark_cut = c->rule = !how.bars;
    c->style = how.exact ? SHOW_EXACT : SHOW_WIDE;
    for (char *word; !rc && (word = str_next(&pos, ","));) {
        rc = add_wide(c, t, word, how, err);
        free(word);
    }
    if (!rc && how.bars && !how.ends && c->column.n)
        mem_set_str(&c->column.at[c->column.n - 1].after, "");
    return rc;
}

/* ---- lines ---- */

/* Make the value that stands from `start` on as wide as its column. */
static void fit_width(struct buf *out, size_t start, const struct show_column *c, bool mark_cut)
{
    size_t len = out->len - start;
    if (!c->width || len == c->width)
        return;
    if (len > c->width) {
        out->len = start + c->width;
        if (mark_cut)
            out->s[out->len - 1] = '+';
        out->s[out->len] = '\0';
        return;
    }
    size_t pad = c->width - len;
    buf_room(out, pad + 1);
    char *text = out->s + start;
    if (c->right)
        memmove(text + pad, text, len);
    memset(c->right ? text : text + len, ' ', pad);
    out->len += pad;
    out->s[out->len] = '\0';
}

static void add_line(const struct show_columns *c, const void *row, bool head, struct buf *out)
{
    if (c->before)
        buf_adds(out, c->before);
    for (size_t i = 0; i < c->column.n; i++) {
        const struct show_column *one = &c->column.at[i];
        if (one->field) {
            size_t start = out->len;
            if (head)
                buf_adds(out, one->field->head ? one->field->head : one->field->name);
            else
                show_text(out, one->field, row, c->style);
            fit_width(out, start, one, c->mark_cut && !head);
        }
        if (one->after && *one->after)
            buf_adds(out, one->after);
    }
    buf_addc(out, '\n');
}

static void add_rule(const struct show_columns *c, struct buf *out)
{
    for (size_t i = 0; i < c->column.n; i++) {
        unsigned width = c->column.at[i].width;
        memset(buf_room(out, width), '-', width);
        out->len += width;
        buf_addc(out, ' ');
    }
    buf_addc(out, '\n');
}

void show_columns_head(const struct show_columns *c, struct buf *out)
{
    add_line(c, NULL, true, out);
    if (c->rule)
        add_rule(c, out);
}

void show_columns_row(const struct show_columns *c, const void *row, struct buf *out)
{
    add_line(c, row, false, out);
}

bool show_columns_has(const struct show_columns *c, const struct show_field *f)
{
    for (size_t i = 0; i < c->column.n; i++)
        if (c->column.at[i].field == f)
            return true;
    return false;
}

/* ---- help ---- */

void show_help_letters(const struct show_table *t, struct buf *out)
{
    unsigned n = 0;
    for (const struct show_field *f = t->field; f->type; f++)
        if (f->letter && !(f->flags & SHOW_ALIAS))
            buf_addf(out, "%%%c    %s", f->letter, ++n % 8 ? "" : "\n");
    if (n % 8)
        buf_addc(out, '\n');
}

void show_help_names(const struct show_table *t, struct buf *out)
{
    unsigned n = 0;
    for (const struct show_field *f = t->field; f->type; f++)
        if (f->name && !(f->flags & SHOW_ALIAS))
            buf_addf(out, "%-*s%s", SHOW_WIDTH, f->name, ++n % 4 ? "" : "\n");
    if (n % 4)
        buf_addc(out, '\n');
}

void show_help_wide(const struct show_table *t, struct buf *out)
{
    int width = t->help_width ? t->help_width : HELP_WIDTH;
    unsigned n = 0;
    for (const struct show_field *f = t->field; f->type; f++)
        if (f->name && !(f->flags & SHOW_ALIAS))
            buf_addf(out, "%s%-*s", !n++ ? "" : n % 4 == 1 ? "\n" : " ", width, f->name);
    buf_addc(out, '\n');
}
