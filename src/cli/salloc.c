/*
 * salloc - get nodes, run a shell or a command beside them, give them back.
 */
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/wait.h>

#include "base/errnum.h"
#include "base/str.h"
#include "cli/grant.h"
#include "cli/cli.h"
#include "cli/env_alloc.h"
#include "cli/say.h"

#define REFUSED "Job submit/allocate failed"

static const struct opt_set *const set = &job_opts_sets[CMD_SALLOC];

struct salloc {
    struct job_opts o;
    struct request req;
    struct client *client;
    struct grant alloc;
    int argc, command;
    char **argv;
    char *shell[3];              /* the command, when none was given */
};

static int bad_options(const struct err *err, int rc, bool fatal)
{
    if (err->text[0])
        (fatal ? say_fatal : say_error)("%s", err->text);
    return say_exit(rc);
}

static int read_options(struct salloc *s)
{
    struct err err = ERR_INIT;
    bool fatal = false;
    int rc = opt_env(set, &s->o, &err);
    if (!rc)
        rc = opt_argv(set, s->argc, s->argv, &s->command, &s->o, &err);
    if (!rc)
        rc = job_opts_check(&s->o, &fatal, &err);
    return rc ? bad_options(&err, rc, fatal) : 0;
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
    s->shell[0] = (char *)str_or(shell, pw && *pw->pw_shell ? pw->pw_shell : "/bin/sh");
    *argv = s->shell;
    *n = 1;
}

static int prepare(struct salloc *s)
{
    struct err err = ERR_INIT;
    Pb__JobSpec *spec = &s->o.spec;
    if (!s->o.name_set && s->command < s->argc) {
        const char *slash = strrchr(s->argv[s->command], '/');
        spec->name = slash ? (char *)slash + 1 : s->argv[s->command];
    } else if (!s->o.name_set) {
        spec->name = "interactive";
    }
    spec->kind = PB__JOB_KIND__KIND_SALLOC;
    choose_command(s, &spec->argv, &spec->n_argv);
    if (client_open(&s->client, &err)) {
        say_fatal("%s", err.text);
        return say_exit(1);
    }
    int rc = request_fill(&s->req, &s->o, CMD_SALLOC, client_site(s->client), s->argc, s->argv, &err);
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

static void child(struct salloc *s, char **argv)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    env_alloc_set(&s->req.env, s->alloc.job, client_site(s->client)->cluster);
    execvp(argv[0], argv);
    say_error("_fork_command: Unable to find command \"%s\"", argv[0]);
    _exit(1);
}

/* The terminal's ^C is the command's affair; TERM, HUP and QUIT are passed on, and the allocation ends with it. */
static int wait_child(struct salloc *s, pid_t pid)
{
    int status = 0;
    auto_close int pidfd = pidfd_open(pid, 0);
    for (;;) {
        struct pollfd p[2] = { { pidfd, POLLIN, 0 }, { s->alloc.sig_fd, POLLIN, 0 } };
        poll(p, 2, -1);
        for (int signo; p[1].revents && (signo = grant_next_signal(s->alloc.sig_fd)) != 0;)
            if (signo != SIGINT)
                kill(pid, signo);
        if (waitpid(pid, &status, pidfd < 0 ? 0 : WNOHANG) == pid)
            return status;
    }
}

static int run_command(struct salloc *s, int *status)
{
    char **argv;
    size_t n;
    choose_command(s, &argv, &n);
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0) {
        say_error("fork: %m");
        return say_exit(1);
    }
    if (pid == 0)
        child(s, argv);
    *status = wait_child(s, pid);
    return WIFSIGNALED(*status) ? 128 + WTERMSIG(*status) : WEXITSTATUS(*status);
}

static int run(struct salloc *s)
{
    int status = 0, rc = read_options(s);
    if (rc)
        return rc;
    if (job_opts_told(&s->o, CMD_SALLOC))
        return 0;
    rc = prepare(s);
    if (!rc)
        rc = grant_get(&s->alloc, s->client, &s->req, s->o.quiet, REFUSED, "Pending job allocation");
    if (rc)
        return rc;
    if (!s->o.quiet)
        say_info("Granted job allocation %u", s->alloc.job_id);
    if (!s->o.quiet && s->alloc.job)
        say_info("Nodes %s are ready for job", s->alloc.job->nodes);
    if (s->o.no_shell)
        return 0;
    rc = run_command(s, &status);
    if (!s->o.quiet)
        say_info("Relinquishing job allocation %u", s->alloc.job_id);
    grant_release(s->client, s->alloc.job_id, status);
    return rc;
}

int cli_salloc(int argc, char **argv)
{
    struct salloc s = { .argc = argc, .argv = argv };
    job_opts_init(&s.o);
    request_init(&s.req);
    int rc = run(&s);
    grant_clear(&s.alloc);
    client_close(s.client);
    request_clear(&s.req);
    job_opts_clear(&s.o);
    return rc;
}
