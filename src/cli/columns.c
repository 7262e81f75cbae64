/* columns - records in named fields; see columns.h. */
#include "cli/columns.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"

#define WIDTH_MAX 10000
#define HELP_WIDTH 19
#define HELP_EACH 4

void columns_clear(struct columns *c)
{
    vec_clear(&c->at);
}

static const struct column_row *find(const struct column_row *table, const char *name, size_t len)
{
    for (const struct column_row *f = table; f->name; f++)
        if (len && !strncasecmp(f->name, name, len))
            return f;
    return NULL;
}

static int add_one(struct columns *c, const struct column_row *table, const char *word, struct err *err)
{
    size_t len = strcspn(word, "%");
    const struct column_row *f = find(table, word, len);
    if (!f)
        return err_set(err, EINVAL, "Invalid field requested: \"%.*s\"", (int)len, word);
    int width = word[len] ? (int)strtol(word + len + 1, NULL, 10) : f->width;
    if (!width || width > WIDTH_MAX || width < -WIDTH_MAX)
        width = f->width;
    vec_push(&c->at, ((struct column_one){ f, width }));
    return 0;
}

int columns_add(struct columns *c, const struct column_row *table, const char *spec, struct err *err)
{
    const char *pos = spec;
    int rc = 0;
    for (char *word; !rc && (word = str_next(&pos, ","));) {
        rc = add_one(c, table, word, err);
        free(word);
    }
    return rc;
}

static void put(const struct columns *c, size_t i, const char *text, size_t len, struct buf *out)
{
    int width = c->at.at[i].width;
    size_t room = (size_t)abs(width);
    if (c->style != COLUMNS_WIDE) {
        buf_add(out, text, len);
        if (c->style == COLUMNS_BARS || i + 1 < c->at.n)
            buf_addc(out, '|');
    } else if (len > room) {
        buf_addf(out, "%.*s+ ", (int)room - 1, text);
    } else {
        buf_addf(out, width < 0 ? "%-*s " : "%*s ", (int)room, len ? text : "");
    }
}

void columns_head(const struct columns *c, struct buf *out)
{
    for (size_t i = 0; i < c->at.n; i++) {
        const char *name = c->at.at[i].field->name;
        size_t len = strlen(name), room = (size_t)abs(c->at.at[i].width);
        auto_free char *cut = mem_strn(name, c->style == COLUMNS_WIDE ? MIN(len, room) : len); /* no sign that it is cut */
        put(c, i, cut, strlen(cut), out);
    }
    buf_addc(out, '\n');
    if (c->style != COLUMNS_WIDE)
        return;
    for (size_t i = 0; i < c->at.n; i++) {
        for (int k = 0; k < abs(c->at.at[i].width); k++)
            buf_addc(out, '-');
        buf_addc(out, ' ');
    }
    buf_addc(out, '\n');
}

void columns_line(const struct columns *c, const void *row, struct buf *out)
{
    auto_buf struct buf text = BUF_INIT;
    for (size_t i = 0; i < c->at.n; i++) {
        const struct column_row *f = c->at.at[i].field;
        buf_reset(&text);
        f->put(&text, f, row);
        put(c, i, text.len ? text.s : "", text.len, out);
    }
    buf_addc(out, '\n');
}

void columns_help(const struct column_row *table, struct buf *out)
{
    size_t n = 0;
    for (const struct column_row *f = table; f->name; f++)
        buf_addf(out, "%s%-*s", !n++ ? "" : n % HELP_EACH == 1 ? "\n" : " ", HELP_WIDTH, f->name);
    buf_addc(out, '\n');
}
