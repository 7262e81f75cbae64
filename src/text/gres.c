/* gres - generic resources as text; see gres.h. */
#include "text/gres.h"

#include <ctype.h>

#include "base/buf.h"
#include "base/errnum.h"
#include "base/str.h"
#include "base/vec.h"
#include "text/size.h"

enum dialect { REQUEST, GPUS, NODE };

static void entry_clear(struct gres *g)
{
    free(g->name);
    free(g->type);
    free(g->where);
    *g = (struct gres){ 0 };
}

void gres_clear(struct gres_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        entry_clear(&l->at[i]);
    vec_clear(l);
}

static bool same_text(const char *a, const char *b)
{
    return a == b || str_eq(a, b);
}

static struct gres *gres_find(const struct gres_list *l, const char *name, const char *type)
{
    for (size_t i = 0; i < l->n; i++)
        if (str_eq(l->at[i].name, name) && same_text(l->at[i].type, type))
            return &l->at[i];
    return NULL;
}

static uint64_t add_u64(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

void gres_add(struct gres_list *l, const char *name, const char *type, uint64_t count)
{
    struct gres *g = gres_find(l, name, type);
    if (g)
        g->count = add_u64(g->count, count);
    else
        vec_push(l, (struct gres){ .name = mem_str(name), .type = mem_str(type), .count = count });
}

uint64_t gres_count(const struct gres_list *l, const char *name, const char *type)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < l->n; i++)
        if (str_eq(l->at[i].name, name) && (!type || str_eq(l->at[i].type, type)))
            sum = add_u64(sum, l->at[i].count);
    return sum;
}

static int gres_refuse(const char *piece, const char *why, struct err *err)
{
    return err_set(err, ESLURM_INVALID_GRES, "invalid generic resource \"%.128s\": %s", piece, why);
}

/* Names and types are words: letters, digits and a few signs that do not divide. */
static bool is_word(const char *s)
{
    if (!*s)
        return false;
    for (; *s; s++)
        if (!isalnum((unsigned char)*s) && !strchr("_-.+", *s))
            return false;
    return true;
}

/* Cut "(S:0-1)" off the end of a node's entry. */
static int cut_where(char *piece, struct gres *g, const char *whole, struct err *err)
{
    char *open = strchr(piece, '(');
    size_t n = strlen(piece);
    if (!open)
        return 0;
    if (strcspn(open + 1, "()") != n - (size_t)(open - piece) - 2 || piece[n - 1] != ')')
        return gres_refuse(whole, "it ends in one pair of parentheses", err);
    piece[n - 1] = '\0';
    *open = '\0';
    g->where = mem_str(open + 1);
    return 0;
}

/* The words between colons: [NAME] [TYPE] [no_consume] [COUNT]. */
static int read_words(char *s, struct gres *g, enum dialect dialect, const char *whole, struct err *err)
{
    g->count = 1;
    if (dialect == GPUS)
        g->name = mem_str("gpu");
    while (s) {
        char *word = s;
        s = strpbrk(s, ":=");
        if (s)
            *s++ = '\0';
        if (!s && g->name && isdigit((unsigned char)*word) && !size_count_parse(word, &g->count, NULL))
            break;
        if (!is_word(word) || (!g->name && str_eq(word, "gres"))) /* that one is the prefix */
            return gres_refuse(whole, "it reads NAME[:TYPE][:COUNT]", err);
        if (!g->name)
            g->name = mem_str(word);
        else if (dialect == NODE && str_eq(word, "no_consume"))
            g->no_consume = true;
        else if (!g->type)
            g->type = mem_str(word);
        else
            return gres_refuse(whole, "it reads NAME[:TYPE][:COUNT]", err);
    }
    return 0;
}

static int parse_piece(char *piece, struct gres *g, enum dialect dialect, struct err *err)
{
    auto_free char *whole = mem_str(piece);
    int rc = dialect == NODE ? cut_where(piece, g, whole, err) : 0;
    if (rc)
        return rc;
    if (dialect != GPUS && (str_has_prefix(piece, "gres/") || str_has_prefix(piece, "gres:")))
        piece += 5;
    return read_words(piece, g, dialect, whole, err);
}

/* The next piece: a comma inside parentheses does not end it. */
static char *next_piece(const char **pos)
{
    const char *s = *pos + strspn(*pos, ","), *end = s;
    for (int depth = 0; *end && (depth || *end != ','); end++)
        depth += (*end == '(') - (*end == ')' && depth);
    *pos = end;
    return end > s ? mem_strn(s, (size_t)(end - s)) : NULL;
}

static void gres_merge(struct gres_list *l, struct gres *g)
{
    struct gres *there = gres_find(l, g->name, g->type);
    if (there && there->no_consume == g->no_consume && same_text(there->where, g->where)) {
        there->count = add_u64(there->count, g->count);
        entry_clear(g);
        return;
    }
    vec_push(l, *g);
    *g = (struct gres){ 0 };
}

static int gres_parse_spec(const char *spec, struct gres_list *out, enum dialect dialect, struct err *err)
{
    const char *pos = str_or(spec, "");
    if (dialect != GPUS && (str_ieq(pos, "none") || str_eq(pos, "(null)")))
        return 0;
    auto_gres struct gres_list found = GRES_INIT;
    for (char *next; (next = next_piece(&pos));) {
        auto_free char *piece = next;
        struct gres g __attribute__((cleanup(entry_clear))) = { 0 };
        int rc = parse_piece(piece, &g, dialect, err);
        if (rc)
            return rc;
        gres_merge(&found, &g);
    }
    for (size_t i = 0; i < found.n; i++)
        gres_merge(out, &found.at[i]);
    return 0;
}

/* "2,a100:1" would count the same card twice, so a name is asked for with types or without. */
static int check_types(const struct gres_list *l, const char *spec, struct err *err)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->at[i].type && gres_find(l, l->at[i].name, NULL))
            return err_set(err, ESLURM_INVALID_GRES_TYPE, "\"%.128s\" asks for %s with and without a type", spec,
                           l->at[i].name);
    return 0;
}

int gres_parse(const char *spec, struct gres_list *out, struct err *err)
{
    return gres_parse_spec(spec, out, REQUEST, err);
}

int gres_parse_gpus(const char *spec, struct gres_list *out, struct err *err)
{
    auto_gres struct gres_list found = GRES_INIT;
    int rc = gres_parse_spec(spec, &found, GPUS, err);
    if (!rc)
        rc = check_types(&found, spec, err);
    for (size_t i = 0; !rc && i < found.n; i++)
        gres_merge(out, &found.at[i]);
    return rc;
}

int gres_parse_node(const char *spec, struct gres_list *out, struct err *err)
{
    return gres_parse_spec(spec, out, NODE, err);
}

char *gres_text(const struct gres_list *l)
{
    auto_buf struct buf b = BUF_INIT;
    char count[SIZE_TEXT];
    for (size_t i = 0; i < l->n; i++) {
        const struct gres *g = &l->at[i];
        buf_adds(&b, i ? "," : "");
        buf_adds(&b, g->name);
        if (g->type)
            buf_addf(&b, ":%s", g->type);
        buf_addf(&b, "%s:%s", g->no_consume ? ":no_consume" : "", size_count_text(count, g->count));
        if (g->where)
            buf_addf(&b, "(%s)", g->where);
    }
    return buf_take(&b);
}

char *gres_spec_prefixed(const char *spec, const char *prefix)
{
    auto_buf struct buf b = BUF_INIT;
    const char *pos = str_or(spec, "");
    for (char *next; (next = str_next(&pos, ","));) {
        auto_free char *piece = next;
        buf_adds(&b, b.len ? "," : "");
        buf_adds(&b, str_has_prefix(piece, prefix) ? "" : prefix);
        buf_adds(&b, piece);
    }
    return buf_take(&b);
}
