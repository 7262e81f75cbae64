/*
 * sacct - jobs of the history and their steps.
 *
 * Most filters are the controller's work.  Each frame of the answer is turned into lines as it comes; what is kept is
 * the text and the sort keys.
 */
#include <time.h>
#include <unistd.h>

#include "base/errnum.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/names.h"
#include "cli/query_sets.h"
#include "cli/sacct.h"
#include "cli/say.h"
#include "core/job.h"
#include "core/pbutil.h"
#include "core/why.h"
#include "text/array.h"
#include "text/hostlist.h"

#define FIELDS_USUAL "jobid,jobname,partition,account,alloccpus,state,exitcode"
#define FIELDS_BRIEF "jobid,state,exitcode"
#define FIELDS_LONG                                                                                                    \
    "jobid,jobidraw,jobname,partition,maxvmsize,maxvmsizenode,maxvmsizetask,avevmsize,maxrss,maxrssnode,maxrsstask,"   \
    "averss,maxpages,maxpagesnode,maxpagestask,avepages,mincpu,mincpunode,mincputask,avecpu,ntasks,alloccpus,elapsed," \
    "state,exitcode,avecpufreq,reqcpufreqmin,reqcpufreqmax,reqcpufreqgov,reqmem,consumedenergy,maxdiskread,"           \
    "maxdiskreadnode,maxdiskreadtask,avediskread,maxdiskwrite,maxdiskwritenode,maxdiskwritetask,avediskwrite,reqtres," \
    "alloctres,tresusageinave,tresusageinmax,tresusageinmaxnode,tresusageinmaxtask,tresusageinmin,tresusageinminnode," \
    "tresusageinmintask,tresusageintot,tresusageoutmax,tresusageoutmaxnode,tresusageoutmaxtask,tresusageoutave,"       \
    "tresusageouttot"

/* The lines of one job, and what they are sorted by. */
struct sacct_lines {
    int64_t submit_s;
    uint32_t array, task, id, run;
    size_t at, len; /* in the text */
};

struct answer {
    struct sacct *s;
    struct buf text;
    VEC(struct sacct_lines) lines;
    VEC(Pb__Job *) kept; /* copies: jobs of -B and --env-vars; the connection is free when all are known */
    VEC(uint32_t) hets;  /* numbers of heterogeneous jobs that were met */
};

/* ---- associations and QOS by number ---- */

static struct sacct *asking; /* for the callbacks of struct sacct_env, which have no argument of their own */

const Pb__AssocReply *sacct_tree(struct sacct *s)
{
    Pb__AssocQuery q = PB__ASSOC_QUERY__INIT;
    struct err err = ERR_INIT;
    if (!s->tree &&
        client_call(s->client, MSG_ASSOC, &q.base, MSG_ASSOC_REPLY, (ProtobufCMessage **)&s->tree, &err)) {
        say_error("%s", err.text);
        s->tree = NULL;
    }
    return s->tree;
}

static uint32_t find_qos(const char *name)
{
    const Pb__AssocReply *t = asking->tree;
    for (size_t i = 0; t && i < t->n_qos; i++)
        if (str_ieq(t->qos[i]->name, name))
            return t->qos[i]->id;
    return 0;
}

static uint32_t find_assoc(const Pb__Job *j)
{
    const Pb__AssocReply *t = asking->tree;
    uint32_t id = 0;
    for (size_t i = 0; t && i < t->n_assocs; i++) {
        const Pb__Assoc *a = t->assocs[i];
        bool fits = a->has_uid && a->uid == j->uid && str_ieq(a->account, j->spec->account);
        if (fits && str_eq(a->partition, j->partition))
            return a->id;
        if (fits && !*a->partition)
            id = a->id;
    }
    return id;
}

static int check_qos(struct sacct *s)
{
    const Pb__AssocReply *t = s->qos.n ? sacct_tree(s) : NULL;
    for (size_t i = 0; t && i < s->qos.n; i++) {
        if (find_qos(s->qos.at[i]))
            continue;
        auto_buf struct buf all = BUF_INIT;
        for (size_t k = 0; k < t->n_qos; k++)
            buf_addf(&all, "%s%s", k ? "," : "", t->qos[k]->name);
        say_error("You gave a bad qos '%s'. Valid QOS's are %s", s->qos.at[i], all.len ? all.s : "");
        say_fatal("problem processing qos list");
        return 1;
    }
    return s->qos.n && !t;
}

/* Do the columns or filters ask for numbers? */
static bool wants_tree(const struct sacct *s)
{
    return s->assocs.n || s->doc.format || show_columns_has(&s->columns, show_find(&show_sacct, "QOSRAW", 6)) ||
           show_columns_has(&s->columns, show_find(&show_sacct, "AssocID", 7));
}

/* ---- filters that the controller does not know ---- */

static bool has_constraints(const struct sacct *s, const Pb__Job *j)
{
    for (size_t i = 0; i < s->constraints.n; i++)
        if (!strcasestr(j->spec->constraint, s->constraints.at[i]))
            return false;
    return true;
}

static bool has_flag(const struct sacct *s, const Pb__Job *j)
{
    bool ran = j->start_s && !job_is_pending(j), found = !s->flags.n;
    for (size_t i = 0; i < s->flags.n; i++)
        found |= str_ieq(s->flags.at[i], "StartReceived") || (ran && str_ieq(s->flags.at[i], "SchedMain"));
    return found;
}

static bool has_reason(const struct sacct *s)
{
    bool found = !s->reasons.n;
    for (size_t i = 0; i < s->reasons.n; i++)
        found |= str_ieq(s->reasons.at[i], why_name(WHY_NONE));
    return found;
}

static bool has_assoc(const struct sacct *s, const Pb__Job *j)
{
    uint32_t id = s->assocs.n ? find_assoc(j) : 0;
    bool found = !s->assocs.n;
    for (size_t i = 0; i < s->assocs.n; i++)
        found |= id && strtoul(s->assocs.at[i], NULL, 10) == id;
    return found;
}

static bool job_wanted(const struct sacct *s, const Pb__Job *j)
{
    return has_constraints(s, j) && has_flag(s, j) && has_reason(s) && has_assoc(s, j);
}

/* Does -j name this job, or a step of it? */
static bool ref_fits(const Pb__JobRef *r, const Pb__Job *j)
{
    if (r->job != j->id && r->job != j->array_job && r->job != j->het_job)
        return false;
    return (!r->has_task || (j->has_task && r->task == j->array_task) || *j->array_text) &&
           (!r->has_het || r->het == j->het_offset);
}

/* The job's own line: unless only steps of it were named. */
static bool line_wanted(const struct sacct *s, const Pb__Job *j)
{
    bool whole = !s->refs.n, named = false;
    for (size_t i = 0; i < s->refs.n; i++)
        if (ref_fits(s->refs.at[i], j)) {
            named = true;
            whole |= !s->refs.at[i]->has_step;
        }
    return whole || !named;
}

static bool step_wanted(const struct sacct *s, const Pb__Job *j, const Pb__Step *step)
{
    if (s->allocations)
        return false;
    if (line_wanted(s, j))
        return true;
    for (size_t i = 0; i < s->refs.n; i++)
        if (ref_fits(s->refs.at[i], j) && s->refs.at[i]->step == step->id)
            return true;
    return false;
}

static bool task_wanted(const struct sacct *s, const Pb__Job *j, uint32_t task)
{
    bool wanted = !s->refs.n;
    for (size_t i = 0; i < s->refs.n; i++)
        wanted |= ref_fits(s->refs.at[i], j) && (!s->refs.at[i]->has_task || s->refs.at[i]->task == task);
    return wanted;
}

/* ---- -T ---- */

static int64_t cut_time(const struct sacct *s, int64_t at)
{
    return !at ? 0 : MIN(MAX(at, s->query.start_s), s->query.end_s);
}

static void truncate_times(const struct sacct *s, Pb__Job *j, Pb__Step **steps, size_t n)
{
    j->start_s = cut_time(s, j->start_s);
    j->end_s = cut_time(s, j->end_s);
    for (size_t i = 0; i < n; i++) {
        steps[i]->start_s = cut_time(s, steps[i]->start_s);
        steps[i]->end_s = cut_time(s, steps[i]->end_s);
    }
}

/* ---- rows ---- */

static void add_steps(struct answer *a, const struct sacct_row *job)
{
    for (size_t i = 0; i < job->nsteps; i++) {
        struct sacct_row row;
        if (!step_wanted(a->s, job->job.job, job->steps[i]))
            continue;
        sacct_step_row(&row, job, job->steps[i]);
        show_columns_row(&a->s->columns, &row, &a->text);
    }
}

/* --array: a line for each task that shares the record. */
static bool add_tasks(struct answer *a, struct sacct_row *row)
{
    const Pb__Job *j = row->job.job;
    auto_array struct array tasks = ARRAY_INIT;
    if (!a->s->array || !*j->array_text || array_parse(j->array_text, UINT32_MAX, &tasks, NULL))
        return false;
    row->job.one_task = true;
    bitmap_each(&tasks.tasks, i)
    {
        row->job.task = (uint32_t)i;
        if (task_wanted(a->s, j, (uint32_t)i))
            show_columns_row(&a->s->columns, row, &a->text);
    }
    row->job.one_task = false;
    return true;
}

static void add_lines(struct answer *a, struct sacct_row *row)
{
    const Pb__Job *j = row->job.job;
    struct sacct_lines l = { j->submit_s, j->array_job, j->has_task ? j->array_task : UINT32_MAX, j->id, j->restarts,
                             a->text.len, 0 };
    if (line_wanted(a->s, j) && !add_tasks(a, row))
        show_columns_row(&a->s->columns, row, &a->text);
    add_steps(a, row);
    l.len = a->text.len - l.at;
    vec_push(&a->lines, l);
}

/* ---- scripts and environments ---- */

/* Those of jobs that the controller still knows; the history has none. */
static int print_blob(struct sacct *s, const Pb__Job *j)
{
    Pb__ScriptRequest ask = PB__SCRIPT_REQUEST__INIT;
    Pb__ScriptReply *reply = NULL;
    struct err err = ERR_INIT;
    struct job_row row = { .job = j, .env = &s->env.show };
    auto_buf struct buf id = BUF_INIT;
    ask.job_id = j->id;
    ask.env = s->environment;
    int rc = 0;
    job_put_id(&id, &row);
    if (j->spec->kind == PB__JOB_KIND__KIND_BATCH)
        rc = client_call(s->client, MSG_SCRIPT, &ask.base, MSG_SCRIPT_REPLY, (ProtobufCMessage **)&reply, &err);
    if (rc) {
        say_error("no %s of job %s: %s", s->script ? "script" : "environment", id.s, err.text);
        return 1;
    }
    buf_addf(&s->out, "%s for %s%s\n", s->script ? "Batch Script" : "Environment used", id.s,
             s->script ? "" : " (must be batch to display)");
    for (int i = 0; i < 80; i++)
        buf_addc(&s->out, '-');
    buf_addc(&s->out, '\n');
    size_t len = reply ? reply->script.len : 0;
    for (size_t i = 0; i < len; i++) /* variables end in a zero byte each */
        buf_addc(&s->out, reply->script.data[i] ? (char)reply->script.data[i] : '\n');
    if (!len)
        buf_adds(&s->out, "NONE");
    if (s->out.s[s->out.len - 1] != '\n')
        buf_addc(&s->out, '\n');
    if (reply)
        client_free(&reply->base);
    return 0;
}

static int print_blobs(struct answer *a)
{
    int rc = 0;
    for (size_t i = 0; i < a->kept.n; i++) {
        rc |= print_blob(a->s, a->kept.at[i]);
        pb__job__free_unpacked(a->kept.at[i], NULL);
    }
    vec_clear(&a->kept);
    return rc;
}

/* ---- rows ---- */

/* The script comes first. */
static uint64_t step_rank(const Pb__Step *s)
{
    switch (s->id) {
    case PB__STEP_NUMBER__STEP_BATCH: return 0;
    case PB__STEP_NUMBER__STEP_EXTERN: return 1;
    case PB__STEP_NUMBER__STEP_INTERACTIVE: return 2;
    default: return 3 + (uint64_t)s->id;
    }
}

static int by_rank(const void *x, const void *y)
{
    uint64_t a = step_rank(*(Pb__Step *const *)x), b = step_rank(*(Pb__Step *const *)y);
    return a < b ? -1 : a > b;
}

/* What the job is told by its steps: the CPU time, and the worst exit code, also of steps that it did not outlive. */
static void sum_steps(struct sacct_row *row, Pb__Job *job)
{
    for (size_t i = 0; i < row->nsteps; i++) {
        const Pb__StepUsage *u = row->steps[i]->stats;
        if (row->steps[i]->id < PB__STEP_NUMBER__STEP_EPILOG)
            job->derived_code = MAX(job->derived_code, row->steps[i]->exit_code);
        row->user_us += u ? u->user_us : 0;
        row->sys_us += u ? u->sys_us : 0;
    }
}

static void add_job(struct answer *a, const Pb__HistoryJob *h)
{
    struct sacct *s = a->s;
    static Pb__JobSpec no_spec = PB__JOB_SPEC__INIT;
    auto_strs struct strs nodes = STRS_INIT;
    Pb__Job job = *h->job;
    job.spec = h->spec ? h->spec : &no_spec;
    if (!job_wanted(s, &job))
        return;
    if (s->local_uid)
        names_find_user(job.user_name, &job.uid);
    if (s->truncate)
        truncate_times(s, &job, h->steps, h->n_steps);
    hostlist_expand(job.nodes, &nodes, NULL);
    if (h->n_steps)
        qsort(h->steps, h->n_steps, sizeof(*h->steps), by_rank);
    struct sacct_row row = { .job = { .job = &job, .env = &s->env.show },
                             .env = &s->env,
                             .steps = h->steps,
                             .nsteps = h->n_steps,
                             .usage = { .names = (const char *const *)nodes.at, .nnames = nodes.n } };
    sum_steps(&row, &job);
    if (s->doc.format)
        document_row(&s->doc, &row);
    else if (s->script || s->environment)
        vec_push(&a->kept, PB_DUP(Pb__Job, &job));
    else
        add_lines(a, &row);
}

static int sacct_add_frame(void *arg, const ProtobufCMessage *m)
{
    struct answer *a = arg;
    const Pb__HistoryRows *rows = (const Pb__HistoryRows *)m;
    if (rows->now_s)
        a->s->env.show.now_s = rows->now_s;
    for (size_t i = 0; i < rows->n_jobs; i++)
        if (rows->jobs[i]->job)
            add_job(a, rows->jobs[i]);
    return 0;
}

/* ---- the answer ---- */

static int by_order(const void *x, const void *y)
{
    const struct sacct_lines *a = x, *b = y;
    if (a->submit_s != b->submit_s)
        return a->submit_s < b->submit_s ? -1 : 1;
    if (a->array != b->array)
        return a->array < b->array ? -1 : 1;
    if (a->task != b->task)
        return a->task < b->task ? -1 : 1;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    return a->run < b->run ? -1 : a->run > b->run;
}

static void print_lines(struct answer *a)
{
    if (!a->lines.n)
        return;
    qsort(a->lines.at, a->lines.n, sizeof(*a->lines.at), by_order);
    for (size_t i = 0; i < a->lines.n; i++)
        buf_add(&a->s->out, a->text.s + a->lines.at[i].at, a->lines.at[i].len);
}

/* --json, --yaml: options about columns mean nothing here. */
static int sacct_document(struct sacct *s)
{
    struct answer a = { .s = s };
    struct err err = ERR_INIT;
    document_begin(&s->doc);
    document_rows_begin(&s->doc, "jobs", &show_sacct_job);
    int rc = s->other_cluster ? 0
                              : client_stream(s->client, MSG_HISTORY, &s->query.base, MSG_HISTORY_REPLY,
                                              sacct_add_frame, &a, &err);
    if (rc) {
        say_error("%s", err.text);
        document_abandon(&s->doc);
        return 1;
    }
    document_rows_end(&s->doc);
    document_end(&s->doc, s->client);
    return 0;
}

static int sacct_ask(struct sacct *s)
{
    struct answer a = { .s = s };
    struct err err = ERR_INIT;
    bool header = !s->no_header && !s->script && !s->environment;
    if (header)
        show_columns_head(&s->columns, &s->out);
    int rc = s->other_cluster ? 0
                              : client_stream(s->client, MSG_HISTORY, &s->query.base, MSG_HISTORY_REPLY,
                                              sacct_add_frame, &a, &err);
    print_lines(&a);
    if (rc)
        say_error("%s", err.text);
    rc |= print_blobs(&a);
    say_flush(&s->out);
    buf_clear(&a.text);
    vec_clear(&a.lines);
    return rc ? 1 : 0;
}

/* --whole-hetjob: a component that was named stands for all of them. */
static int note_het(void *arg, const ProtobufCMessage *m)
{
    struct answer *a = arg;
    const Pb__HistoryRows *rows = (const Pb__HistoryRows *)m;
    for (size_t i = 0; i < rows->n_jobs; i++)
        if (rows->jobs[i]->job && rows->jobs[i]->job->het_job)
            vec_push(&a->hets, rows->jobs[i]->job->het_job);
    return 0;
}

static int add_whole_hets(struct sacct *s)
{
    struct answer a = { .s = s };
    struct err err = ERR_INIT;
    Pb__HistoryQuery q = s->query;
    q.steps = false;
    int rc = client_stream(s->client, MSG_HISTORY, &q.base, MSG_HISTORY_REPLY, note_het, &a, &err);
    for (size_t i = 0; i < a.hets.n; i++) {
        Pb__JobRef *r = NEW(Pb__JobRef);
        pb__job_ref__init(r);
        r->job = a.hets.at[i];
        vec_push(&s->refs, r);
    }
    s->query.jobs = s->refs.at;
    s->query.n_jobs = s->refs.n;
    vec_clear(&a.hets);
    if (rc)
        say_error("%s", err.text);
    return rc ? 1 : 0;
}

/* ---- the command ---- */

static void add_all_fields(struct buf *fields)
{
    for (const struct show_field *f = show_sacct.field; f->type; f++)
        buf_addf(fields, "%s%s", fields->len ? "," : "", f->name);
}

/* Those of -o, then those of -b, then those of -l. */
static void choose_fields(const struct sacct *s, struct buf *fields)
{
    auto_strs struct strs given = STRS_INIT;
    const char *usual = getenv("SACCT_FORMAT");
    for (size_t i = 0; i < s->format.n; i++)
        strs_split(&given, s->format.at[i], ",");
    if (!s->format.n && !s->brief && !s->long_list)
        strs_split(&given, str_empty(usual) ? FIELDS_USUAL : usual, ",");
    for (size_t i = 0; i < given.n; i++)
        if (str_ieq(given.at[i], "ALL"))
            add_all_fields(fields);
        else
            buf_addf(fields, "%s%s", fields->len ? "," : "", given.at[i]);
    if (s->brief)
        buf_addf(fields, "%s%s", fields->len ? "," : "", FIELDS_BRIEF);
    if (s->long_list)
        buf_addf(fields, "%s%s", fields->len ? "," : "", FIELDS_LONG);
}

static int sacct_columns(struct sacct *s)
{
    struct err err = ERR_INIT;
    auto_buf struct buf fields = BUF_INIT;
    choose_fields(s, &fields);
    struct show_wide how = { .bars = s->bars, .ends = s->ends, .exact = s->no_convert, .zero = true,
                             .delimiter = s->delimiter };
    int rc = show_columns_wide(&s->columns, &show_sacct, fields.len ? fields.s : "", how, &err);
    if (rc)
        say_error("%s", err.text);
    return rc ? 1 : 0;
}

/* Names in columns of `width`, `per_line` of them in a line. */
static void put_names(struct buf *out, const char *name, unsigned n, unsigned per_line, int width)
{
    buf_addf(out, "%s%-*s", !n ? "" : n % per_line ? " " : "\n", width, name);
}

static int sacct_help(struct sacct *s)
{
    if (s->help_format)
        show_help_wide(&show_sacct, &s->out);
    else if (s->help_state)
        for (unsigned i = 0; i < JOB_STATE_COUNT; i++)
            put_names(&s->out, job_state_name(i), i, 4, 19);
    else if (s->help_reason)
        for (unsigned i = 0; i < WHY_COUNT; i++)
            put_names(&s->out, why_name((enum why_code)i), i, 2, 39);
    else if (s->usage)
        buf_adds(&s->out, "Usage: sacct [options]\n\tUse --help for help\n");
    else if (s->version)
        say_version(&s->out);
    else
        opt_help(&sacct_set, &s->out);
    if (s->help_state || s->help_reason)
        buf_addc(&s->out, '\n');
    say_flush(&s->out);
    return 0;
}

/* -c and -f: records of a plugin that does not exist here. */
static int say_no_completion(const struct sacct *s)
{
    if (s->file && access(s->file, R_OK))
        fprintf(stderr, "%s is not a valid file\n", s->file);
    else
        fprintf(stderr, "Slurm job completion is disabled\n");
    return 1;
}

static int sacct_run(struct sacct *s)
{
    struct err err = ERR_INIT;
    int rc = document_check(&s->doc, 0);
    if (rc >= 0)
        return rc;
    if (client_open(&s->client, &err)) {
        say_error("%s", err.text);
        return 1;
    }
    s->now_s = time(NULL);
    s->env.show = (struct show_env){ .now_s = s->now_s,
                                     .cluster = client_site(s->client)->cluster,
                                     .expand = s->expand,
                                     .user = names_user,
                                     .group = names_group };
    s->env.exact = s->no_convert;
    s->env.qos_id = find_qos;
    s->env.assoc_id = find_assoc;
    const char *len = getenv("SLURM_BITSTR_LEN");
    s->env.show.array_len = str_empty(len) ? 64 : strtoul(len, NULL, 10);
    s->env.show.array_len_set = true;
    rc = sacct_columns(s);
    if (!rc)
        rc = sacct_read(s);
    if (!rc)
        rc = check_qos(s);
    if (!rc && wants_tree(s) && !sacct_tree(s))
        rc = 1;
    if (!rc && s->whole_het && s->refs.n)
        rc = add_whole_hets(s);
    if (rc)
        return rc;
    return s->doc.format ? sacct_document(s) : sacct_ask(s);
}

static int say_unknown(char *const *argv)
{
    say_error("Unknown arguments:");
    for (; *argv; argv++)
        say_error(" %s", *argv);
    return 1;
}

int cli_sacct(int argc, char **argv)
{
    struct sacct s = { .query = PB__HISTORY_QUERY__INIT };
    struct err err = ERR_INIT;
    int first = 1;
    asking = &s;
    int rc = opt_env(&sacct_set, &s, &err);
    if (!rc)
        rc = opt_argv(&sacct_set, argc, argv, &first, &s, &err);
    if (err.text[0])
        say_error("%s", err.text);
    if (rc)
        rc = 1;
    else if (s.help || s.usage || s.version || s.help_format || s.help_state || s.help_reason)
        rc = sacct_help(&s);
    else if (first < argc)
        rc = say_unknown(argv + first);
    else if (s.completion || s.file)
        rc = say_no_completion(&s);
    else
        rc = sacct_run(&s);
    sacct_clear(&s);
    return rc;
}
