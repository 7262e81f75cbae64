/* tables: every protobuf member has a row or a reason to have none; names, letters, keys and paths are unique. */
#include "base/str.h"
#include "show/config.h"
#include "show/diag.h"
#include "show/license.h"
#include "show/node.h"
#include "show/node_group.h"
#include "show/part.h"
#include "show/ping.h"
#include "show/prio.h"
#include "show/resv.h"
#include "show/share.h"
#include "test.h"

struct part_of {
    const char *prefix; /* of the members' names in `of` and `skip` */
    const ProtobufCMessageDescriptor *message;
};

static const struct {
    const struct show_table *table;
    struct part_of parts[4];
} tables[] = {
    { &show_config, { { 0 } } },
    { &show_config_meta, { { 0 } } },
    { &show_diag,
      { { "", &pb__diag_reply__descriptor },
        { "main.", &pb__diag_cycles__descriptor },
        { "fill.", &pb__diag_cycles__descriptor } } },
    { &show_license, { { "", &pb__license__descriptor } } },
    { &show_node,
      { { "", &pb__node__descriptor },
        { "def.", &pb__node_def__descriptor },
        { "hw.", &pb__node_hw__descriptor } } },
    { &show_node_group, { { 0 } } },
    { &show_part, { { "", &pb__part__descriptor } } },
    { &show_ping, { { 0 } } },
    { &show_prio, { { "", &pb__prio_job__descriptor } } },
    { &show_resv, { { "", &pb__resv__descriptor } } },
    { &show_share, { { "", &pb__assoc__descriptor }, { "", &pb__share_row__descriptor } } },
};

static bool has_word(const char *words, const char *word)
{
    size_t len = strlen(word);
    for (const char *at = words; at && (at = strstr(at, word)); at += len)
        if ((at == words || at[-1] == ' ') && (!at[len] || at[len] == ' '))
            return true;
    return false;
}

static bool member_shown(const struct show_table *t, const char *member)
{
    for (const struct show_field *f = t->field; f->type; f++)
        if (has_word(f->of, member))
            return true;
    for (const struct show_skip *s = t->skip; s && s->members; s++)
        if (has_word(s->members, member))
            return true;
    return false;
}

static void test_members(const struct show_table *t, const struct part_of *p)
{
    for (unsigned i = 0; i < p->message->n_fields; i++) {
        char member[128];
        snprintf(member, sizeof(member), "%s%s", p->prefix, p->message->fields[i].name);
        ok(member_shown(t, member), "%s: %s has a row or a reason to have none", t->record, member);
    }
}

static bool is_member(const struct part_of *parts, const char *word)
{
    for (; parts->message; parts++) {
        size_t len = strlen(parts->prefix);
        if (!strncmp(word, parts->prefix, len) &&
            protobuf_c_message_descriptor_get_field_by_name(parts->message, word + len))
            return true;
    }
    return false;
}

/* The other direction: what `of` and `skip` name exists. */
static void test_words(const struct show_table *t, const struct part_of *parts, const char *words)
{
    const char *pos = str_or(words, "");
    for (char *word; (word = str_next(&pos, " ")); free(word))
        ok(!parts->message || is_member(parts, word), "%s: there is a member %s", t->record, word);
}

static bool same_text(const char *a, const char *b)
{
    return a && b && !strcasecmp(a, b);
}

/* Two rows may share a path that changed its type, in different versions. */
static bool same_path(const struct show_field *a, const struct show_field *b)
{
    bool apart = (a->until && b->since > a->until) || (b->until && a->since > b->until);
    return same_text(a->json, b->json) && !apart;
}

static void test_unique(const struct show_table *t)
{
    for (const struct show_field *a = t->field; a->type; a++) {
        const char *word = a->name ? a->name : a->key ? a->key : a->json;
        bool twice = false;
        for (const struct show_field *b = t->field; b < a; b++)
            twice |= same_text(a->name, b->name) || same_text(a->key, b->key) || same_path(a, b) ||
                     (a->letter && a->letter == b->letter);
        ok(word && a->get && !twice, "%s: %s is one row with a getter", t->record, word);
    }
}

static void test_layout(const struct show_table *t)
{
    const char *pos = t->layout;
    for (char *word; (word = str_next(&pos, " \n")); free(word)) {
        const char *key = word + strspn(word, "?+");
        ok(str_eq(key, ".") || show_find_key(t, key, strlen(key)), "%s: %s of the layout is a key", t->record, key);
    }
}

int main(void)
{
    for (size_t i = 0; i < ARRAY_LEN(tables); i++) {
        const struct show_table *t = tables[i].table;
        for (const struct part_of *p = tables[i].parts; p->message; p++)
            test_members(t, p);
        for (const struct show_field *f = t->field; f->type; f++)
            test_words(t, tables[i].parts, f->of);
        for (const struct show_skip *s = t->skip; s && s->members; s++)
            test_words(t, tables[i].parts, s->members);
        test_unique(t);
        test_layout(t);
    }
    return test_done();
}
