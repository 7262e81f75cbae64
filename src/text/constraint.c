/*
 * constraint - from text to short programs over a stack of truths; see constraint.h.
 *
 *   top  = part { ('&'|'|') part }         part = item [ '*' count ] | '[' sets ']'
 *   sets = item { '|' item } | item '*' count { '&' item '*' count }
 *   item = name | '(' item { ('&'|'|') item } ')'
 */
#include "text/constraint.h"

#include <ctype.h>

#include "base/errnum.h"
#include "base/str.h"
#include "base/vec.h"

#define TEXT_MAX 4096
#define DEPTH_MAX 1     /* parentheses in parentheses: none, as in Slurm */
#define COUNT_MAX 65536 /* nodes */

enum op { OP_NAME, OP_AND, OP_OR };

struct word {
    enum op op;
    uint32_t name; /* place in names */
};

struct program { /* postfix: names push, AND and OR join the last two */
    VEC(struct word) word;
};

struct constraint {
    enum constraint_how how;
    struct program all;
    VEC(struct program) set;
    VEC(uint32_t) count;
    VEC(char *) name;
};

struct parser {
    const char *text, *at;
    struct constraint *c;
    struct err *err;
};

/* ---- reading ---- */

static int constraint_fail(const struct parser *p, const char *what)
{
    return err_set(p->err, ESLURM_INVALID_FEATURE, "constraint %.200s: %s at \"%.40s\"", p->text, what, p->at);
}

static bool is_name(char ch)
{
    return ch && !strchr("&|,()[]*", ch) && !isspace((unsigned char)ch);
}

static void push_op(struct program *out, enum op op, uint32_t name)
{
    vec_push(&out->word, ((struct word){ op, name }));
}

static int read_name(struct parser *p, struct program *out)
{
    size_t len = 0;
    while (is_name(p->at[len]))
        len++;
    if (!len)
        return constraint_fail(p, "a feature is missing");
    push_op(out, OP_NAME, (uint32_t)p->c->name.n);
    vec_push(&p->c->name, mem_strn(p->at, len));
    p->at += len;
    return 0;
}

/* '&' (or ',') and '|'; false at anything else. */
static bool read_op(struct parser *p, enum op *out)
{
    if (*p->at != '&' && *p->at != ',' && *p->at != '|')
        return false;
    *out = *p->at++ == '|' ? OP_OR : OP_AND;
    return true;
}

static int read_item(struct parser *p, struct program *out, int depth)
{
    if (*p->at != '(')
        return read_name(p, out);
    if (depth >= DEPTH_MAX)
        return constraint_fail(p, "too many parentheses");
    p->at++;
    int rc = read_item(p, out, depth + 1);
    for (enum op op; !rc && read_op(p, &op);) {
        rc = read_item(p, out, depth + 1);
        push_op(out, op, 0);
    }
    if (!rc && *p->at++ != ')')
        return p->at--, constraint_fail(p, "a ) is missing");
    return rc;
}

/* "*COUNT", if it is there; 0 when it is not. */
static int read_count(struct parser *p, uint32_t *out)
{
    uint32_t n = 0;
    *out = 0;
    if (*p->at != '*')
        return 0;
    p->at++;
    for (; *p->at >= '0' && *p->at <= '9' && n <= COUNT_MAX; p->at++)
        n = n * 10 + (uint32_t)(*p->at - '0');
    if (!n || n > COUNT_MAX)
        return constraint_fail(p, "not a count of nodes");
    *out = n;
    return 0;
}

static int add_set(struct parser *p, struct program *set, uint32_t count)
{
    vec_push(&p->c->set, *set);
    vec_push(&p->c->count, count);
    *set = (struct program){ 0 };
    return p->c->set.n > CONSTRAINT_SETS_MAX ? constraint_fail(p, "too many sets") : 0;
}

static int read_set(struct parser *p, uint32_t *count)
{
    struct program set = { 0 };
    int rc = read_item(p, &set, 0);
    if (!rc)
        rc = read_count(p, count);
    int added = add_set(p, &set, *count);
    return rc ? rc : added;
}

/* After '['. */
static int read_sets(struct parser *p)
{
    uint32_t first, count;
    enum op op;
    int rc = read_set(p, &first);
    p->c->how = first ? CONSTRAINT_COUNTED : CONSTRAINT_MATCHING;
    while (!rc && read_op(p, &op)) {
        if (op != (first ? OP_AND : OP_OR))
            return constraint_fail(p, first ? "counts are joined with &" : "sets without counts are joined with |");
        rc = read_set(p, &count);
        if (!rc && !count != !first)
            return constraint_fail(p, "each set has a count, or none has");
    }
    if (!rc && *p->at++ != ']')
        return p->at--, constraint_fail(p, "a ] is missing");
    return rc;
}

/* One part of the whole: what every node must have goes to `all`, brackets and counts become sets. */
static int read_part(struct parser *p, enum op op, bool first)
{
    struct constraint *c = p->c;
    if (*p->at == '[') {
        if (c->set.n)
            return constraint_fail(p, "one pair of brackets is all there may be");
        if (op == OP_OR)
            return constraint_fail(p, "brackets are joined with &");
        p->at++;
        return read_sets(p);
    }
    if (c->set.n && op == OP_OR)
        return constraint_fail(p, "brackets are joined with &");
    bool joined = c->all.word.n > 0, group = *p->at == '(';
    size_t before = c->all.word.n;
    int rc = read_item(p, &c->all, 0);
    uint32_t count = 0;
    if (!rc)
        rc = read_count(p, &count);
    if (!rc && count) { /* graphics*4, alone */
        if (!first || group || *p->at)
            return constraint_fail(p, "several counts belong in brackets");
        struct program set = c->all;
        c->all = (struct program){ 0 };
        c->how = CONSTRAINT_COUNTED;
        return add_set(p, &set, count);
    }
    if (joined && c->all.word.n > before)
        push_op(&c->all, op, 0);
    return rc;
}

static int read_all(struct parser *p)
{
    enum op op = OP_AND;
    int rc = read_part(p, op, true);
    while (!rc && read_op(p, &op) && *p->at) /* one operator too many at the end is forgiven, as in Slurm */
        rc = read_part(p, op, false);
    return !rc && *p->at ? constraint_fail(p, "this cannot stand here") : rc;
}

int constraint_parse(const char *text, struct constraint **out, struct err *err)
{
    if (strlen(text) > TEXT_MAX)
        return err_set(err, ESLURM_INVALID_FEATURE, "a constraint of more than %d characters", TEXT_MAX);
    struct parser p = { text, text, NEW(struct constraint), err };
    int rc = read_all(&p);
    if (rc)
        constraint_free(p.c);
    else
        *out = p.c;
    return rc;
}

void constraint_free(struct constraint *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->set.n; i++)
        vec_clear(&c->set.at[i].word);
    for (size_t i = 0; i < c->name.n; i++)
        free(c->name.at[i]);
    vec_clear(&c->all.word);
    vec_clear(&c->set);
    vec_clear(&c->count);
    vec_clear(&c->name);
    free(c);
}

/* ---- asking ---- */

enum constraint_how constraint_how(const struct constraint *c)
{
    return c->how;
}

size_t constraint_sets(const struct constraint *c)
{
    return c->set.n;
}

uint32_t constraint_count(const struct constraint *c, size_t set)
{
    return c->count.at[set];
}

uint32_t constraint_nodes(const struct constraint *c)
{
    uint32_t n = 0;
    for (size_t i = 0; i < c->count.n; i++)
        n += c->count.at[i];
    return n;
}

/* The stack is bits of a word: names that wait for their operator are never more than parentheses are deep. */
static bool constraint_run(const struct constraint *c, const struct program *prog, const char *features)
{
    uint64_t stack = 1;
    for (size_t i = 0; i < prog->word.n; i++) {
        const struct word *w = &prog->word.at[i];
        if (w->op == OP_NAME) {
            stack = stack << 1 | (features && str_in_list(features, c->name.at[w->name]));
            continue;
        }
        uint64_t both = w->op == OP_AND ? stack & stack >> 1 & 1 : (stack | stack >> 1) & 1;
        stack = (stack >> 2) << 1 | both;
    }
    return stack & 1;
}

bool constraint_match(const struct constraint *c, const char *features)
{
    return constraint_run(c, &c->all, features);
}

bool constraint_match_set(const struct constraint *c, size_t set, const char *features)
{
    return constraint_run(c, &c->set.at[set], features);
}

const char *constraint_name(const struct constraint *c, size_t i)
{
    return i < c->name.n ? c->name.at[i] : NULL;
}
