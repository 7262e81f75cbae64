/*
 * tables - what holds for every field table: names, letters, keys and paths are unique, the layout names keys that are
 * there, every protobuf member has a row or a reason why not, and an empty record has a text in every style.
 */
#ifndef SPUR_TEST_SHOW_TABLES_H
#define SPUR_TEST_SHOW_TABLES_H

#include <protobuf-c/protobuf-c.h>

#include "base/str.h"
#include "show/show.h"
#include "test.h"

static inline bool tables_versions_meet(const struct show_field *a, const struct show_field *b)
{
    return (!a->until || !b->since || a->until >= b->since) && (!b->until || !a->since || b->until >= a->since);
}

/* "a.b" and "a.b.c" cannot both be there: a value is no object. */
static inline bool tables_paths_clash(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    const char *longer = n < m ? b : a;
    return !strncmp(a, b, MIN(n, m)) && (n == m || longer[MIN(n, m)] == '.');
}

static inline bool tables_fields_clash(const struct show_field *a, const struct show_field *b)
{
    if (a->name && b->name && !strcasecmp(a->name, b->name))
        return true;
    if (a->letter && a->letter == b->letter)
        return true;
    if (a->key && b->key && !strcmp(a->key, b->key))
        return true;
    return a->json && b->json && tables_versions_meet(a, b) && tables_paths_clash(a->json, b->json);
}

static inline void tables_unique(const struct show_table *t)
{
    size_t clashes = 0;
    for (const struct show_field *a = t->field; a->type; a++)
        for (const struct show_field *b = a + 1; b->type; b++)
            if (tables_fields_clash(a, b)) {
                printf("# %s: %s %s %s clashes with %s %s %s\n", t->record, a->name, a->key, a->json, b->name, b->key,
                       b->json);
                clashes++;
            }
    is_int(clashes, 0, "%s: names, letters, keys and paths are unique", t->record);
}

static inline void tables_rows(const struct show_table *t)
{
    size_t wrong = 0;
    for (const struct show_field *f = t->field; f->type; f++) {
        bool sub = f->type == SHOW_RECORDS || f->type == SHOW_RECORD;
        if (!f->get || sub != (f->sub != NULL) || (!f->name && !f->key && !f->json) || (f->letter && !f->name)) {
            printf("# %s: row %s %s %s\n", t->record, f->name, f->key, f->json);
            wrong++;
        }
        if (f->sub)
            tables_rows(f->sub);
    }
    is_int(wrong, 0, "%s: every row has a getter and a name", t->record);
}

static inline void tables_layout(const struct show_table *t)
{
    const char *pos = t->layout ? t->layout : "";
    size_t unknown = 0;
    for (char *word; (word = str_next(&pos, " \n"));) {
        const char *key = word + strspn(word, "?+");
        if (*key && strcmp(key, ".") && !show_find_key(t, key, strlen(key))) {
            printf("# %s: no row has the key %s\n", t->record, key);
            unknown++;
        }
        free(word);
    }
    is_int(unknown, 0, "%s: the layout names keys of the table", t->record);
}

static inline bool tables_word_in(const char *words, const char *word)
{
    size_t len = strlen(word);
    for (const char *at = words; at && (at = strstr(at, word)); at += len)
        if ((at == words || at[-1] == ' ') && (!at[len] || at[len] == ' '))
            return true;
    return false;
}

/* Is the member shown by a row of the table, or left out with a reason?  Not both. */
static inline int tables_mentions(const struct show_table *t, const char *member)
{
    int shown = 0, skipped = 0;
    for (const struct show_field *f = t->field; f->type; f++)
        shown |= tables_word_in(f->of, member);
    for (const struct show_skip *s = t->skip; s && s->members; s++)
        skipped += tables_word_in(s->members, member);
    return shown + skipped;
}

static inline void tables_members(const struct show_table *t, const ProtobufCMessageDescriptor *d, const char *prefix)
{
    size_t wrong = 0;
    for (unsigned i = 0; i < d->n_fields; i++) {
        char member[128];
        snprintf(member, sizeof(member), "%s%s", prefix, d->fields[i].name);
        int mentions = tables_mentions(t, member);
        if (mentions != 1) {
            printf("# %s: %s is %s\n", t->record, member, mentions ? "shown and skipped" : "not mentioned");
            wrong++;
        }
    }
    is_int(wrong, 0, "%s: every member of %s has a row or a reason", t->record, d->name);
}

/* A message whose members a table shows, and what stands before their names in `of` and the skips. */
struct tables_part {
    const char *prefix;
    const ProtobufCMessageDescriptor *message; /* NULL ends a list */
};
#define TABLES_PARTS(...) ((const struct tables_part[]){ __VA_ARGS__, { NULL, NULL } })

static inline bool tables_is_member(const struct tables_part *parts, const char *word)
{
    for (; parts->message; parts++) {
        size_t len = strlen(parts->prefix);
        if (!strncmp(word, parts->prefix, len) &&
            protobuf_c_message_descriptor_get_field_by_name(parts->message, word + len))
            return true;
    }
    return false;
}

/* Words of `of` and of the skips that are no members. */
static inline size_t tables_others(const struct show_table *t, const char *words, const struct tables_part *parts)
{
    const char *pos = words ? words : "";
    size_t wrong = 0;
    for (char *word; (word = str_next(&pos, " ")); free(word))
        if (!tables_is_member(parts, word)) {
            printf("# %s: %s is no member\n", t->record, word);
            wrong++;
        }
    return wrong;
}

/* What holds without a message. */
static inline void tables_form(const struct show_table *t)
{
    tables_unique(t);
    tables_rows(t);
    tables_layout(t);
}

/* All of it. */
static inline void tables_check(const struct show_table *t, const struct tables_part *parts)
{
    size_t wrong = 0;
    tables_form(t);
    for (const struct tables_part *p = parts; p->message; p++)
        tables_members(t, p->message, p->prefix);
    for (const struct show_field *f = t->field; f->type; f++)
        wrong += tables_others(t, f->of, parts);
    for (const struct show_skip *s = t->skip; s && s->members; s++)
        wrong += tables_others(t, s->members, parts);
    is_int(wrong, 0, "%s: the members that rows name exist", t->record);
}

/* Every field of a row in every style: no accident, and a text of its own. */
static inline void tables_render(const struct show_table *t, const void *row, const char *what)
{
    struct buf out = BUF_INIT;
    size_t wrong = 0;
    for (const struct show_field *f = t->field; f->type; f++)
        for (int style = SHOW_COLUMN; style <= SHOW_EXACT; style++) {
            buf_reset(&out);
            buf_addc(&out, '|');
            show_text(&out, f, row, (enum show_style)style);
            wrong += out.len < 1 || out.s[0] != '|';
        }
    for (unsigned parser = SHOW_PARSER_OLDEST; parser <= SHOW_PARSER; parser++) {
        struct show_json j;
        struct show_plan p;
        buf_reset(&out);
        show_json_init(&j, &out, SHOW_JSON, parser);
        show_plan_init(&p, t, parser);
        show_plan_row(&p, row, &j);
        wrong += j.depth != 0;
        show_plan_clear(&p);
        show_json_clear(&j);
    }
    is_int(wrong, 0, "%s: every style of %s", t->record, what);
    buf_clear(&out);
}

#endif
