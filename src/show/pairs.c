/*
 * pairs - records as scontrol show prints them: KEY=VALUE in lines; see show.h.
 *
 * A table's layout is a text: the keys in their order by blanks, a newline where scontrol begins a line.  "?Key" is
 * left out when its value is unset, "+Key" is shown with --details only ("+?Key": both), "." is one blank more
 * after a pair that is shown.  A line of which no pair is left is left out.  Keys of the table that the layout does not
 * name come last, each on a line of its own, where they are set: a new row needs no word in the layout.
 */
#include "base/str.h"
#include "show/show.h"

static bool pairs_have(const struct show_pairs *p, const struct show_field *f)
{
    for (size_t i = 0; i < p->pair.n; i++)
        if (p->pair.at[i].field == f)
            return true;
    return false;
}

/* Is the key a word of the layout, whatever signs stand before it? */
static bool layout_names(const char *layout, const char *key)
{
    size_t len = strlen(key);
    for (const char *at = layout; (at = strstr(at, key)); at += len)
        if ((at == layout || strchr(" \n?+", at[-1])) && (!at[len] || strchr(" \n", at[len])))
            return true;
    return false;
}

static void add_layout(struct show_pairs *p, const struct show_table *t, bool detail)
{
    bool line = false;
    for (const char *pos = t->layout; *pos;) {
        size_t blanks = strspn(pos, " \n");
        line |= memchr(pos, '\n', blanks) != NULL;
        pos += blanks;
        size_t len = strcspn(pos, " \n"), signs = strspn(pos, "?+");
        bool wanted = len && (detail || !memchr(pos, '+', signs));
        if (wanted && *pos == '.') {
            vec_push(&p->pair, (struct show_pair){ NULL });
        } else if (wanted) {
            const struct show_field *f = show_find_key(t, pos + signs, len - signs);
            if (f)
                vec_push(&p->pair, (struct show_pair){ f, strlen(f->key), line, memchr(pos, '?', signs) != NULL });
            line = false;
        }
        pos += len;
    }
}

void show_pairs_init(struct show_pairs *p, const struct show_table *t, bool one_line, bool detail)
{
    *p = (struct show_pairs){ .one_line = one_line, .table = t };
    add_layout(p, t, detail);
    for (const struct show_field *f = t->field; f->type; f++)
        if (f->key && !layout_names(t->layout, f->key) && !pairs_have(p, f))
            vec_push(&p->pair, (struct show_pair){ f, strlen(f->key), true, true });
}

void show_pairs_clear(struct show_pairs *p)
{
    vec_clear(&p->pair);
}

/* Text lines, each indented further than the pairs. */
static void add_lines(const struct show_pairs *p, const struct show_field *f, const void *row, struct buf *out)
{
    auto_buf struct buf scratch = BUF_INIT;
    struct show_value v;
    const char *lead = !p->one_line ? "\n     " : f->format ? f->format : " ";
    show_get(&v, f, row, &scratch);
    for (const char *at = v.state == SHOW_SET ? v.text : ""; *at; at += strcspn(at, "\n") + (strchr(at, '\n') != NULL))
        buf_addf(out, "%s%.*s", lead, (int)strcspn(at, "\n"), at);
}

/* Before a pair that is not the first. */
static void add_lead(const struct show_pairs *p, bool line, struct buf *out)
{
    if (line && !p->one_line) {
        buf_addc(out, '\n');
        buf_adds(out, p->table->indent ? p->table->indent : "   ");
    } else {
        buf_addc(out, ' ');
    }
}

void show_pairs_row(const struct show_pairs *p, const void *row, struct buf *out)
{
    size_t first = out->len;
    bool line = false, shown = false;
    for (size_t i = 0; i < p->pair.n; i++) {
        const struct show_pair *one = &p->pair.at[i];
        line |= one->line;
        if (!one->field) {
            if (shown)
                buf_addc(out, ' ');
            continue;
        }
        if (one->field->type == SHOW_LINES) {
            add_lines(p, one->field, row, out);
            continue;
        }
        size_t start = out->len;
        if (start > first)
            add_lead(p, line, out);
        buf_add(out, one->field->key, one->key_len);
        buf_addc(out, '=');
        shown = show_text(out, one->field, row, SHOW_PAIR) || !one->optional;
        if (shown) {
            line = false;
        } else {
            out->len = start;
            out->s[start] = '\0';
        }
    }
    buf_adds(out, p->one_line || p->table->dense ? "\n" : "\n\n");
}
