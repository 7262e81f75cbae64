/*
 * sbatch - hand in a script: options and script become one job_spec, one SUBMIT message.
 */
#include <sys/wait.h>

#include "base/errnum.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/directives.h"
#include "cli/het.h"
#include "cli/request.h"
#include "cli/say.h"
#include "cli/script.h"
#include "client/client.h"

#define FAILED "Batch job submission failed"
#define WAIT_PATIENCE_S 3600 /* --wait rides through longer absences of the controller than a submission does */

static const struct opt_set *const set = &job_opts_sets[CMD_SBATCH];

struct sbatch {
    struct job_opts o;
    struct request req;
    struct strs words;        /* of the #SBATCH lines; the options point into them */
    int argc;
    char **argv;
    int script_at;            /* index in argv; argc: none */
    const char *script_name;  /* as the user wrote it */
    struct client *client;
    struct het het;           /* further components */
};

/* Several lines of one failure, each as an error. */
static int sbatch_failed(const struct err *err, int status)
{
    for (const char *pos = err->text;;) {
        auto_free char *one = str_next(&pos, "\n");
        if (!one)
            return say_exit(status);
        say_error("%s", one);
    }
}

/* ---- the script ---- */

static int load_script(struct sbatch *s)
{
    struct err err = ERR_INIT;
    struct buf *text = &s->req.script;
    if (s->o.wrap) {
        if (s->script_at < s->argc) {
            say_error("Script arguments not permitted with --wrap option");
            return say_exit(1);
        }
        script_wrap(text, s->o.wrap);
        return 0;
    }
    s->script_name = s->script_at < s->argc ? s->argv[s->script_at] : NULL;
    auto_free char *cwd = request_cwd();
    char *path = s->script_name ? script_find(s->script_name, cwd) : NULL;
    int rc = 0;
    if (s->script_name && !path)
        rc = err_set(&err, ENOENT, "Unable to open file %s", s->script_name);
    if (!rc)
        rc = script_read(text, path, str_or(s->script_name, "stdin"), &err);
    if (!rc)
        rc = script_check(text->s, text->len, &err);
    if (path)
        strs_take(&s->req.texts, path);
    if (rc)
        return sbatch_failed(&err, 1);
    if (path)
        s->argv[s->script_at] = path;
    return 0;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void name_one(const struct sbatch *s, struct job_opts *o)
{
    Pb__JobSpec *spec = &o->spec;
    if (!o->name_set)
        spec->name = (char *)(s->o.wrap ? "wrap" : s->script_name ? base_name(s->script_name) : "sbatch");
    spec->kind = PB__JOB_KIND__KIND_BATCH;
    if (s->script_at < s->argc && !s->o.wrap) {
        spec->argv = s->argv + s->script_at;
        spec->n_argv = (size_t)(s->argc - s->script_at);
    }
}

static void name_job(struct sbatch *s)
{
    name_one(s, &s->o);
    for (size_t i = 0; i < s->het.at.n; i++)
        name_one(s, &s->het.at.at[i]->o);
}

/* ---- the options ---- */

static int option_failed(const struct err *err, int rc)
{
    return err->text[0] ? sbatch_failed(err, rc) : say_exit(rc);
}

/* The command line is read twice: first to find the script, then, over script and environment, for good. */
static int first_pass(struct sbatch *s)
{
    struct err err = ERR_INIT;
    int rc = het_cut(&s->het, set, s->argc, s->argv, &s->script_at, &s->o, &err);
    return rc ? option_failed(&err, rc) : 0;
}

/* One component: what the first gives it, then script, environment and its stretch of the command line. */
static int read_component(struct sbatch *s, unsigned part, bool ignore_pbs, const char *wrap, bool *fatal,
                          struct err *err)
{
    struct het_comp *c = part ? s->het.at.at[part - 1] : NULL;
    struct job_opts *o = c ? &c->o : &s->o, *before = part > 1 ? &s->het.at.at[part - 2]->o : &s->o;
    int first, rc = c ? het_inherit(set, before, o, err) : 0;
    if (!rc)
        rc = directives_apply(o, &s->req.script, str_or(s->script_name, "stdin"), part, ignore_pbs,
                              c ? &c->words : &s->words, fatal, err);
    if (!rc)
        rc = opt_env(set, o, err);
    if (!rc)
        rc = opt_argv(set, c ? c->argc : s->het.first_argc, c ? c->argv : s->argv, &first, o, err);
    if (c)
        het_settle(before, o);
    o->wrap = wrap; /* of any component: all components share the script */
    return rc ? rc : job_opts_check(o, fatal, err);
}

static int second_pass(struct sbatch *s)
{
    struct err err = ERR_INIT;
    bool fatal = false;
    bool ignore_pbs = s->o.ignore_pbs || getenv("SBATCH_IGNORE_PBS");
    const char *wrap = s->o.wrap;
    job_opts_clear(&s->o);
    job_opts_init(&s->o);
    while (s->het.at.n + 1 < script_parts(s->req.script.s, s->req.script.len))
        het_add(&s->het);
    int rc = 0;
    for (unsigned i = 0; !rc && i <= s->het.at.n; i++)
        rc = read_component(s, i, ignore_pbs, wrap, &fatal, &err);
    if (rc && fatal) {
        say_fatal("%s", err.text);
        return say_exit(rc);
    }
    return rc ? option_failed(&err, rc) : 0;
}

/* ---- the call ---- */

static int sbatch_fill(struct sbatch *s, char *line_script)
{
    struct err err = ERR_INIT;
    char *path = NULL;
    if (line_script) { /* the command line is kept as it was typed */
        path = s->argv[s->script_at];
        s->argv[s->script_at] = line_script;
    }
    int rc = request_fill(&s->req, &s->o, CMD_SBATCH, client_site(s->client), s->argc, s->argv, &err);
    if (!rc && s->het.at.n)
        rc = het_fill(&s->het, &s->req, CMD_SBATCH, client_site(s->client), s->argc, s->argv, &err);
    if (path)
        s->argv[s->script_at] = path;
    if (rc)
        return option_failed(&err, rc);
    s->req.msg.script = (ProtobufCBinaryData){ s->req.script.len, (uint8_t *)s->req.script.s };
    return 0;
}

/* What no controller has to be asked for. */
static int refuse_early(const struct sbatch *s)
{
    const struct site *site = client_site(s->client);
    const char *limit = site_param(site->scheduler_parameters, "max_script_size");
    size_t max = limit && *limit ? strtoull(limit, NULL, 10) : SCRIPT_MAX;
    struct err err = ERR_INIT;
    if (s->o.zero_nodes)
        err.code = ESLURM_INVALID_NODE_COUNT;
    else if (s->req.script.len > max)
        err.code = ESLURM_PATHNAME_TOO_LONG;
    else
        return 0;
    request_failed(FAILED, &err);
    return say_exit(1);
}

static void print_submitted(const struct sbatch *s, const Pb__SubmitReply *r)
{
    if (s->o.parsable)
        printf("%u\n", r->job_id);
    else if (!s->o.quiet)
        printf("Submitted batch job %u\n", r->job_id);
    fflush(stdout);
}

static int exit_of(const Pb__Job *job)
{
    int status = (int)job->exit_code;
    return WIFSIGNALED(status) ? 1 : WEXITSTATUS(status);
}

/* The highest exit code of all its tasks, once the last has ended. */
static int wait_end(struct sbatch *s, uint32_t job_id)
{
    struct err err = ERR_INIT;
    ProtobufCMessage *reply = NULL;
    Pb__WaitRequest wait = PB__WAIT_REQUEST__INIT;
    wait.n_job_id = 1;
    wait.job_id = &job_id;
    client_patience(s->client, WAIT_PATIENCE_S);
    if (client_call(s->client, MSG_WAIT, &wait.base, MSG_WAIT_REPLY, &reply, &err)) {
        say_error("Unable to wait for job %u: %s", job_id, str_or(err.text, err_text(err.code)));
        return say_exit(1);
    }
    const Pb__WaitReply *ended = (const Pb__WaitReply *)reply;
    int worst = 0;
    for (size_t i = 0; i < ended->n_jobs; i++)
        worst = MAX(worst, exit_of(ended->jobs[i]));
    client_free(reply);
    return worst;
}

static int sbatch_submit(struct sbatch *s)
{
    Pb__SubmitReply *r = NULL;
    int rc = request_send(&s->req, s->client, FAILED, &r);
    if (rc)
        return rc;
    uint32_t job_id = r->job_id;
    if (!s->o.test_only)
        print_submitted(s, r);
    client_free(&r->base);
    return s->o.wait && !s->o.test_only ? wait_end(s, job_id) : 0;
}

static int sbatch_run(struct sbatch *s)
{
    struct err err = ERR_INIT;
    int rc = first_pass(s);
    if (rc)
        return rc;
    if (job_opts_told(&s->o, CMD_SBATCH))
        return 0;
    char *line_script = s->script_at < s->argc ? s->argv[s->script_at] : NULL;
    rc = load_script(s);
    if (!rc)
        rc = second_pass(s);
    if (rc)
        return rc;
    name_job(s);
    if (client_open(&s->client, &err)) {
        say_fatal("%s", err.text);
        return say_exit(1);
    }
    rc = sbatch_fill(s, line_script);
    if (!rc)
        rc = refuse_early(s);
    return rc ? rc : sbatch_submit(s);
}

int cli_sbatch(int argc, char **argv)
{
    struct sbatch s = { .argc = argc, .argv = argv };
    job_opts_init(&s.o);
    request_init(&s.req);
    int rc = sbatch_run(&s);
    client_close(s.client);
    het_clear(&s.het);
    request_clear(&s.req);
    job_opts_clear(&s.o);
    strs_clear(&s.words);
    return rc;
}
