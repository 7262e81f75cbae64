/*
 * scancel - ends jobs and steps, or sends them a signal.
 *
 * Plain ids go to the controller as they are; filters too: it knows best which jobs they mean.  Only -i and -v ask for
 * the list first, to show it.
 */
#include <signal.h>

#include "base/errnum.h"
#include "base/str.h"
#include "cli/cli.h"
#include "show/job.h"
#include "cli/jobref.h"
#include "cli/names.h"
#include "cli/query_sets.h"
#include "cli/say.h"
#include "cli/states.h"
#include "client/client.h"
#include "text/hostlist.h"
#include "text/opt.h"
#include "text/signal.h"
#include "text/strs.h"

#define REFS_AT_ONCE ((size_t)1000) /* in one message; the controller takes 10,000 */

struct scancel {
    const char *account, *name, *nodes, *partition, *qos, *reservation, *signal_text, *state_text, *user, *wckey;
    int batch, cron, ctld, full, help, hurry, interactive, me, usage, version;
    unsigned verbose, quiet;

    int signo;                        /* 0: end it */
    bool filtered;
    Pb__JobQuery filter;              /* lists point into this struct */
    uint32_t uid;
    VEC(uint32_t) state, job;
    struct strs hosts;
    struct jobrefs refs;
};

#define AT(member) .at = offsetof(struct scancel, member)
#define ENV(name) .env = { name }

/* clang-format off */
static const struct opt options[] = {
    { 1, 'A', "account",       OPT_TEXT, AT(account), "NAME", "jobs of this account", ENV("SCANCEL_ACCOUNT") },
    { 1, 0,   "admin-comment", OPT_REFUSED, 0, "TEXT", NULL },
    { 1, 0,   "autocomplete",  OPT_REFUSED, 0, "OPTION", NULL },
    { 1, 'b', "batch",         OPT_FLAG, AT(batch), NULL, "signal the batch shell alone", ENV("SCANCEL_BATCH") },
    { 1, 'M', "cluster",       OPT_REFUSED, 0, "NAMES", NULL, ENV("SLURM_CLUSTERS") },
    { 1, 0,   "clusters",      OPT_REFUSED, 0, "NAMES", NULL },
    { 1, 'c', "cron",          OPT_FLAG, AT(cron), NULL, "jobs of scrontab too", ENV("SCANCEL_CRON") },
    { 1, 0,   "ctld",          OPT_FLAG, AT(ctld), NULL, "send the request to the controller, as is always done",
              ENV("SCANCEL_CTLD") },
    { 1, 'f', "full",          OPT_FLAG, AT(full), NULL, "signal the batch shell and all steps", ENV("SCANCEL_FULL") },
    { 1, 0,   "help",          OPT_FLAG, AT(help), NULL, "this text" },
    { 1, 'H', "hurry",         OPT_FLAG, AT(hurry), NULL, "do not stage out burst buffers", ENV("SCANCEL_HURRY") },
    { 1, 'i', "interactive",   OPT_FLAG, AT(interactive), NULL, "ask before each job", ENV("SCANCEL_INTERACTIVE") },
    { 1, 'n', "name",          OPT_TEXT, AT(name), "NAME", "jobs with this name", ENV("SCANCEL_NAME") },
    { 1, 0,   "jobname",       OPT_TEXT, AT(name), "NAME", "the same" },
    { 1, 0,   "me",            OPT_FLAG, AT(me), NULL, "my jobs" },
    { 1, 'w', "nodelist",      OPT_TEXT, AT(nodes), "NODES", "jobs on these nodes" },
    { 1, 'p', "partition",     OPT_TEXT, AT(partition), "NAME", "jobs in this partition", ENV("SCANCEL_PARTITION") },
    { 1, 'q', "qos",           OPT_TEXT, AT(qos), "NAME", "jobs of this quality of service", ENV("SCANCEL_QOS") },
    { 1, 'Q', "quiet",         OPT_MORE, AT(quiet), NULL, "no errors about jobs that are gone" },
    { 1, 'R', "reservation",   OPT_TEXT, AT(reservation), "NAME", "jobs in this reservation" },
    { 1, 0,   "sibling",       OPT_REFUSED, 0, "CLUSTER", NULL },
    { 1, 's', "signal",        OPT_TEXT, AT(signal_text), "SIGNAL", "send this signal, by name or number" },
    { 1, 't', "state",         OPT_TEXT, AT(state_text), "STATES", "jobs in these states: PENDING, RUNNING, SUSPENDED",
              ENV("SCANCEL_STATE") },
    { 1, 0,   "usage",         OPT_FLAG, AT(usage), NULL, "a short reminder of the options" },
    { 1, 'u', "user",          OPT_TEXT, AT(user), "NAME", "jobs of this user", ENV("SCANCEL_USER") },
    { 1, 'v', "verbose",       OPT_MORE, AT(verbose), NULL, "say what is done", ENV("SCANCEL_VERBOSE") },
    { 1, 'V', "version",       OPT_FLAG, AT(version), NULL, "the version" },
    { 1, 0,   "wckey",         OPT_TEXT, AT(wckey), "KEY", "jobs with this workload characterization key",
              ENV("SCANCEL_WCKEY") },
    { 0 },
};
/* clang-format on */

const struct opt_set scancel_set = { "scancel", 0, options, "[OPTIONS] [JOB[_TASKS][.STEP]...]", true };

/* ---- the filter ---- */

static int read_signal(struct scancel *o)
{
    if (o->signal_text && signal_parse(o->signal_text, &o->signo, NULL)) {
        fprintf(stderr, "Unknown job signal: %s\n", o->signal_text);
        return 1;
    }
    return 0;
}

static int read_states(struct scancel *o)
{
    const char *pos = o->state_text;
    for (char *word; pos && (word = str_next(&pos, ","));) {
        uint32_t state;
        bool known = state_find(word, &state);
        if (!known)
            fprintf(stderr, "Invalid job state specified: %s\nValid job states are PENDING, RUNNING, and SUSPENDED\n",
                    word);
        free(word);
        if (!known)
            return 1;
        vec_push(&o->state, state);
    }
    o->filter.state = o->state.at;
    o->filter.n_state = o->state.n;
    return 0;
}

static int read_user(struct scancel *o)
{
    o->uid = (uint32_t)getuid();
    if (o->user && !names_find_user(o->user, &o->uid)) {
        say_error("Invalid user name: %s", o->user);
        return 1;
    }
    if (o->user || o->me) {
        o->filter.uid = &o->uid;
        o->filter.n_uid = 1;
    }
    return 0;
}

static int read_nodes(struct scancel *o)
{
    struct err err = ERR_INIT;
    if (o->nodes && hostlist_expand(o->nodes, &o->hosts, &err)) {
        say_error("%s", err.text);
        return 1;
    }
    o->filter.node = o->hosts.at;
    o->filter.n_node = o->hosts.n;
    return 0;
}

static void one_word(const char **text, char ***list, size_t *n)
{
    *list = (char **)text;
    *n = *text ? 1 : 0;
}

static int read_filter(struct scancel *o)
{
    pb__job_query__init(&o->filter);
    one_word(&o->account, &o->filter.account, &o->filter.n_account);
    one_word(&o->name, &o->filter.name, &o->filter.n_name);
    one_word(&o->partition, &o->filter.partition, &o->filter.n_partition);
    one_word(&o->qos, &o->filter.qos, &o->filter.n_qos);
    one_word(&o->reservation, &o->filter.reservation, &o->filter.n_reservation);
    one_word(&o->wckey, &o->filter.wckey, &o->filter.n_wckey);
    o->filter.hidden = true;
    o->filtered = o->account || o->name || o->partition || o->qos || o->reservation || o->wckey || o->user || o->me ||
                  o->nodes || o->state_text;
    return read_signal(o) || read_states(o) || read_user(o) || read_nodes(o);
}

/* ---- ids ---- */

static int bad_id(const char *text)
{
    say_error("Invalid job id %s", text);
    return 1;
}

/* A batch or extern step is no step that can be ended alone. */
static bool is_special(const Pb__JobRef *ref)
{
    return ref->has_step && ref->step >= PB__STEP_NUMBER__STEP_INTERACTIVE;
}

/* Commas part ids, but not within brackets. */
static int read_ids(struct scancel *o, const char *text)
{
    while (*text) {
        size_t len = 0;
        for (int depth = 0; text[len] && (depth || text[len] != ','); len++)
            depth += (text[len] == '[') - (text[len] == ']');
        auto_free char *id = mem_strn(text, len);
        if (!jobrefs_add(&o->refs, id, true) || is_special(o->refs.ref.at[o->refs.ref.n - 1]))
            return bad_id(id);
        text += len;
        if (*text == ',' && !*++text)
            return bad_id("");
    }
    return 0;
}

static int read_args(struct scancel *o, int argc, char **argv, int first)
{
    int rc = 0;
    for (int i = first; i < argc && !rc; i++)
        rc = read_ids(o, argv[i]);
    if (!rc && !o->refs.ref.n && !o->filtered) {
        say_error("No job identification provided");
        rc = 1;
    }
    return rc;
}

/* ---- telling ---- */

/* Ids that are gone are no news when nothing but their end was asked for. */
static bool forgives_missing(const struct scancel *o)
{
    return !o->signal_text && !o->batch && !o->interactive && !o->filtered;
}

static void say_doing(const struct scancel *o, const char *id, bool step)
{
    if (!o->verbose)
        return;
    if (!o->signo && !o->batch)
        say_info("Terminating %s%s", step ? "step " : "job ", id);
    else
        say_info("Signal %d to %s%s", o->signo ? o->signo : SIGKILL, step ? "step " : "job ", id);
}

/* What the failure is for the exit status: Slurm's own numbers are cut to what a status can hold. */
static int say_result(const struct scancel *o, const char *id, bool step, int code)
{
    if (!code)
        return 0;
    if (code == ESLURM_USER_ID_MISSING)
        code = ESLURM_ACCESS_DENIED;
    bool gone = code == ESLURM_ALREADY_DONE || code == ESLURM_INVALID_JOB_ID;
    bool quiet = gone && (step ? o->signal_text != NULL : forgives_missing(o) || code == ESLURM_ALREADY_DONE);
    if (!o->quiet && (!quiet || o->verbose))
        say_error("Kill job error on job %sid %s: %s", step ? "step " : "", id, err_text(code));
    if (quiet)
        return 0;
    return gone && !step ? 1 : code & 0xff;
}

static int scancel_failed(int rc, const struct err *err)
{
    say_error("%s", rc >= 1000 || !err->text[0] ? err_text(rc) : err->text);
    return 1;
}

static void say_none_match(const struct scancel *o)
{
    const struct {
        const char *name, *value;
    } parts[] = { { "account", o->account },  { "job_name", o->name },
                  { "nodelist", o->nodes },   { "partition", o->partition },
                  { "qos", o->qos },          { "reservation", o->reservation },
                  { "state", o->state_text }, { "user_name", o->me ? names_user(o->uid) : o->user },
                  { "wckey", o->wckey } };
    auto_buf struct buf text = BUF_INIT;
    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        if (parts[i].value)
            buf_addf(&text, "%s=%s ", parts[i].name, parts[i].value);
    say_error("No active jobs match ALL job filters, including: %s", text.s);
}

/* ---- doing ---- */

static void scancel_fill(const struct scancel *o, Pb__CancelRequest *r)
{
    r->signal = (uint32_t)o->signo;
    r->batch_only = o->batch;
    r->full = o->full;
    r->hurry = o->hurry;
    r->cron = o->cron;
}

/* `n` of the references, from `at` on. */
static int cancel_some(struct client *c, struct scancel *o, size_t at, size_t n)
{
    struct err err = ERR_INIT;
    ProtobufCMessage *m;
    Pb__CancelRequest r = PB__CANCEL_REQUEST__INIT;
    scancel_fill(o, &r);
    r.jobs = o->refs.ref.at + at;
    r.n_jobs = n;
    for (size_t i = at; i < at + n; i++)
        say_doing(o, o->refs.text.at[i], o->refs.ref.at[i]->has_step);
    int rc = client_call(c, MSG_CANCEL, &r.base, MSG_CANCEL_REPLY, &m, &err);
    if (rc)
        return scancel_failed(rc, &err);
    const Pb__CancelReply *reply = (const Pb__CancelReply *)m;
    for (size_t i = 0; i < reply->n_results && i < n; i++) {
        bool step = o->refs.ref.at[at + i]->has_step; /* of a step the job is named */
        const char *text = o->refs.text.at[at + i];
        auto_free char *id = mem_strn(text, strcspn(text, step ? "." : ""));
        rc |= say_result(o, id, step, reply->results[i]->code);
    }
    client_free(m);
    return rc;
}

static int cancel_refs(struct client *c, struct scancel *o)
{
    int rc = 0;
    for (size_t at = 0; at < o->refs.ref.n; at += REFS_AT_ONCE)
        rc |= cancel_some(c, o, at, MIN(o->refs.ref.n - at, REFS_AT_ONCE));
    return rc;
}

static int cancel_matching(struct client *c, struct scancel *o)
{
    struct err err = ERR_INIT;
    ProtobufCMessage *m;
    Pb__CancelRequest r = PB__CANCEL_REQUEST__INIT;
    scancel_fill(o, &r);
    r.filter = &o->filter;
    r.by_filter = true;
    int rc = client_call(c, MSG_CANCEL, &r.base, MSG_CANCEL_REPLY, &m, &err);
    if (rc)
        return scancel_failed(rc, &err);
    const Pb__CancelReply *reply = (const Pb__CancelReply *)m;
    for (size_t i = 0; i < reply->n_results; i++) {
        char id[16];
        snprintf(id, sizeof(id), "%u", reply->results[i]->ref->job);
        rc |= say_result(o, id, false, reply->results[i]->code);
    }
    client_free(m);
    return rc;
}

/* ---- looking first ---- */

struct chosen {
    struct scancel *o;
    struct jobrefs refs;
    size_t seen;
};

static bool cancel_confirmed(const Pb__Job *j, const char *id)
{
    char answer[64];
    printf("Cancel job_id=%s name=%s partition=%s [y/n]? ", id, j->spec->name, j->partition);
    fflush(stdout);
    while (fgets(answer, sizeof(answer), stdin)) {
        if (strchr("yY", answer[0]))
            return true;
        if (strchr("nN", answer[0]))
            return false;
        printf("Please answer y or n: ");
        fflush(stdout);
    }
    return false;
}

/* With -i the chosen jobs become references; otherwise they are only printed, and the filter ends them. */
static int choose_jobs(void *arg, const ProtobufCMessage *m)
{
    struct chosen *ch = arg;
    const Pb__JobList *list = (const Pb__JobList *)m;
    static const struct show_env env = { 0 };
    for (size_t i = 0; i < list->n_jobs; i++) {
        const Pb__Job *j = list->jobs[i];
        auto_buf struct buf id = BUF_INIT;
        char number[16];
        job_put_id(&id, &(struct job_row){ .job = j, .env = &env });
        snprintf(number, sizeof(number), "%u", j->id);
        ch->seen++;
        if (!ch->o->interactive)
            say_doing(ch->o, id.s, false);
        else if (cancel_confirmed(j, id.s))
            jobrefs_add(&ch->refs, *j->array_text ? id.s : number, false);
    }
    return 0;
}

static int cancel_chosen(struct client *c, struct scancel *o)
{
    struct err err = ERR_INIT;
    struct chosen ch = { .o = o };
    int rc = client_stream(c, MSG_JOBS, &o->filter.base, MSG_JOBS_REPLY, choose_jobs, &ch, &err);
    if (rc && rc != ESLURM_INVALID_JOB_ID)
        return scancel_failed(rc, &err);
    if (rc)
        rc = say_result(o, o->refs.ref.n ? o->refs.text.at[0] : "", false, rc);
    if (!ch.seen && o->verbose && o->filtered)
        say_none_match(o);
    if (ch.seen && !o->interactive)
        return cancel_matching(c, o);
    jobrefs_clear(&o->refs);
    o->refs = ch.refs;
    return o->refs.ref.n ? cancel_refs(c, o) : rc;
}

static int cancel_jobs(struct client *c, struct scancel *o)
{
    if (!o->filtered && !o->interactive)
        return cancel_refs(c, o);
    bool steps = false;
    for (size_t i = 0; i < o->refs.ref.n; i++) {
        vec_push(&o->job, o->refs.ref.at[i]->job);
        steps |= o->refs.ref.at[i]->has_step || o->refs.ref.at[i]->has_task || o->refs.ref.at[i]->tasks.len;
    }
    if (steps) {
        say_error("filters and -i go with whole jobs, not with tasks and steps");
        return 1;
    }
    o->filter.job = o->job.at;
    o->filter.n_job = o->job.n;
    return o->interactive || o->verbose || o->job.n ? cancel_chosen(c, o) : cancel_matching(c, o);
}

/* ---- options ---- */

/* -1: none of them was asked for. */
static int scancel_print_info(const struct scancel *o)
{
    struct buf out = BUF_INIT;
    if (o->help)
        opt_help(&scancel_set, &out);
    else if (o->usage)
        buf_adds(&out, "Usage: scancel [-A account] [--batch] [--ctld] [--full] [--interactive] [-n job_name]\n"
                       "               [-p partition] [-Q] [-q qos] [-R reservation] [-s signal | integer]\n"
                       "               [-t PENDING | RUNNING | SUSPENDED] [--usage] [-u user_name]\n"
                       "               [--hurry] [-V] [-v] [-w hosts...] [--wckey=wckey]\n"
                       "               [job_id[_array_id][.step_id]]\n");
    else if (o->version)
        say_version(&out);
    else
        return -1;
    say_flush(&out);
    buf_clear(&out);
    return 0;
}

static int read_options(struct scancel *o, int argc, char **argv)
{
    struct err err = ERR_INIT;
    int first = 1;
    int rc = opt_env(&scancel_set, o, &err);
    if (!rc)
        rc = opt_argv(&scancel_set, argc, argv, &first, o, &err);
    if (rc) {
        if (err.text[0])
            say_error("%s", err.text);
        return 1;
    }
    rc = scancel_print_info(o);
    if (rc < 0 && (read_filter(o) || read_args(o, argc, argv, first)))
        rc = 1;
    return rc;
}

int cli_scancel(int argc, char **argv)
{
    struct scancel o = { 0 };
    struct err err = ERR_INIT;
    struct client *c;
    int rc = read_options(&o, argc, argv);
    if (rc < 0) {
        rc = client_open(&c, &err);
        if (rc) {
            rc = scancel_failed(rc, &err);
        } else {
            rc = cancel_jobs(c, &o);
            client_close(c);
        }
    }
    jobrefs_clear(&o.refs);
    strs_clear(&o.hosts);
    vec_clear(&o.state);
    vec_clear(&o.job);
    return rc;
}
