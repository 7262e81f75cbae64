/*
 * opt - the options of a command, said once as rows.
 *
 * A row serves argv (by getopt_long's rules: abbreviations, bundled letters, optional
 * arguments), the environment, `#SBATCH` lines, and --help, of which the man page is made.  A command of a
 * family that shares its rows (sbatch, srun, salloc) has a number, 0 to OPT_COMMANDS - 1.
 *
 * Values are borrowed: the fields point into argv, the environment or the caller's words,
 * which have to live as long as the structure that is filled.
 */
#ifndef SPUR_TEXT_OPT_H
#define SPUR_TEXT_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define OPT_COMMANDS 3
#define OPT_MAX 256              /* rows of one table */

/* What a failed parse makes of the exit status, as Slurm's commands do. */
#define OPT_EXIT_USAGE 255
#define OPT_EXIT_VALUE 1
#define OPT_SAID (-1) /* err->code of a call that has told the user itself: nothing more is said */

enum opt_type {
    OPT_REFUSED, /* known, and not there in this release: an error that says so */
    OPT_FLAG,    /* int: 1 (an int, as protobuf's booleans are) */
    OPT_MORE,    /* unsigned: one more each time (-v -v); from the environment: the number there */
    OPT_TEXT,    /* char *: the argument, borrowed */
    OPT_COUNT,   /* uint32_t: a number from 1 */
    OPT_NUMBER,  /* uint32_t: a number from 0 */
    OPT_MINUTES, /* uint32_t: a time limit, as time_limit_parse reads it */
    OPT_MB,      /* uint64_t: an amount of memory in megabytes */
    OPT_CALL,    /* call(row, into, argument, err); NULL argument when an optional one is missing */
};

struct opt;
/* 0, or the exit status with the sentence in `err` (empty: "Invalid --NAME specification"). */
typedef int opt_call_fn(const struct opt *o, void *into, const char *arg, struct err *err);

struct opt {
    unsigned cmds;                 /* bit n: command n has it; 0: the end of the table */
    char letter;                   /* 0: none */
    const char *name;
    enum opt_type type;
    size_t at;                     /* offset of the field */
    const char *arg;               /* its argument's name; NULL: it takes none; "[x]": optional */
    const char *help;              /* one line */
    opt_call_fn *call;
    const char *env[OPT_COMMANDS]; /* environment variables of each command, blank between them */
};

/* Told of each option that was applied; `arg` is borrowed as the values are. */
typedef void opt_seen_fn(void *into, const struct opt *o, const char *arg);

struct opt_set {
    const char *command;           /* "sbatch" */
    unsigned which;                /* its number */
    const struct opt *table;
    const char *usage;             /* what follows the name in the first line of --help */
    bool permute;                  /* options may follow arguments: squeue yes, sbatch no */
    opt_seen_fn *seen;             /* or NULL */
    bool no_hint;                  /* a wrong option is not answered with `Try "x --help"` */
};

/* Read argv[1..]; `*first` becomes the index of the first argument that is no option.  0, or the exit status: with a
 * sentence in `err`, or with none when it was said on stderr already (getopt's own words, then `Try "x --help"`). */
int opt_argv(const struct opt_set *set, int argc, char **argv, int *first, void *into, struct err *err);

/* The same for a first look: what an argument means is not asked, only flags and texts are stored, nothing is refused.
 */
int opt_glance(const struct opt_set *set, int argc, char **argv, int *first, void *into, struct err *err);

/* Read the environment variables that the rows name, in the table's order. */
int opt_env(const struct opt_set *set, void *into, struct err *err);

/* Apply one option by its row. */
int opt_apply(const struct opt_set *set, const struct opt *o, void *into, const char *arg, struct err *err);

/* The row of that name for this command, or NULL. */
const struct opt *opt_find(const struct opt_set *set, const char *name);
bool opt_has(const struct opt_set *set, const struct opt *o);

/* The text of --help: usage, then a line for each option that does something, then the names of those refused. */
void opt_help(const struct opt_set *set, struct buf *out);

#endif
