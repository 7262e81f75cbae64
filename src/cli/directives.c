/* directives - options from a script's comments; see directives.h. */
#include "cli/directives.h"

#include "base/str.h"
#include "cli/script.h"

static const struct opt_set *const set = &job_opts_sets[CMD_SBATCH];

/* All lines are one command line: an option may even find its argument on the next. */
static int apply_sbatch(struct job_opts *o, const struct strs *words, struct err *err)
{
    auto_free char **argv = mem_array(words->n + 2, sizeof(*argv));
    argv[0] = (char *)set->command;
    for (size_t i = 0; i < words->n; i++)
        argv[i + 1] = words->at[i];
    int argc = (int)words->n + 1, first;
    int rc = opt_argv(set, argc, argv, &first, o, err);
    if (!rc && first < argc)
        return err_set(err, OPT_EXIT_USAGE, "Invalid directive found in batch script: %s", argv[first]);
    return rc;
}

/* ---- #PBS and #BSUB: the few of their options that have a counterpart here ---- */

struct foreign {
    const char *word;        /* "-N", or "walltime" of -l */
    const char *option;      /* the option of sbatch; NULL: refused */
};

static const struct foreign pbs[] = {
    { "-A", "account" }, { "-N", "job-name" }, { "-q", "partition" }, { "-o", "output" }, { "-e", "error" },
    { "-p", "nice" },    { "-a", "begin" },    { "-W", NULL },        { "-t", "array" },  { "-J", "array" },
};

static const struct foreign pbs_resources[] = {
    { "walltime", "time" }, { "mem", "mem" }, { "pmem", "mem-per-cpu" }, { "ncpus", "mincpus" }, { "file", "tmp" },
    { "host", "nodelist" },
};

static const struct foreign bsub[] = {
    { "-J", "job-name" }, { "-o", "output" }, { "-e", "error" }, { "-q", "partition" }, { "-n", "ntasks" },
    { "-W", "time" },
    { "-cwd", "chdir" },  { "-m", "nodelist" }, { "-i", "input" }, { "-M", "mem-per-cpu" }, { "-b", "begin" },
};

static const struct foreign *directive_opt(const struct foreign *table, size_t n, const char *word)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(table[i].word, word))
            return &table[i];
    return NULL;
}

static int apply_one(struct job_opts *o, const char *option, const char *arg, struct strs *words, struct err *err)
{
    char *copy = mem_str(arg);
    strs_take(words, copy);
    return opt_apply(set, opt_find(set, option), o, copy, err);
}

static int directive_unknown(const char *what, const char *word, struct err *err)
{
    return err_set(err, OPT_EXIT_VALUE, "%s option %s is not supported by this release of Spur (see --ignore-pbs)",
                   what, word);
}

/* nodes=2:ppn=3 */
static int apply_pbs_nodes(struct job_opts *o, const char *value, struct strs *words, struct err *err)
{
    int rc = 0;
    for (const char *pos = value; !rc;) {
        auto_free char *piece = str_next(&pos, ":");
        if (!piece)
            break;
        if (str_has_prefix(piece, "ppn="))
            rc = apply_one(o, "ntasks-per-node", piece + 4, words, err);
        else
            rc = apply_one(o, str_u64(piece, 1, INT32_MAX, &(uint64_t){ 0 }) ? "nodes" : "nodelist", piece, words, err);
    }
    return rc;
}

static int apply_pbs_resource(struct job_opts *o, char *pair, struct strs *words, struct err *err)
{
    char *eq = strchr(pair, '=');
    if (!eq)
        return directive_unknown("#PBS -l", pair, err);
    *eq = 0;
    if (str_eq(pair, "nodes"))
        return apply_pbs_nodes(o, eq + 1, words, err);
    const struct foreign *f = directive_opt(pbs_resources, ARRAY_LEN(pbs_resources), pair);
    return f ? apply_one(o, f->option, eq + 1, words, err) : directive_unknown("#PBS -l", pair, err);
}

static int apply_pbs_list(struct job_opts *o, const char *list, struct strs *words, struct err *err)
{
    for (const char *pos = list;;) {
        auto_free char *pair = str_next(&pos, ",");
        int rc = pair ? apply_pbs_resource(o, pair, words, err) : 0;
        if (rc || !pair)
            return rc;
    }
}

/* Two letters and the argument in one word, or in two. */
static int apply_foreign(struct job_opts *o, const char *magic, const struct foreign *table, size_t n,
                         const struct strs *in, struct strs *words, struct err *err)
{
    for (size_t i = 0; i < in->n; i++) {
        const char *word = in->at[i], *arg;
        char letter[3] = { word[0], word[0] ? word[1] : 0, 0 };
        bool whole = directive_opt(table, n, word) || str_eq(word, "-l");
        if (!whole && strlen(word) > 2)
            arg = word + 2;
        else if (i + 1 < in->n)
            arg = in->at[++i];
        else
            return directive_unknown(magic, word, err);
        const char *key = whole ? word : letter;
        const struct foreign *f = directive_opt(table, n, key);
        int rc;
        if (table == pbs && str_eq(key, "-l"))
            rc = apply_pbs_list(o, arg, words, err);
        else
            rc = f && f->option ? apply_one(o, f->option, arg, words, err) : directive_unknown(magic, key, err);
        if (rc)
            return rc;
    }
    return 0;
}

static int apply_other(struct job_opts *o, const struct buf *script, const char *name, const char *magic,
                       const struct foreign *table, size_t n, struct strs *words, bool *fatal, struct err *err)
{
    auto_strs struct strs in = STRS_INIT;
    *fatal = script_words(script->s, script->len, magic, name, 0, &in, err) != 0;
    return *fatal ? OPT_EXIT_VALUE : apply_foreign(o, magic, table, n, &in, words, err);
}

int directives_apply(struct job_opts *o, const struct buf *script, const char *name, unsigned part, bool ignore_pbs,
                     struct strs *words, bool *fatal, struct err *err)
{
    *fatal = script_words(script->s, script->len, "#SBATCH", name, part, words, err) != 0;
    if (*fatal)
        return OPT_EXIT_VALUE;
    int rc = apply_sbatch(o, words, err);
    if (part)
        return rc;
    if (!rc && !ignore_pbs && !o->ignore_pbs)
        rc = apply_other(o, script, name, "#PBS", pbs, ARRAY_LEN(pbs), words, fatal, err);
    if (!rc && !ignore_pbs && !o->ignore_pbs)
        rc = apply_other(o, script, name, "#BSUB", bsub, ARRAY_LEN(bsub), words, fatal, err);
    return rc;
}
