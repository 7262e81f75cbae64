/*
 * format - columns of text from records.
 *
 * Both syntaxes are read as Slurm reads them, odd corners included: "%%" is nothing, an unknown letter is
 * complained about and printed as it stands.
 */
#include "cli/format.h"

#include <ctype.h>

#include "base/str.h"

void format_clear(struct format *f)
{
    for (size_t i = 0; i < f->column.n; i++)
        free(f->column.at[i].after);
    vec_clear(&f->column);
    free(take(f->before));
}

/* ---- reading ---- */

static const struct field *by_letter(const struct field *table, char c)
{
    for (const struct field *f = table; f->name; f++)
        if (f->letter == c)
            return f;
    return NULL;
}

static const struct field *by_name(const struct field *table, const char *name, size_t len)
{
    for (const struct field *f = table; f->name; f++)
        if (strlen(f->name) == len && !strncasecmp(f->name, name, len))
            return f;
    return NULL;
}

/* "[.][digits]" at *pos. */
static void read_width(const char **pos, const char *end, struct column *c)
{
    if (*pos < end && **pos == '.') {
        c->right = true;
        ++*pos;
    }
    for (; *pos < end && isdigit((unsigned char)**pos); ++*pos)
        if (c->width < 10000)
            c->width = c->width * 10 + (unsigned)(**pos - '0');
}

static void parse_token(struct format *f, const struct field *table, const char *token, size_t len, format_bad_fn *bad)
{
    struct column c = { 0 };
    const char *pos = token, *end = token + len;
    read_width(&pos, end, &c);
    char letter = pos < end ? *pos : '\0';
    c.field = by_letter(table, letter);
    if (c.field) {
        c.after = mem_strn(pos + (pos < end), (size_t)(end - pos) - (pos < end));
    } else {
        bad((char[]){ letter, '\0' });
        c = (struct column){ .after = mem_printf("%%%.*s", (int)len, token) };
    }
    vec_push(&f->column, c);
}

void format_parse(struct format *f, const struct field *table, const char *spec, format_bad_fn *bad)
{
    size_t first = strcspn(spec, "%");
    if (first && !f->column.n)
        f->before = mem_strn(spec, first);
    for (const char *pos = spec + first; *pos;) {
        pos += strspn(pos, "%");
        size_t len = strcspn(pos, "%");
        if (len)
            parse_token(f, table, pos, len, bad);
        pos += len;
    }
}

static void parse_name(struct format *f, const struct field *table, const char *token, size_t len, format_bad_fn *bad)
{
    struct column c = { 0 };
    const char *colon = memchr(token, ':', len), *end = token + len;
    size_t name_len = colon ? (size_t)(colon - token) : len;
    c.field = by_name(table, token, name_len);
    if (!c.field) {
        auto_free char *name = mem_strn(token, name_len);
        bad(name);
        return;
    }
    c.width = colon ? 0 : FORMAT_WIDTH;
    if (colon) {
        colon++;
        read_width(&colon, end, &c);
        c.after = mem_strn(colon, (size_t)(end - colon));
    }
    vec_push(&f->column, c);
}

void format_parse_names(struct format *f, const struct field *table, const char *spec, format_bad_fn *bad)
{
    while (*spec) {
        size_t len = strcspn(spec, ",");
        if (len)
            parse_name(f, table, spec, len, bad);
        spec += len + (spec[len] == ',');
    }
}

/* ---- writing ---- */

/* The text from `start` to the end of `out` is a value: make it as wide as its column. */
static void fit(struct buf *out, size_t start, const struct column *c)
{
    size_t len = out->len - start;
    if (!c->width || len == c->width)
        return;
    if (len > c->width) {
        out->len = start + c->width;
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

static void line(const struct format *f, const void *row, bool head, struct buf *out)
{
    if (f->before)
        buf_adds(out, f->before);
    for (size_t i = 0; i < f->column.n; i++) {
        const struct column *c = &f->column.at[i];
        if (c->field) {
            size_t start = out->len;
            if (head)
                buf_adds(out, c->field->head);
            else
                c->field->put(out, c->field, row);
            fit(out, start, c);
        }
        if (c->after && *c->after)
            buf_adds(out, c->after);
    }
    buf_addc(out, '\n');
}

void format_head(const struct format *f, struct buf *out)
{
    line(f, NULL, true, out);
}

void format_row(const struct format *f, const void *row, struct buf *out)
{
    line(f, row, false, out);
}

bool format_has(const struct format *f, field_put_fn *put)
{
    for (size_t i = 0; i < f->column.n; i++)
        if (f->column.at[i].field && f->column.at[i].field->put == put)
            return true;
    return false;
}

/* ---- help ---- */

void format_help(const struct field *table, struct buf *out)
{
    unsigned n = 0;
    for (const struct field *f = table; f->name; f++)
        if (f->letter && !f->alias)
            buf_addf(out, "%%%c    %s", f->letter, ++n % 8 ? "" : "\n");
    if (n % 8)
        buf_addc(out, '\n');
}

void format_help_names(const struct field *table, struct buf *out)
{
    unsigned n = 0;
    for (const struct field *f = table; f->name; f++)
        if (!f->alias)
            buf_addf(out, "%-20s%s", f->name, ++n % 4 ? "" : "\n");
    if (n % 4)
        buf_addc(out, '\n');
}
