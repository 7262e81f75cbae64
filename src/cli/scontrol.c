/*
 * scontrol - shows and changes jobs, nodes, partitions and reservations by keyword, on the command line or at a prompt.
 */
#include "cli/scontrol.h"

#include "base/str.h"
#include "cli/cli.h"
#include "cli/query_sets.h"
#include "cli/say.h"
#include "text/opt.h"
#include "text/strs.h"

#define MIN_PREFIX 3  /* letters of a keyword that are enough */

struct command_line {
    struct scontrol s;
    int help, usage, version;
};

#define AT(member) .at = offsetof(struct command_line, member)
#define ENV(name) .env = { name }

static int set_hidden(const struct opt *o, void *into, const char *arg, struct err *err)
{
    ((struct command_line *)into)->s.all = 0;
    return 0;
}

/* clang-format off */
static const struct opt options[] = {
    { 1, 'a', "all",          OPT_FLAG, AT(s.all), NULL, "hidden partitions too", ENV("SCONTROL_ALL") },
    { 1, 0,   "autocomplete", OPT_REFUSED, 0, "OPTION", NULL },
    { 1, 'M', "cluster",      OPT_REFUSED, 0, "NAMES", NULL, ENV("SLURM_CLUSTERS") },
    { 1, 0,   "clusters",     OPT_REFUSED, 0, "NAMES", NULL },
    { 1, 'd', "details",      OPT_FLAG, AT(s.detail), NULL, "more about jobs, steps and nodes" },
    { 1, 0,   "federation",   OPT_FLAG, AT(s.federation), NULL,
              "the federation, of which this cluster is the only member",
              ENV("SCONTROL_FEDERATION") },
    { 1, 'F', "future",       OPT_FLAG, AT(s.future), NULL, "nodes in state FUTURE too", ENV("SCONTROL_FUTURE") },
    { 1, 'h', "help",         OPT_FLAG, AT(help), NULL, "this text" },
    { 1, 0,   "hide",         OPT_CALL, 0, NULL, "no hidden partitions", set_hidden },
    { 1, 0,   "local",        OPT_FLAG, AT(s.local), NULL, "this cluster alone", ENV("SCONTROL_LOCAL") },
    { 1, 'o', "oneliner",     OPT_FLAG, AT(s.one_line), NULL, "one record on each line" },
    { 1, 'Q', "quiet",        OPT_FLAG, AT(s.quiet), NULL, "no messages, only the exit status" },
    { 1, 0,   "sibling",      OPT_REFUSED, 0, NULL, NULL, ENV("SCONTROL_SIBLING") },
    { 1, 'u', "uid",          OPT_REFUSED, 0, "USER", NULL },
    { 1, 0,   "usage",        OPT_FLAG, AT(usage), NULL, "the same as --help" },
    { 1, 'v', "verbose",      OPT_MORE, AT(s.verbose), NULL, "say more" },
    { 1, 'V', "version",      OPT_FLAG, AT(version), NULL, "the version" },
    DOCUMENT_OPTS(offsetof(struct command_line, s.doc)),
    { 0 },
};
/* clang-format on */

const struct opt_set scontrol_set = { "scontrol", 0, options, "[OPTIONS] [KEYWORD ARGUMENTS...]", true };

/* ---- shared ---- */

int scontrol_fail(const struct scontrol *s, const char *fmt, ...)
{
    va_list ap;
    if (s->quiet)
        return 1;
    fflush(stdout);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    return 1;
}

const char *scontrol_words(int rc, const struct err *err)
{
    return rc >= 1000 || !err->text[0] ? err_text(rc) : err->text;
}

struct client *scontrol_client(struct scontrol *s, struct err *err)
{
    if (!s->client && client_open(&s->client, err))
        return NULL;
    return s->client;
}

int scontrol_call(struct scontrol *s, enum msg_type type, const ProtobufCMessage *request, enum msg_type want,
                  ProtobufCMessage **reply, struct err *err)
{
    struct client *c = scontrol_client(s, err);
    return c ? client_call(c, type, request, want, reply, err) : err->code;
}

/* ---- small commands ---- */

static int scontrol_version(struct scontrol *s, int argc, char **argv)
{
    struct buf out = BUF_INIT;
    say_version(&out);
    say_flush(&out);
    buf_clear(&out);
    return 0;
}

static int scontrol_quit(struct scontrol *s, int argc, char **argv)
{
    s->done = true;
    return 0;
}

static int set_all(struct scontrol *s, int argc, char **argv) { return s->all = 1, 0; }
static int set_hide(struct scontrol *s, int argc, char **argv) { return s->all = 0, 0; }
static int set_detail(struct scontrol *s, int argc, char **argv) { return s->detail = 1, 0; }
static int set_one_line(struct scontrol *s, int argc, char **argv) { return s->one_line = 1, 0; }
static int set_quiet(struct scontrol *s, int argc, char **argv) { return s->quiet = 1, 0; }
static int set_verbose(struct scontrol *s, int argc, char **argv) { return s->verbose = 1, s->quiet = 0, 0; }
static int set_local(struct scontrol *s, int argc, char **argv) { return s->local = 1, 0; }

static int scontrol_errnumstr(struct scontrol *s, int argc, char **argv)
{
    uint64_t n;
    if (!str_u64(argv[1], 0, 99999, &n))
        return scontrol_fail(s, "numeric arguments required for keyword:%s", argv[0]);
    puts(err_text((int)n));
    return 0;
}

static int scontrol_refused(struct scontrol *s, int argc, char **argv)
{
    if (!s->quiet)
        say_error("%s is not supported by this release of Spur", argv[0]);
    return 1;
}

static scontrol_fn scontrol_help;

/* ---- the table ---- */

#define MANY 1000

#define SHOW_MAX 8 /* words after `show`: a topology has some */

static const struct keyword {
    const char *name;
    int min, max;                 /* arguments */
    scontrol_fn *run;
    const char *args, *what;      /* for help; NULL: not listed */
} keywords[] = {
    { "abort", 0, 0, scontrol_refused, NULL, NULL },
    { "all", 0, 0, set_all, "", "show hidden partitions from now on" },
    { "cancel_reboot", 1, 1, scontrol_refused, NULL, NULL },
    { "cluster", 0, 1, scontrol_refused, NULL, NULL },
    { "completing", 0, 0, scontrol_completing, "", "jobs that are being cleaned up, and where" },
    { "create", 0, MANY, scontrol_create, "partitionname=NAME KEY=VALUE...", "make a partition" },
    { "delete", 0, MANY, scontrol_delete, "partitionname=NAME", "remove a partition" },
    { "details", 0, 0, set_detail, "", "show more from now on" },
    { "errnumstr", 1, 1, scontrol_errnumstr, "NUMBER", "the words for an error number" },
    { "exit", 0, 0, scontrol_quit, "", "leave" },
    { "federation", 0, 0, set_local, NULL, NULL },
    { "fsdampeningfactor", 1, 1, scontrol_refused, NULL, NULL },
    { "getaddrs", 1, 1, scontrol_refused, NULL, NULL },
    { "getent", 0, 1, scontrol_refused, NULL, NULL },
    { "gethost", 1, 2, scontrol_refused, NULL, NULL },
    { "help", 0, 0, scontrol_help, "", "this text" },
    { "hide", 0, 0, set_hide, "", "no hidden partitions from now on" },
    { "hold", 1, MANY, scontrol_job_op, "JOBS", "keep waiting jobs from starting" },
    { "holdu", 1, MANY, scontrol_job_op, "JOBS", "the same, so that the user may release them" },
    { "listjobs", 0, 1, scontrol_listjobs, "[NODE]", "the jobs that run on this machine" },
    { "listpids", 0, 2, scontrol_listpids, "[JOB[.STEP] [NODE]]", "the processes of steps on this machine" },
    { "liststeps", 0, 1, scontrol_liststeps, "[NODE]", "the steps that run on this machine" },
    { "local", 0, 0, set_local, NULL, NULL },
    { "notify", 2, MANY, scontrol_refused, NULL, NULL },
    { "oneliner", 0, 0, set_one_line, "", "one record on each line from now on" },
    { "pidinfo", 1, 1, scontrol_pidinfo, "PID", "which job a process of this machine belongs to, and when that ends" },
    { "ping", 0, 0, scontrol_ping, "", "which controllers answer" },
    { "power", 2, MANY, scontrol_refused, NULL, NULL },
    { "quiet", 0, 0, set_quiet, "", "no messages from now on" },
    { "quit", 0, 0, scontrol_quit, "", "leave" },
    { "reboot", 0, MANY, scontrol_refused, NULL, NULL },
    { "reconfigure", 0, 1, scontrol_reconfigure, "", "read the configuration again" },
    { "release", 1, MANY, scontrol_job_op, "JOBS", "let held jobs start" },
    { "requeue", 1, MANY, scontrol_job_op, "JOBS", "put batch jobs back into the queue" },
    { "requeuehold", 1, MANY, scontrol_job_op, "JOBS", "the same, and hold them" },
    { "resume", 1, MANY, scontrol_job_op, "JOBS", "let suspended jobs go on" },
    { "schedloglevel", 1, 1, scontrol_refused, NULL, NULL },
    { "setdebug", 1, 2, scontrol_refused, NULL, NULL },
    { "setdebugflags", 1, MANY, scontrol_refused, NULL, NULL },
    { "show", 1, SHOW_MAX, scontrol_show, "WHAT [ID]",
      "config, daemons, hostlist, hostlistsorted, hostnames, job, node, partition, step, topology" },
    { "shutdown", 0, 1, scontrol_shutdown, "[slurmctld]", "stop the controller" },
    { "sibling", 0, 0, scontrol_refused, NULL, NULL },
    { "suspend", 1, MANY, scontrol_job_op, "JOBS", "stop running jobs where they are" },
    { "takeover", 0, 1, scontrol_takeover, "[NUMBER]", "let another controller lead" },
    { "token", 0, MANY, scontrol_refused, NULL, NULL },
    { "top", 1, MANY, scontrol_job_op, "JOBS", "put jobs before the other jobs of their user" },
    { "uhold", 1, MANY, scontrol_job_op, "JOBS", "the same as holdu" },
    { "update", 0, MANY, scontrol_update, "KEY=VALUE...",
      "change a job, node or partition: jobid=, nodename= or partitionname= says which" },
    { "verbose", 0, 0, set_verbose, "", "more messages from now on" },
    { "version", 0, 0, scontrol_version, "", "the version" },
    { "wait_job", 1, 1, scontrol_wait_job, "JOB", "until the job's nodes are ready" },
    { "write", 1, 3, scontrol_write, "batch_script JOB [FILE]", "a job's script into a file; -: to standard output" },
};

static void help_keywords(struct buf *out)
{
    buf_adds(out, "Keywords:\n");
    for (size_t i = 0; i < ARRAY_LEN(keywords); i++)
        if (keywords[i].args)
            buf_addf(out, "  %s%s%s\n      %s\n", keywords[i].name, *keywords[i].args ? " " : "", keywords[i].args,
                     keywords[i].what);
    buf_adds(out, "Keywords that are known, and refused by this release:\n ");
    for (size_t i = 0; i < ARRAY_LEN(keywords); i++)
        if (keywords[i].run == scontrol_refused)
            buf_addf(out, " %s", keywords[i].name);
    buf_adds(out, "\nWithout a keyword, lines are read at a prompt; !! repeats the last one.\n\n");
}

/* Usage, keywords, options. */
static int scontrol_help(struct scontrol *s, int argc, char **argv)
{
    struct buf out = BUF_INIT;
    auto_buf struct buf options_text = BUF_INIT;
    opt_help(&scontrol_set, &options_text);
    size_t usage = strcspn(options_text.s, "\n") + 2;
    buf_add(&out, options_text.s, usage);
    help_keywords(&out);
    buf_adds(&out, options_text.s + usage);
    say_flush(&out);
    buf_clear(&out);
    return 0;
}

/* The keyword of that name, or the first one that begins with `word`. */
static const struct keyword *keyword_find(const char *word)
{
    for (size_t i = 0; i < ARRAY_LEN(keywords); i++)
        if (str_ieq(keywords[i].name, word))
            return &keywords[i];
    for (size_t i = 0; i < ARRAY_LEN(keywords); i++)
        if (strlen(word) >= MIN_PREFIX && str_has_iprefix(keywords[i].name, word))
            return &keywords[i];
    return NULL;
}

static int keyword_run(struct scontrol *s, int argc, char **argv)
{
    const struct keyword *k = keyword_find(argv[0]);
    if (!k)
        return scontrol_fail(s, "invalid keyword: %s", argv[0]);
    if (argc - 1 < k->min)
        return scontrol_fail(s, "too few arguments for keyword:%s", argv[0]);
    if (argc - 1 > k->max)
        return scontrol_fail(s, "too many arguments for keyword:%s", argv[0]);
    argv[0] = (char *)k->name;
    int rc = k->run(s, argc, argv);
    fflush(stdout);
    return rc;
}

/* ---- the prompt ---- */

/* Words are separated by blanks; quotes join them. */
static void line_split(struct strs *words, const char *line)
{
    auto_buf struct buf word = BUF_INIT;
    bool any = false;
    for (char quote = 0;; line++) {
        if (!*line || (!quote && strchr(" \t\n", *line))) {
            if (any)
                strs_take(words, buf_take(&word));
            any = false;
            if (!*line)
                return;
        } else if (quote ? *line == quote : *line == '"' || *line == '\'') {
            quote = quote ? 0 : *line;
            any = true;
        } else {
            buf_addc(&word, *line);
            any = true;
        }
    }
}

static int run_line(struct scontrol *s, const char *line)
{
    auto_strs struct strs words = STRS_INIT;
    line_split(&words, line);
    if (!words.n)
        return 0;
    auto_free char **argv = mem_array(words.n + 1, sizeof(*argv));
    memcpy(argv, words.at, words.n * sizeof(*argv));
    return keyword_run(s, (int)words.n, argv);
}

static int scontrol_prompt(struct scontrol *s)
{
    auto_free char *line = NULL, *last = NULL;
    size_t room = 0;
    int rc = 0;
    while (!s->done) {
        fputs("scontrol: ", stdout);
        fflush(stdout);
        if (getline(&line, &room, stdin) < 0) {
            puts("");
            break;
        }
        line[strcspn(line, "\n")] = 0;
        if (!isatty(STDIN_FILENO))
            puts(line);
        if (!str_eq(line, "!!"))
            mem_set_str(&last, line);
        if (last && run_line(s, last))
            rc = 1;
    }
    return rc;
}

/* ---- options ---- */

int cli_scontrol(int argc, char **argv)
{
    struct command_line c = { 0 };
    struct err err = ERR_INIT;
    int first = 1;
    int rc = opt_env(&scontrol_set, &c, &err);
    if (!rc)
        rc = opt_argv(&scontrol_set, argc, argv, &first, &c, &err);
    if (rc) {
        if (err.text[0])
            say_error("%s", err.text);
        return 1;
    }
    if (c.help || c.usage)
        return scontrol_help(&c.s, 0, NULL);
    if (c.version)
        return scontrol_version(&c.s, 0, NULL);
    rc = document_check(&c.s.doc, 1);
    if (rc >= 0)
        return rc;
    c.s.detail |= c.s.doc.format != SHOW_TABLES;
    rc = first < argc ? keyword_run(&c.s, argc - first, argv + first) : scontrol_prompt(&c.s);
    if (c.s.client)
        client_close(c.s.client);
    return rc;
}
