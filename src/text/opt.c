/*
 * opt - rows of options become getopt_long's tables, values and help.
 *
 * getopt_long itself reads argv: its rules and its words are what users of Slurm's commands know.
 */
#include "text/opt.h"

#include <getopt.h>

#include "base/str.h"
#include "text/size.h"
#include "text/time.h"

#define LONG_BASE 1000 /* getopt's value of row i is LONG_BASE + i */

bool opt_has(const struct opt_set *set, const struct opt *o)
{
    return o->cmds & (1u << set->which);
}

const struct opt *opt_find(const struct opt_set *set, const char *name)
{
    for (const struct opt *o = set->table; o->cmds; o++)
        if (opt_has(set, o) && str_eq(o->name, name))
            return o;
    return NULL;
}

/* ---- one value ---- */

static int bad_argument(const struct opt *o, struct err *err)
{
    return err_set(err, OPT_EXIT_USAGE, "Invalid --%s specification", o->name);
}

static int set_number(const struct opt *o, void *field, const char *arg, struct err *err)
{
    uint64_t n;
    if (!str_u64(arg, o->type == OPT_COUNT ? 1 : 0, INT32_MAX, &n))
        return err_set(err, OPT_EXIT_VALUE, "Invalid numeric value \"%s\" for --%s.", arg, o->name);
    *(uint32_t *)field = (uint32_t)n;
    return 0;
}

static int set_call(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct err own = ERR_INIT;
    int rc = o->call(o, into, arg, &own);
    if (!rc)
        return 0;
    if (own.code == OPT_SAID)
        return rc;
    return own.text[0] ? err_set(err, rc, "%s", own.text) : bad_argument(o, err);
}

static void set_more(void *field, const char *arg)
{
    uint64_t n;
    if (!arg)
        ++*(unsigned *)field;
    else if (str_u64(arg, 0, 16, &n))
        *(unsigned *)field = (unsigned)n;
}

static int apply_opt(const struct opt *o, void *into, const char *arg, struct err *err)
{
    void *field = (char *)into + o->at;
    switch (o->type) {
    case OPT_REFUSED:
        return err_set(err, OPT_EXIT_VALUE, "option --%s is not supported by this release of Spur", o->name);
    case OPT_FLAG:
        *(int *)field = 1;
        return 0;
    case OPT_MORE:
        set_more(field, arg);
        return 0;
    case OPT_TEXT:
        *(const char **)field = arg ? arg : "";
        return 0;
    case OPT_COUNT:
    case OPT_NUMBER:
        return set_number(o, field, arg ? arg : "", err);
    case OPT_MINUTES: return time_limit_parse(arg ? arg : "", field, NULL) ? bad_argument(o, err) : 0;
    case OPT_MB: return size_mb_parse(arg ? arg : "", field, NULL) ? bad_argument(o, err) : 0;
    case OPT_CALL:
        return set_call(o, into, arg, err);
    }
    return bad_argument(o, err);
}

int opt_apply(const struct opt_set *set, const struct opt *o, void *into, const char *arg, struct err *err)
{
    int rc = apply_opt(o, into, arg, err);
    if (!rc && set->seen)
        set->seen(into, o, arg);
    return rc;
}

/* ---- argv ---- */

struct getopt_table {
    struct option longs[OPT_MAX + 1];
    char shorts[3 * OPT_MAX + 2];
};

static int has_arg(const struct opt *o)
{
    if (!o->arg)
        return no_argument;
    return o->arg[0] == '[' ? optional_argument : required_argument;
}

static void add_letter(char **at, const struct opt *o)
{
    if (!o->letter)
        return;
    *(*at)++ = o->letter;
    for (int i = has_arg(o); i > 0; i--)
        *(*at)++ = ':';
}

static void make_getopt(const struct opt_set *set, struct getopt_table *t)
{
    char *at = t->shorts;
    size_t n = 0;
    if (!set->permute)
        *at++ = '+';
    for (const struct opt *o = set->table; o->cmds; o++) {
        if (!opt_has(set, o) || n == OPT_MAX)
            continue;
        t->longs[n++] = (struct option){ o->name, has_arg(o), NULL, LONG_BASE + (int)(o - set->table) };
        add_letter(&at, o);
    }
    t->longs[n] = (struct option){ 0 };
    *at = 0;
}

static const struct opt *by_value(const struct opt_set *set, int value)
{
    if (value >= LONG_BASE)
        return &set->table[value - LONG_BASE];
    for (const struct opt *o = set->table; o->cmds; o++)
        if (opt_has(set, o) && o->letter == value)
            return o;
    return NULL;
}

static int try_help(const struct opt_set *set)
{
    if (!set->no_hint)
        fprintf(stderr, "Try \"%s --help\" for more information\n", set->command);
    return OPT_EXIT_USAGE;
}

static int apply_light(const struct opt_set *set, const struct opt *o, void *into, const char *arg, struct err *err)
{
    bool light = o->type == OPT_FLAG || o->type == OPT_TEXT || o->type == OPT_MORE;
    return light ? apply_opt(o, into, arg, err) : 0;
}

typedef int apply_fn(const struct opt_set *set, const struct opt *o, void *into, const char *arg, struct err *err);

static int walk_args(const struct opt_set *set, int argc, char **argv, int *first, void *into, apply_fn *each,
                     struct err *err)
{
    struct getopt_table t;
    make_getopt(set, &t);
    char *program = argv[0];
    argv[0] = (char *)set->command; /* the name in getopt's messages */
    optind = 0;                     /* GNU: start over */
    int rc = 0, value;
    while (!rc && (value = getopt_long(argc, argv, t.shorts, t.longs, NULL)) != -1) {
        const struct opt *o = by_value(set, value);
        rc = o ? each(set, o, into, optarg, err) : try_help(set);
    }
    argv[0] = program;
    *first = optind;
    return rc;
}

int opt_argv(const struct opt_set *set, int argc, char **argv, int *first, void *into, struct err *err)
{
    return walk_args(set, argc, argv, first, into, opt_apply, err);
}

int opt_glance(const struct opt_set *set, int argc, char **argv, int *first, void *into, struct err *err)
{
    return walk_args(set, argc, argv, first, into, apply_light, err);
}

/* ---- environment ---- */

static int apply_vars(const struct opt_set *set, const struct opt *o, void *into, struct err *err)
{
    const char *pos = o->env[set->which];
    for (;;) {
        auto_free char *var = str_next(&pos, " ");
        if (!var)
            return 0;
        const char *value = getenv(var);
        if (!value)
            continue;
        int rc = opt_apply(set, o, into, value, err);
        if (rc && o->type == OPT_REFUSED)
            err_prefix(err, "%s", var);
        if (rc)
            return rc;
    }
}

int opt_env(const struct opt_set *set, void *into, struct err *err)
{
    for (const struct opt *o = set->table; o->cmds; o++) {
        int rc = opt_has(set, o) && o->env[set->which] ? apply_vars(set, o, into, err) : 0;
        if (rc)
            return rc;
    }
    return 0;
}

/* ---- help ---- */

#define HELP_COLUMN 30

/* "  -N, --nodes=COUNT", "      --nice[=N]" */
static void add_name(struct buf *out, const struct opt *o, const char *fmt_letter, const char *none)
{
    if (o->letter)
        buf_addf(out, fmt_letter, o->letter);
    else
        buf_adds(out, none);
    buf_addf(out, "--%s", o->name);
    if (!o->arg)
        return;
    if (o->arg[0] == '[')
        buf_addf(out, "[=%s", o->arg + 1);
    else
        buf_addf(out, "=%s", o->arg);
}

static void help_line(struct buf *out, const struct opt *o)
{
    size_t start = out->len;
    add_name(out, o, "  -%c, ", "      ");
    size_t used = out->len - start;
    if (used >= HELP_COLUMN)
        buf_addf(out, "\n%*s", HELP_COLUMN, "");
    else
        buf_addf(out, "%*s", (int)(HELP_COLUMN - used), "");
    buf_addf(out, "%s\n", o->help ? o->help : "");
}

static void help_refused(const struct opt_set *set, struct buf *out)
{
    size_t column = 0, n = 0;
    for (const struct opt *o = set->table; o->cmds; o++) {
        if (!opt_has(set, o) || o->type != OPT_REFUSED)
            continue;
        if (!n++)
            buf_adds(out, "\nKnown, and refused by this release:");
        size_t width = strlen(o->name) + 3;
        if (n == 1 || column + width > 100) {
            buf_adds(out, "\n ");
            column = 1;
        }
        buf_addf(out, " --%s", o->name);
        column += width;
    }
    if (n)
        buf_adds(out, "\n");
}

void opt_help(const struct opt_set *set, struct buf *out)
{
    buf_addf(out, "Usage: %s %s\n\n", set->command, set->usage);
    for (const struct opt *o = set->table; o->cmds; o++)
        if (opt_has(set, o) && o->type != OPT_REFUSED)
            help_line(out, o);
    help_refused(set, out);
}
