/*
 * salloc - get nodes, run a shell or a command beside them, give them back.
 */
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/errnum.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/command.h"
#include "cli/env_alloc.h"
#include "cli/allocation.h"
#include "cli/het.h"
#include "cli/say.h"
#include "core/job.h"

#define REFUSED "Job submit/allocate failed"
#define BELL_S 10      /* a wait of this length ends with a bell */
#define LISTEN_S 2 /* signals wait as long as a controller does not answer */
#define LISTEN_MS 2000 /* between attempts to find a controller */
#define RELEASE_S 30   /* how long to try to give the allocation back */

static const struct opt_set *const set = &job_opts_sets[CMD_SALLOC];

struct salloc {
    struct job_opts o;
    struct request req;
    struct client *client;
    struct allocation alloc;
    int argc, command;
    char **argv;
    char *shell[4]; /* the command, when none was given */
    char *script;   /* owned: its words */
    struct command command_run;
    bool gone; /* the allocation has ended */
    bool deaf; /* no connection would report it */
    bool hung_up;
    struct het het; /* further components */
};

static int bad_options(const struct err *err, int rc, bool fatal)
{
    if (err->text[0])
        (fatal ? say_fatal : say_error)("%s", err->text);
    return rc;
}

static int read_component(struct job_opts *o, const struct job_opts *leader, int argc, char **argv, bool *fatal,
                          struct err *err)
{
    int first, rc = opt_env(set, o, err);
    if (!rc)
        rc = opt_argv(set, argc, argv, &first, o, err);
    het_settle(leader, o);
    return rc ? rc : job_opts_check(o, fatal, err);
}

static int read_options(struct salloc *s)
{
    struct err err = ERR_INIT;
    struct job_opts glance;
    bool fatal = false;
    job_opts_init(&glance);
    int rc = het_cut(&s->het, set, s->argc, s->argv, &s->command, &glance, &err);
    job_opts_clear(&glance);
    if (!rc)
        rc = read_component(&s->o, &s->o, s->het.first_argc, s->argv, &fatal, &err);
    for (size_t i = 0; !rc && i < s->het.at.n; i++) {
        struct het_comp *c = s->het.at.at[i];
        const struct job_opts *before = i ? &s->het.at.at[i - 1]->o : &s->o;
        rc = het_inherit(set, before, &c->o, &err);
        if (!rc)
            rc = read_component(&c->o, before, c->argc, c->argv, &fatal, &err);
    }
    return rc ? bad_options(&err, rc, fatal) : 0;
}

/* LaunchParameters=use_interactive_step: the shell runs on the first node of the job, not here. */
static bool interactive_step(const struct salloc *s)
{
    const struct site *site = client_site(s->client);
    return str_in_list(str_or(site->launch_parameters, ""), "use_interactive_step") &&
           !str_empty(site->interactive_step_options);
}

static void choose_command(struct salloc *s, char ***argv, size_t *n)
{
    const struct passwd *pw = getpwuid(getuid());
    const char *shell = getenv("SHELL");
    if (s->command < s->argc) {
        *argv = s->argv + s->command;
        *n = (size_t)(s->argc - s->command);
        return;
    }
    shell = str_or(shell, pw && *pw->pw_shell ? pw->pw_shell : "/bin/sh");
    *argv = s->shell;
    if (interactive_step(s)) {
        setenv("SHELL", shell, 1); /* the options name it */
        free(s->script);
        s->script = mem_printf("exec srun %s", client_site(s->client)->interactive_step_options);
        s->shell[0] = "/bin/sh";
        s->shell[1] = "-c";
        s->shell[2] = s->script;
        *n = 3;
        return;
    }
    s->shell[0] = (char *)shell;
    *n = 1;
}

static int salloc_prepare(struct salloc *s)
{
    struct err err = ERR_INIT;
    Pb__JobSpec *spec = &s->o.spec;
    if (!s->o.name_set)
        spec->name = "interactive";
    spec->kind = PB__JOB_KIND__KIND_SALLOC;
    if (client_open(&s->client, &err)) {
        say_fatal("%s", err.text);
        return say_exit(1);
    }
    if (!s->o.no_shell)
        choose_command(s, &spec->argv, &spec->n_argv);
    for (size_t i = 0; i < s->het.at.n; i++) {
        Pb__JobSpec *other = &s->het.at.at[i]->o.spec;
        if (!s->het.at.at[i]->o.name_set)
            other->name = spec->name;
        other->kind = spec->kind, other->argv = spec->argv, other->n_argv = spec->n_argv;
    }
    int rc = request_fill(&s->req, &s->o, CMD_SALLOC, client_site(s->client), s->argc, s->argv, &err);
    if (!rc && s->het.at.n)
        rc = het_fill(&s->het, &s->req, CMD_SALLOC, client_site(s->client), s->argc, s->argv, &err);
    if (rc)
        return bad_options(&err, rc, false);
    s->req.msg.want_start = 1;
    if (!s->o.zero_nodes)
        return 0;
    err.code = ESLURM_INVALID_NODE_COUNT;
    request_failed(REFUSED, &err);
    return say_exit(1);
}

/* ---- the command ---- */

static void in_the_child(void *arg)
{
    struct salloc *s = arg;
    if (s->alloc.het.n)
        env_alloc_het(&s->req.env, &s->alloc, client_site(s->client)->cluster);
    else
        env_alloc_set(&s->req.env, s->alloc.job, client_site(s->client)->cluster);
    if (s->o.spec.workdir && chdir(s->o.spec.workdir)) {
        say_error("_fork_command: Unable to chdir to %s: %m", s->o.spec.workdir);
        _exit(1);
    }
}

/* Hear of the job's end, however far it is. */
static void ask_for_end(struct salloc *s)
{
    Pb__WaitRequest w = PB__WAIT_REQUEST__INIT;
    w.n_job_id = 1;
    w.job_id = &s->alloc.job_id;
    s->deaf = client_post(s->client, MSG_WAIT, &w.base, NULL) != 0;
}

static void salloc_revoked(struct salloc *s, bool time_is_up)
{
    s->gone = true;
    if (!s->o.quiet && time_is_up)
        say_info("Job %u has exceeded its time limit and its allocation has been revoked.", s->alloc.job_id);
    else if (!s->o.quiet)
        say_info("Job allocation %u has been revoked.", s->alloc.job_id);
    command_hang_up(&s->command_run);
    if (s->o.kill_command)
        command_signal(&s->command_run, s->o.kill_command);
}

struct seen {
    bool runs, time_is_up;
};

static bool is_timeout(const Pb__Job *j)
{
    return (j->state & JOB_STATE_BASE) == JOB_TIMEOUT;
}

static int see_job(void *arg, const ProtobufCMessage *m)
{
    const Pb__JobList *list = (const Pb__JobList *)m;
    struct seen *seen = arg;
    for (size_t i = 0; i < list->n_jobs; i++) {
        seen->runs |= !list->jobs[i]->end_s;
        seen->time_is_up |= is_timeout(list->jobs[i]);
    }
    return 0;
}

/* The controller went away: ask the new leader for the job's state, and to report its end. */
static void listen_again(struct salloc *s)
{
    struct seen seen = { 0 };
    Pb__JobQuery q = PB__JOB_QUERY__INIT;
    q.n_job = 1;
    q.job = &s->alloc.job_id;
    client_patience(s->client, LISTEN_S);
    int rc = client_stream(s->client, MSG_JOBS, &q.base, MSG_JOBS_REPLY, see_job, &seen, NULL);
    client_patience(s->client, RELEASE_S);
    if (rc && rc != ESLURM_INVALID_JOB_ID)
        return;
    if (seen.runs)
        ask_for_end(s);
    else
        salloc_revoked(s, seen.time_is_up);
}

static void hear_of_end(struct salloc *s)
{
    ProtobufCMessage *m = NULL;
    int rc = client_more(s->client, MSG_WAIT_REPLY, &m, 0, NULL);
    const Pb__WaitReply *told = rc ? NULL : (const Pb__WaitReply *)m;
    bool time_is_up = told && told->n_jobs && is_timeout(told->jobs[0]);
    client_free(m);
    if (rc == ETIMEDOUT || rc == EINTR)
        return;
    if (rc == ECONNRESET)
        s->deaf = true;
    else
        salloc_revoked(s, time_is_up);
}

/* A hangup is the command's end, too; other signals end the allocation, and the command may go on without. */
static void take_signals(struct salloc *s)
{
    for (int signo; (signo = allocation_next_signal(s->alloc.sig_fd)) != 0;) {
        if (signo == SIGHUP) {
            s->hung_up = true;
            command_signal(&s->command_run, SIGHUP);
            command_signal(&s->command_run, SIGCONT);
        } else if (signo != SIGCONT && signo != SIGWINCH && signo != SIGALRM && !s->gone) {
            allocation_release(s->client, s->alloc.job_id, 0);
            ask_for_end(s);
        }
    }
}

static void wait_command(struct salloc *s)
{
    ask_for_end(s);
    while (!command_ended(&s->command_run)) {
        struct pollfd p[] = { { s->command_run.child_fd, POLLIN, 0 },
                              { s->alloc.sig_fd, POLLIN, 0 },
                              { s->gone || s->deaf ? -1 : client_fd(s->client), POLLIN, 0 } };
        poll(p, ARRAY_LEN(p), s->gone ? -1 : s->deaf ? LISTEN_MS : client_wait_ms(s->client));
        if (p[1].revents)
            take_signals(s);
        if (!s->gone && !s->deaf)
            hear_of_end(s);
        else if (!s->gone)
            listen_again(s);
    }
}

/* Signals that a user sends to end a shell are no failure. */
static int code_of(const struct salloc *s, int status)
{
    if (s->hung_up || !WIFSIGNALED(status))
        return s->hung_up ? 1 : WEXITSTATUS(status);
    int signo = WTERMSIG(status);
    return signo == SIGHUP || signo == SIGINT || signo == SIGQUIT || signo == SIGKILL ? 0 : 1;
}

static int run_command(struct salloc *s)
{
    char **argv;
    size_t n;
    choose_command(s, &argv, &n);
    command_init(&s->command_run);
    int rc = command_start(&s->command_run, argv, in_the_child, s);
    if (rc) {
        errno = rc;
        say_error("fork: %m");
        return say_exit(1);
    }
    wait_command(s);
    command_clear(&s->command_run);
    return code_of(s, s->command_run.status);
}

static void ring_bell(const struct salloc *s)
{
    bool long_wait = s->alloc.waited_s >= BELL_S;
    if (s->o.bell == 2 || (!s->o.bell && !long_wait) || !isatty(STDOUT_FILENO))
        return;
    putchar('\a');
    fflush(stdout);
}

static int salloc_run(struct salloc *s)
{
    int rc = read_options(s);
    if (rc)
        return rc;
    if (job_opts_told(&s->o, CMD_SALLOC))
        return 0;
    rc = salloc_prepare(s);
    if (!rc)
        rc = allocation_get(&s->alloc, s->client, &s->req, s->o.quiet, REFUSED, "Pending job allocation");
    if (rc)
        return rc;
    if (!s->o.quiet)
        say_info("Granted job allocation %u", s->alloc.job_id);
    if (!s->o.quiet && s->alloc.job)
        say_info("Nodes %s are ready for job", s->alloc.job->nodes);
    for (size_t i = 0; !s->o.quiet && i < s->alloc.het.n; i++)
        say_info("Nodes %s are ready for job", s->alloc.het.at[i]->job->nodes);
    ring_bell(s);
    if (s->o.no_shell)
        return 0;
    rc = run_command(s);
    if (s->gone)
        return rc;
    if (!s->o.quiet)
        say_info("Relinquishing job allocation %u", s->alloc.job_id);
    allocation_release(s->client, s->alloc.job_id, s->command_run.status);
    return rc;
}

int cli_salloc(int argc, char **argv)
{
    struct salloc s = { .argc = argc, .argv = argv };
    job_opts_init(&s.o);
    request_init(&s.req);
    int rc = salloc_run(&s);
    allocation_clear(&s.alloc);
    het_clear(&s.het);
    client_close(s.client);
    request_clear(&s.req);
    free(s.script);
    job_opts_clear(&s.o);
    return rc;
}
