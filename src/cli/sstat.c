/* sstat - what running steps use, asked of the nodes they run on. */
#include "base/errnum.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/query_sets.h"
#include "cli/say.h"
#include "client/agent.h"
#include "show/step_usage.h"
#include "text/hostlist.h"
#include "text/opt.h"
#include "text/stepid.h"
#include "wire/usage.h"

#define SSTAT_USUAL                                                                                                    \
    "jobid,alloctres,maxvmsize,maxvmsizenode,maxvmsizetask,avevmsize,maxrss,maxrssnode,maxrsstask,averss,maxpages,"    \
    "maxpagesnode,maxpagestask,avepages,mincpu,mincpunode,mincputask,avecpu,ntasks,avecpufreq,reqcpufreqmin,"          \
    "reqcpufreqmax,reqcpufreqgov,consumedenergy,maxdiskread,maxdiskreadnode,maxdiskreadtask,avediskread,"              \
    "maxdiskwrite,maxdiskwritenode,maxdiskwritetask,avediskwrite,tresusageinave,tresusageinmax,tresusageinmaxnode,"    \
    "tresusageinmaxtask,tresusageinmin,tresusageinminnode,tresusageinmintask,tresusageintot,tresusageoutave,"          \
    "tresusageoutmax,tresusageoutmaxnode,tresusageoutmaxtask,tresusageoutmin,tresusageoutminnode,"                     \
    "tresusageoutmintask,tresusageouttot"
#define SSTAT_PIDS "jobid,nodelist,pids"

struct sstat {
    int all, help, help_format, no_convert, no_header, bars, bars2, pid_format, usage, version;
    unsigned verbose;
    const char *format;
    struct strs jobs;
    struct client *client;
    struct show_columns columns;
    struct buf out;
};

#define AT(member) .at = offsetof(struct sstat, member)

static int add_jobs(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct sstat *s = into;
    const char *pos = arg;
    for (char *one; (one = str_next(&pos, ","));)
        strs_take(&s->jobs, one);
    return 0;
}

/* clang-format off */
static const struct opt options[] = {
    { 1, 'a', "allsteps",     OPT_FLAG, AT(all), NULL, "all steps of a job that is named without one" },
    { 1, 0,   "autocomplete", OPT_REFUSED, 0, "OPTION", NULL },
    { 1, 'o', "fields",       OPT_TEXT, AT(format), "FIELDS", "these fields: NAME[%[-]WIDTH],..." },
    { 1, 'o', "format",       OPT_TEXT, AT(format), "FIELDS", "the same" },
    { 1, 'h', "help",         OPT_FLAG, AT(help), NULL, "this text" },
    { 1, 'e', "helpformat",   OPT_FLAG, AT(help_format), NULL, "the fields there are" },
    { 1, 'j', "jobs", OPT_CALL, 0, "IDS", "these steps, or the lowest step of these jobs: 12.0,13,14.batch", add_jobs },
    { 1, 0,   "noconvert",    OPT_FLAG, AT(no_convert), NULL, "amounts in bytes, never in larger units" },
    { 1, 'n', "noheader",     OPT_FLAG, AT(no_header), NULL, "no line of headers" },
    { 1, 'p', "parsable",     OPT_FLAG, AT(bars), NULL, "fields that end in a bar each" },
    { 1, 'P', "parsable2",    OPT_FLAG, AT(bars2), NULL, "fields with a bar between them" },
    { 1, 'i', "pidformat",    OPT_FLAG, AT(pid_format), NULL, "the processes of each step, node by node" },
    { 1, 0,   "usage",        OPT_FLAG, AT(usage), NULL, "the same as --help" },
    { 1, 'v', "verbose",      OPT_MORE, AT(verbose), NULL, "say more" },
    { 1, 'V', "version",      OPT_FLAG, AT(version), NULL, "the version" },
    { 0 },
};
/* clang-format on */

const struct opt_set sstat_set = { "sstat", 0, options, "[OPTIONS] -j JOB[.STEP],...", true, .no_hint = true };

/* ---- one step on its nodes ---- */

struct place {
    const Pb__AgentAddr *at;
    struct agent_link *link;
    Pb__StatReply *reply;
    struct err err;
};

struct target {
    uint32_t job, step;
    const Pb__Step *record; /* NULL: the batch script */
};

/* All are asked before the first answer is read: the slowest node counts, not their sum. */
static void sstat_ask(struct sstat *s, const struct target *t, struct place *p, size_t n)
{
    Pb__StatRequest q = PB__STAT_REQUEST__INIT;
    const struct site *site = client_site(s->client);
    q.job_id = t->job;
    q.has_step = true;
    q.step_id = t->step;
    q.pids = true;
    for (size_t i = 0; i < n; i++) {
        say_verbose(s->verbose, "asking node %s about StepId=%u.%u", p[i].at->name, t->job, t->step);
        if (!agent_open(&p[i].link, site, p[i].at, &p[i].err))
            agent_send(p[i].link, MSG_STAT, &q.base, &p[i].err);
    }
    for (size_t i = 0; i < n; i++)
        if (!p[i].err.code)
            agent_hear(p[i].link, MSG_STAT_REPLY, (ProtobufCMessage **)&p[i].reply,
                       (int)MAX(site->message_timeout_s, 10) * 1000, &p[i].err);
}

static void add_pids(struct buf *out, const Pb__StatReply *r)
{
    for (size_t i = 0; r && i < r->n_steps; i++)
        for (size_t k = 0; k < r->steps[i]->n_procs; k++)
            buf_addf(out, "%s%u", out->len ? "," : "", r->steps[i]->procs[k]->pid);
}

static void sstat_print(struct sstat *s, struct step_usage_row *row, struct place *p, size_t n)
{
    struct usage_sum sum;
    auto_buf struct buf pids = BUF_INIT;
    auto_free char **names = mem_array(n, sizeof(*names));
    usage_sum_init(&sum);
    for (size_t i = 0; i < n; i++) {
        names[i] = p[i].at->name;
        add_pids(&pids, p[i].reply);
        for (size_t k = 0; p[i].reply && k < p[i].reply->n_steps; k++)
            usage_sum_add(&sum, p[i].reply->steps[k]->stats, -1);
    }
    auto_free char *nodes = hostlist_compress(names, n);
    row->nodes = nodes;
    row->pids = pids.len ? pids.s : "";
    row->usage = &sum.pb;
    if (sum.pb.ntasks)
        show_columns_row(&s->columns, row, &s->out);
}

/* What went wrong, in Slurm's words: each node, then the step.  0 when all is well. */
static int print_failures(struct sstat *s, const struct target *t, const struct place *p, size_t n)
{
    int rc = 0;
    for (size_t i = 0; i < n; i++)
        if (p[i].err.code) {
            say_flush(&s->out);
            rc = p[i].err.code;
            say_error("slurm_job_step_stat: there was an error with the request to %s rc = %s", p[i].at->name,
                      rc >= 1000 ? err_text(rc) : p[i].err.text);
        }
    if (rc)
        say_error("problem getting step_layout for StepId=%u.%u: %s", t->job, t->step, err_text(rc));
    return rc;
}

static void show_step(struct sstat *s, const Pb__PermitReply *job, const struct target *t)
{
    size_t n = t->record ? t->record->n_node : 1;
    auto_free struct place *p = mem_array(n, sizeof(*p));
    auto_free const char **names = mem_array(job->n_nodes, sizeof(*names));
    for (size_t i = 0; i < job->n_nodes; i++)
        names[i] = job->nodes[i]->name;
    for (size_t i = 0; i < n; i++) {
        size_t pos = t->record ? t->record->node[i] : 0;
        p[i].at = job->nodes[pos < job->n_nodes ? pos : 0];
    }
    sstat_ask(s, t, p, n);
    struct step_usage_row row = { .job = t->job,
                             .step = t->step,
                             .record = t->record,
                             .names = names,
                             .nnames = job->n_nodes,
                             .exact = s->no_convert };
    if (print_failures(s, t, p, n))
        ;
    else if (s->pid_format)
        for (size_t i = 0; i < n; i++)
            sstat_print(s, &row, &p[i], 1);
    else
        sstat_print(s, &row, p, n);
    for (size_t i = 0; i < n; i++) {
        agent_close(p[i].link);
        client_free((ProtobufCMessage *)p[i].reply);
    }
}

/* ---- which steps ---- */

static const Pb__Step *find_step(const Pb__PermitReply *job, uint32_t id)
{
    for (size_t i = 0; i < job->n_steps; i++)
        if (job->steps[i]->id == id)
            return job->steps[i];
    return NULL;
}

static const Pb__Step *lowest_step(const Pb__PermitReply *job)
{
    const Pb__Step *low = NULL;
    for (size_t i = 0; i < job->n_steps; i++)
        if (job->steps[i]->id < PB__STEP_NUMBER__STEP_EPILOG && (!low || job->steps[i]->id < low->id))
            low = job->steps[i];
    return low;
}

static void show_record(struct sstat *s, const Pb__PermitReply *job, const Pb__Step *step)
{
    struct target t = { job->job_id, step->id, step };
    show_step(s, job, &t);
}

static void show_batch(struct sstat *s, const Pb__PermitReply *job)
{
    struct target t = { job->job_id, PB__STEP_NUMBER__STEP_BATCH, NULL };
    show_step(s, job, &t);
}

static void not_running(struct sstat *s, const char *text)
{
    say_flush(&s->out);
    say_error("StepId=%s not found running.", text);
}

/* The extern step, the batch script, then the other steps as they began. */
static void show_all(struct sstat *s, const Pb__PermitReply *job)
{
    const Pb__Step *ext = find_step(job, PB__STEP_NUMBER__STEP_EXTERN);
    if (ext)
        show_record(s, job, ext);
    if (job->batch)
        show_batch(s, job);
    for (size_t i = 0; i < job->n_steps; i++)
        if (job->steps[i] != ext)
            show_record(s, job, job->steps[i]);
}

static void show_job(struct sstat *s, const Pb__PermitReply *job, const struct stepid *id, const char *text)
{
    const Pb__Step *step = id->has_step ? find_step(job, id->step) : lowest_step(job);
    if (id->has_step && id->step == STEPID_BATCH && job->batch)
        show_batch(s, job);
    else if (id->has_step && !step)
        not_running(s, text);
    else if (id->has_step || !s->all) {
        if (step)
            show_record(s, job, step);
    } else {
        show_all(s, job);
    }
}

static void stat_one(struct sstat *s, const char *text)
{
    struct stepid id;
    struct err err = ERR_INIT;
    Pb__PermitRequest ask = PB__PERMIT_REQUEST__INIT;
    Pb__PermitReply *job = NULL;
    stepid_parse(text, &id); /* it was looked at before */
    ask.job_id = id.job;
    ask.has_task = id.has_task, ask.task = id.task;
    int rc = agent_permit(s->client, &ask, &job, &err);
    if (!rc) {
        show_job(s, job, &id, text);
        client_free(&job->base);
    } else if (id.has_step && (rc == ESLURM_INVALID_JOB_ID || rc == ESLURM_ALREADY_DONE || rc == ESLURM_JOB_PENDING)) {
        not_running(s, text);
    } else if (rc == ESLURM_JOB_PENDING) {
        say_error("No steps running for JobId=%u", id.job);
    } else if (rc != ESLURM_ALREADY_DONE) {
        say_flush(&s->out);
        say_error("couldn't get steps for JobId=%u", id.job);
    }
}

/* ---- the command ---- */

/* Every id is looked at before anything is printed. */
static int check_jobs(const struct sstat *s)
{
    struct stepid id;
    if (!s->jobs.n) {
        say_error("You didn't give me any jobs to stat.");
        return 1;
    }
    for (size_t i = 0; i < s->jobs.n; i++) {
        const char *text = s->jobs.at[i];
        int rc = stepid_parse(text, &id);
        if (rc && (*text < '0' || *text > '9'))
            say_fatal("Bad job/step specified: %s", text);
        else if (rc)
            say_fatal("Bad job/step specified: %s: %s", text, err_text(rc));
        if (rc)
            return 1;
    }
    return 0;
}

static int sstat_help(struct sstat *s)
{
    if (s->help_format)
        show_help_wide(&show_step_usage, &s->out);
    else if (s->version)
        say_version(&s->out);
    else
        opt_help(&sstat_set, &s->out);
    say_flush(&s->out);
    return 0;
}

static int sstat_run(struct sstat *s, struct err *err)
{
    const char *fields = s->format ? s->format : s->pid_format ? SSTAT_PIDS : SSTAT_USUAL;
    struct show_wide how = { .bars = s->bars || s->bars2, .ends = !s->bars2, .exact = s->no_convert };
    int rc = show_columns_wide(&s->columns, &show_step_usage, fields, how, err);
    if (rc)
        return rc;
    if (check_jobs(s))
        return 1;
    rc = client_open(&s->client, err);
    if (rc)
        return rc;
    if (!s->no_header)
        show_columns_head(&s->columns, &s->out);
    say_flush(&s->out);
    for (size_t i = 0; i < s->jobs.n; i++)
        stat_one(s, s->jobs.at[i]);
    say_flush(&s->out);
    return 0;
}

int cli_sstat(int argc, char **argv)
{
    struct sstat s = { 0 };
    struct err err = ERR_INIT;
    int first = 1;
    int rc = opt_argv(&sstat_set, argc, argv, &first, &s, &err);
    for (int i = first; !rc && i < argc; i++)
        add_jobs(NULL, &s, argv[i], &err);
    if (!rc)
        rc = s.help || s.usage || s.version || s.help_format ? sstat_help(&s) : sstat_run(&s, &err);
    if (err.text[0])
        say_error("%s", err.text);
    client_close(s.client);
    show_columns_clear(&s.columns);
    strs_clear(&s.jobs);
    buf_clear(&s.out);
    return rc ? 1 : 0;
}
