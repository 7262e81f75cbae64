/* sattach - one more client at the streams of a running step. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/errnum.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/query_sets.h"
#include "cli/say.h"
#include "cli/stepio.h"
#include "cli/terminal.h"
#include "client/agent.h"
#include "text/hostlist.h"
#include "text/opt.h"
#include "text/stepid.h"

#define USAGE "Usage: sattach [options] <jobid.stepid>\n"

struct sattach {
    int label, layout, pty, quiet, help, usage, version;
    unsigned verbose;
    int64_t in, out, err; /* the one task; -1: all */
    struct stepid id;
    struct client *client;
    Pb__PermitReply *job;
    const Pb__Step *step;
    struct endpoint endpoint;
};

#define AT(member) .at = offsetof(struct sattach, member)

/* The option's place among the three filters is its field. */
static int set_filter(const struct opt *o, void *into, const char *arg, struct err *err)
{
    uint64_t n;
    if (!str_u64(arg, 0, UINT32_MAX - 1, &n))
        return err_set(err, OPT_EXIT_VALUE, "Invalid numeric value \"%s\" for %s.", arg, o->name);
    *(int64_t *)((char *)into + o->at) = (int64_t)n;
    return 0;
}

/* clang-format off */
static const struct opt options[] = {
    { 1, 0,   "autocomplete",  OPT_REFUSED, 0, "OPTION", NULL },
    { 1, 0,   "debugger-test", OPT_REFUSED, 0, NULL, NULL },
    { 1, 0,   "error-filter",  OPT_CALL, AT(err), "TASK", "standard error of this task alone", set_filter },
    { 1, 'h', "help",          OPT_FLAG, AT(help), NULL, "this text" },
    { 1, 0,   "input-filter",  OPT_CALL, AT(in), "TASK", "standard input for this task alone", set_filter },
    { 1, 'l', "label",         OPT_FLAG, AT(label), NULL, "each line with the number of its task" },
    { 1, 0,   "layout",        OPT_FLAG, AT(layout), NULL, "which tasks are where, and no more" },
    { 1, 0,   "output-filter", OPT_CALL, AT(out), "TASK", "standard output of this task alone", set_filter },
    { 1, 0,   "pty",           OPT_FLAG, AT(pty), NULL, "every key for task 0, which has a terminal (srun --pty)" },
    { 1, 'Q', "quiet",         OPT_FLAG, AT(quiet), NULL, "errors alone" },
    { 1, 'u', "usage",         OPT_FLAG, AT(usage), NULL, "one line of help" },
    { 1, 'v', "verbose",       OPT_MORE, AT(verbose), NULL, "say more" },
    { 1, 'V', "version",       OPT_FLAG, AT(version), NULL, "the version" },
    { 0 },
};
/* clang-format on */

const struct opt_set sattach_set = { "sattach", 0, options, "[OPTIONS] JOB.STEP", true };

/* ---- which step ---- */

static int read_id(struct sattach *s, const char *text)
{
    int rc = stepid_parse(text, &s->id);
    if (rc) {
        say_fatal("Bad job/step specified: %s: %s", text, err_text(rc));
        return 1;
    }
    if (!s->id.has_step) {
        say_error("Failed to parse stepid from command line options");
        fputs(USAGE, stdout);
        return 1;
    }
    if (s->id.step == STEPID_BATCH || s->id.step == STEPID_EXTERN) {
        say_error("Cannot be used with extern or batch steps");
        return 1;
    }
    return 0;
}

static int find_step(struct sattach *s)
{
    struct err err = ERR_INIT;
    Pb__PermitRequest ask = PB__PERMIT_REQUEST__INIT;
    ask.job_id = s->id.job;
    ask.has_task = s->id.has_task, ask.task = s->id.task;
    ask.has_step = true, ask.step = s->id.step;
    int rc = s->client ? 0 : client_open(&s->client, &err);
    s->step = NULL;
    client_free((ProtobufCMessage *)take(s->job));
    if (!rc)
        rc = agent_permit(s->client, &ask, &s->job, &err);
    for (size_t i = 0; !rc && i < s->job->n_steps; i++)
        if (s->job->steps[i]->id == s->id.step)
            s->step = s->job->steps[i];
    if (!rc && !s->step)
        rc = ESLURM_INVALID_JOB_ID;
    if (rc)
        say_error("Could not get job step info: %s", rc >= 1000 ? err_text(rc) : err.text);
    return rc ? 1 : 0;
}

static uint32_t count_tasks(const Pb__Step *step)
{
    uint32_t n = 0;
    for (size_t i = 0; i < step->n_tasks; i++)
        n += step->tasks[i];
    return n;
}

/* ---- --layout ---- */

static void add_ranks(struct buf *out, const Pb__Step *step, size_t node, uint32_t first)
{
    const Pb__Ranks *r = node < step->n_ranks ? step->ranks[node] : NULL;
    for (uint32_t i = 0; i < step->tasks[node]; i++)
        buf_addf(out, "%u ", r && i < r->n_rank ? r->rank[i] : first + i);
}

static void show_layout(const struct sattach *s)
{
    struct buf out = BUF_INIT;
    const Pb__Step *step = s->step;
    size_t n = MIN(step->n_tasks, s->job->n_nodes);
    auto_free char **names = mem_array(n, sizeof(*names));
    for (size_t i = 0; i < n; i++)
        names[i] = s->job->nodes[i]->name;
    auto_free char *list = hostlist_compress(names, n);
    buf_addf(&out, "Job step layout:\n\t%u tasks, %zu nodes (%s)\n\n", count_tasks(step), n, list);
    for (size_t i = 0, first = 0; i < n; first += step->tasks[i++]) {
        buf_addf(&out, "\tNode %zu (%s), %u task(s): ", i, names[i], step->tasks[i]);
        add_ranks(&out, step, i, (uint32_t)first);
        buf_addc(&out, '\n');
    }
    say_flush(&out);
    buf_clear(&out);
}

/* ---- attached ---- */

static int ask_node(struct sattach *s, const Pb__AgentAddr *at, const Pb__AttachRequest *ask, struct err *err)
{
    const struct site *site = client_site(s->client);
    struct agent_link *link = NULL;
    int rc = agent_open(&link, site, at, err);
    if (!rc)
        rc = agent_send(link, MSG_ATTACH, &ask->base, err);
    if (!rc)
        rc = agent_hear(link, MSG_DONE, NULL, (int)MAX(site->message_timeout_s, 10u) * 1000, err);
    agent_close(link);
    return rc;
}

/* Send the address of this process to every node's supervisor.  0, or the exit status with everything said. */
static int ask_nodes(struct sattach *s)
{
    Pb__IoEndpoint io = PB__IO_ENDPOINT__INIT;
    Pb__AttachRequest ask = PB__ATTACH_REQUEST__INIT;
    endpoint_tell(&s->endpoint, &io);
    ask.job_id = s->job->job_id;
    ask.step_id = s->id.step;
    ask.io = &io;
    int failed = 0;
    for (size_t i = 0; i < s->job->n_nodes; i++) {
        struct err err = ERR_INIT;
        int rc = ask_node(s, s->job->nodes[i], &ask, &err);
        if (rc == ESLURM_JOB_NOT_RUNNING && find_step(s))
            return 1; /* it ended meanwhile: that is said now */
        if (rc)
            say_error("Node %s: %s", s->job->nodes[i]->name, err.text);
        else if (!s->quiet)
            say_verbose(s->verbose, "Node %s: attached", s->job->nodes[i]->name);
        failed = rc ? 1 : failed;
    }
    return failed;
}

/* Slurm's messages, task by task; a task that a signal ended has none. */
static void tell_ends(const struct sattach *s, struct tasks *t)
{
    for (uint32_t i = 0; i < t->n; i++) {
        struct task *one = &t->at[i];
        if (!one->ended || one->told)
            continue;
        one->told = true;
        say_verbose(s->verbose, "%u tasks finished (rc=%u)", 1u, (unsigned)one->status);
        if (one->lost)
            say_error("task %u: its node is gone", i);
        else if (WIFEXITED(one->status) && one->status)
            say_error("task %u exited with exit code %d", i, WEXITSTATUS(one->status));
    }
}

static int code_of(const struct tasks *t)
{
    int worst = 0;
    for (uint32_t i = 0; i < t->n; i++)
        if (t->at[i].ended && WIFEXITED(t->at[i].status))
            worst = MAX(worst, WEXITSTATUS(t->at[i].status));
    return worst;
}

static void sattach_loop(const struct sattach *s, struct stepio *io)
{
    for (uint32_t told = 0; !stepio_done(io);) {
        auto_free struct pollfd *fds = mem_array(stepio_room(io), sizeof(*fds));
        nfds_t n = stepio_poll(io, fds);
        int64_t due = stepio_due(io, clock_mono_ms());
        if (poll(fds, n, due ? (int)MIN(MAX(due - clock_mono_ms(), 0), 60000) : -1) > 0)
            stepio_handle(io, fds, n);
        if (told != io->tasks->ended)
            tell_ends(s, io->tasks);
        told = io->tasks->ended;
    }
}

/* Which task reads, which are shown: other tasks are not waited for. */
static void set_filters(const struct sattach *s, struct stepio *io, struct output *out)
{
    io->stdin_task = s->pty ? 0 : s->in;
    out->only[1] = s->out;
    out->only[2] = s->err >= 0 ? s->err : s->out;
    if (s->pty && isatty(STDIN_FILENO))
        terminal_raw(STDIN_FILENO);
}

static int sattach_to_agent(struct sattach *s)
{
    struct err err = ERR_INIT;
    struct output out;
    struct tasks tasks;
    struct stepio io;
    if (endpoint_open(&s->endpoint, &err)) {
        say_error("%s", err.text);
        return say_exit(1);
    }
    endpoint_guard(&s->endpoint);
    const Pb__HetStep *het = s->step->spec ? s->step->spec->het : NULL;
    uint32_t n = het ? het->tasks : count_tasks(s->step);
    tasks_init(&tasks, n);
    for (uint32_t i = 0; het && i < n; i++) /* supervisors of other components do not connect here */
        if (i < het->first_task || i >= het->first_task + count_tasks(s->step)) {
            tasks_end(&tasks, i, 0);
            tasks.at[i].eof[1] = tasks.at[i].eof[2] = true;
        }
    output_init(&out, n, s->label);
    stepio_init(&io, &s->endpoint, &out, &tasks, (uint32_t)s->step->n_tasks);
    io.layout = s->step;
    io.job = s->job->job_id;
    io.step = s->id.step;
    set_filters(s, &io, &out);
    int rc = ask_nodes(s);
    if (rc)
        rc = say_exit(rc);
    else
        sattach_loop(s, &io);
    terminal_restore();
    rc = MAX(rc, code_of(&tasks));
    stepio_clear(&io);
    output_clear(&out);
    tasks_clear(&tasks);
    return rc;
}

/* ---- the command ---- */

static int sattach_help(const struct sattach *s)
{
    struct buf out = BUF_INIT;
    if (s->version)
        say_version(&out);
    else if (s->usage && !s->help)
        buf_adds(&out, USAGE);
    else
        opt_help(&sattach_set, &out);
    say_flush(&out);
    buf_clear(&out);
    return 0;
}

static int sattach_run(struct sattach *s, int argc, char **argv)
{
    if (s->pty && (s->in >= 0 || s->out >= 0 || s->err >= 0)) {
        say_error("don't specify both --pty and I/O filtering");
        return say_exit(1);
    }
    if (argc != 1) {
        say_error("too many parameters");
        fputs(USAGE, stdout);
        return say_exit(1);
    }
    int rc = read_id(s, argv[0]);
    if (!rc)
        rc = find_step(s);
    if (rc)
        return say_exit(rc);
    if (!s->layout)
        return sattach_to_agent(s);
    show_layout(s);
    return 0;
}

int cli_sattach(int argc, char **argv)
{
    struct sattach s = { .in = -1, .out = -1, .err = -1, .endpoint = ENDPOINT_INIT };
    struct err err = ERR_INIT;
    int first = 1;
    int rc = opt_argv(&sattach_set, argc, argv, &first, &s, &err);
    if (err.text[0])
        say_error("%s", err.text);
    if (rc)
        return say_exit(1);
    rc = s.help || s.usage || s.version ? sattach_help(&s) : sattach_run(&s, argc - first, argv + first);
    endpoint_close(&s.endpoint);
    client_free((ProtobufCMessage *)s.job);
    client_close(s.client);
    return rc;
}
