/* sbcast - a file for every node of a job. */
#include <unistd.h>

#include "base/errnum.h"
#include "base/str.h"
#include "cli/bcast.h"
#include "cli/cli.h"
#include "cli/query_sets.h"
#include "cli/request.h"
#include "cli/say.h"
#include "text/opt.h"

struct sbcast {
    int force, preserve, help, usage, version, no_job;
    unsigned verbose;
    const char *job, *nodes, *exclude;
    bool libs_said, libs, packed_said;
    const char *packed;
    uint32_t fanout, block, timeout_s;
};

#define AT(member) .at = offsetof(struct sbcast, member)
#define ENV(name) .env = { name }

/* What is no number is 0, as Slurm reads it: the usual value. */
static uint32_t sbcast_number(const char *arg)
{
    uint64_t n;
    return str_u64(arg, 0, UINT32_MAX - 1, &n) ? (uint32_t)n : 0;
}

static int set_fanout(const struct opt *o, void *into, const char *arg, struct err *err)
{
    ((struct sbcast *)into)->fanout = str_ieq(arg, "off") ? 1 : MIN(sbcast_number(arg), 64u);
    return 0;
}

static int set_timeout(const struct opt *o, void *into, const char *arg, struct err *err)
{
    ((struct sbcast *)into)->timeout_s = sbcast_number(arg);
    return 0;
}

/* "64", "4k", "2m" */
static int set_size(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct sbcast *s = into;
    char *end;
    unsigned long long n = strtoull(arg, &end, 10);
    unsigned shift = *end == 'k' || *end == 'K' ? 10 : *end == 'm' || *end == 'M' ? 20 : 0;
    if (end == arg || n > UINT32_MAX || end[shift ? 1 : 0] || n << shift > UINT32_MAX)
        fputs("size specification is invalid, ignored\n", stderr);
    else
        s->block = (uint32_t)MIN(MAX(n << shift, 4096ull), (unsigned long long)BCAST_BLOCK_MAX);
    return 0;
}

static int set_libs(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct sbcast *s = into;
    s->libs_said = true;
    s->libs = !arg || str_ieq(arg, "yes");
    if (arg && !s->libs && !str_ieq(arg, "no"))
        return err_set(err, OPT_EXIT_VALUE, "Invalid --send-libs specification: %s", arg);
    return 0;
}

static int set_packed(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct sbcast *s = into;
    s->packed_said = true;
    s->packed = arg;
    return 0;
}

/* clang-format off */
static const struct opt options[] = {
    { 1, 0,   "autocomplete",  OPT_REFUSED, 0, "OPTION", NULL },
    { 1, 'C', "compress", OPT_CALL, 0, "[LIBRARY]", "smaller blocks on the way: lz4 (the usual) or none", set_packed,
              ENV("SBCAST_COMPRESS") },
    { 1, 0, "exclude", OPT_TEXT, AT(exclude), "PATHS", "no libraries below these folders; NONE: all",
      ENV("SBCAST_EXCLUDE") },
    { 1, 'F', "fanout", OPT_CALL, 0, "NUMBER", "a node passes it on to NUMBER nodes", set_fanout,
      ENV("SBCAST_FANOUT") },
    { 1, 'f', "force",         OPT_FLAG, AT(force), NULL, "replace what is there", ENV("SBCAST_FORCE") },
    { 1, 0,   "help",          OPT_FLAG, AT(help), NULL, "this text" },
    { 1, 'j', "jobid", OPT_TEXT, AT(job), "JOB[.STEP]", "the nodes of this job; inside of one it is the usual" },
    { 1, 'Z', "no-allocation", OPT_FLAG, AT(no_job), NULL, "the nodes of -w, whatever runs there; for administrators" },
    { 1, 'w', "nodelist",      OPT_TEXT, AT(nodes), "NODES", "only these nodes of the job" },
    { 1, 'p', "preserve", OPT_FLAG, AT(preserve), NULL, "times and all of the mode as they are here",
      ENV("SBCAST_PRESERVE") },
    { 1, 0,   "send-libs",     OPT_CALL, 0, "[yes|no]", "the shared libraries it needs, too, into DEST_libs", set_libs,
              ENV("SBCAST_SEND_LIBS") },
    { 1, 's', "size", OPT_CALL, 0, "SIZE", "of a block, in bytes or with k or m", set_size, ENV("SBCAST_SIZE") },
    { 1, 't', "timeout", OPT_CALL, 0, "SECONDS", "how long to wait for an answer", set_timeout, ENV("SBCAST_TIMEOUT") },
    { 1, 0,   "treewidth",     OPT_CALL, 0, "NUMBER", "the same as --fanout", set_fanout },
    { 1, 0,   "usage",         OPT_FLAG, AT(usage), NULL, "the same as --help" },
    { 1, 'v', "verbose",       OPT_MORE, AT(verbose), NULL, "say more" },
    { 1, 'V', "version",       OPT_FLAG, AT(version), NULL, "the version" },
    { 0 },
};
/* clang-format on */

const struct opt_set sbcast_set = { "sbcast", 0, options, "[OPTIONS] SOURCE DEST", true };

/* ---- what the options mean ---- */

static int which_job(const struct sbcast *s, struct bcast_job *b)
{
    const char *text = s->job ? s->job : str_or(getenv("SLURM_JOB_ID"), getenv("SLURM_JOBID"));
    b->no_job = s->no_job;
    if (s->no_job && !s->nodes) {
        say_error("--nodelist/-w is required with --no-allocation/-Z.");
        return 1;
    }
    if (s->no_job)
        return 0;
    if (str_empty(text)) {
        say_error("Need a job id to run this command.  Run from within a Slurm job or use the --jobid option.");
        return 1;
    }
    int rc = stepid_parse(text, &b->id);
    if (rc)
        say_fatal("Bad job/step specified: %s: %s", text, err_text(rc));
    return rc ? 1 : 0;
}

/* A full path: as it is; else below DestDir of BcastParameters, or here. */
static char *full_path(const struct site *site, const char *dest)
{
    if (*dest == '/')
        return mem_str(dest);
    const char *dir = site_param(str_or(site_value(site, "BcastParameters"), ""), "DestDir");
    auto_free char *cwd = dir && *dir ? mem_strn(dir, strcspn(dir, ",")) : request_cwd();
    return mem_printf("%s/%s", cwd, dest);
}

/* As -C says, or BcastParameters. */
static bool want_packed(const struct sbcast *s, const struct site *site)
{
    const char *set = site_param(str_or(site_value(site, "BcastParameters"), ""), "Compression");
    auto_free char *word = s->packed           ? mem_str(s->packed)
                           : set && *set       ? mem_strn(set, strcspn(set, ","))
                                               : mem_str(s->packed_said ? "lz4" : "none");
    if (str_ieq(word, "lz4"))
        return true;
    if (!str_ieq(word, "none"))
        say_error("Compression type '%s' unknown, disabling compression support.", word);
    return false;
}

static void tell_options(const struct sbcast *s, const struct bcast_job *b, const char *source, const char *dest)
{
    if (!s->verbose)
        return;
    say_info("-----------------------------");
    say_info("block_size = %u", b->block ? b->block : BCAST_BLOCK);
    say_info("compress   = %d", b->packed);
    say_info("exclude    = %s", str_or(b->exclude, BCAST_EXCLUDE));
    say_info("force      = %s", b->force ? "true" : "false");
    say_info("treewidth     = %u", b->fanout);
    say_info("preserve   = %s", b->preserve ? "true" : "false");
    say_info("send_libs  = %s", b->libs ? "true" : "false");
    say_info("timeout    = %u", b->timeout_s);
    say_info("verbose    = %u", s->verbose);
    say_info("source     = %s", source);
    say_info("dest       = %s", dest);
    say_info("-----------------------------");
}

static int sbcast_run(const struct sbcast *s, const char *source, const char *dest)
{
    struct bcast_job b = { .nodes = s->nodes,
                           .force = s->force,
                           .preserve = s->preserve,
                           .fanout = s->fanout,
                           .block = s->block,
                           .timeout_s = s->timeout_s,
                           .exclude = s->exclude,
                           .verbose = s->verbose };
    struct client *c = NULL;
    struct err err = ERR_INIT;
    if (*dest && dest[strlen(dest) - 1] == '/') {
        say_error("Target filename cannot be a directory.");
        return 1;
    }
    int rc = which_job(s, &b);
    if (rc)
        return rc;
    if (client_open(&c, &err)) {
        say_error("%s", err.text);
        return 1;
    }
    const struct site *site = client_site(c);
    b.libs = s->libs_said ? s->libs : site_param(str_or(site_value(site, "BcastParameters"), ""), "send_libs") != NULL;
    b.packed = want_packed(s, site);
    auto_free char *to = full_path(site, dest);
    tell_options(s, &b, source, to);
    rc = bcast_file(c, &b, source, to);
    client_close(c);
    return rc;
}

static int sbcast_help(const struct sbcast *s)
{
    struct buf out = BUF_INIT;
    if (s->version)
        say_version(&out);
    else
        opt_help(&sbcast_set, &out);
    say_flush(&out);
    buf_clear(&out);
    return 0;
}

int cli_sbcast(int argc, char **argv)
{
    struct sbcast s = { 0 };
    struct err err = ERR_INIT;
    int first = 1;
    int rc = opt_env(&sbcast_set, &s, &err);
    if (!rc)
        rc = opt_argv(&sbcast_set, argc, argv, &first, &s, &err);
    if (rc) {
        if (err.text[0])
            say_error("%s", err.text);
        return 1;
    }
    if (s.help || s.usage || s.version)
        return sbcast_help(&s);
    if (argc - first != 2) {
        fprintf(stderr, "Need two file names, have %d names\nTry \"sbcast --help\" for more information\n",
                argc - first);
        return 1;
    }
    return sbcast_run(&s, argv[first], argv[first + 1]);
}
