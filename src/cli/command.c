/* command - a child with the terminal; see command.h. */
#include "cli/command.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/say.h"

static struct termios saved;

void command_init(struct command *c)
{
    sigset_t set;
    *c = (struct command){ .child_fd = -1 };
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    c->child_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    c->interactive = isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp() && !tcgetattr(STDIN_FILENO, &saved);
}

/* A process group in the background may change the foreground group only while it ignores SIGTTOU. */
static void give_terminal(const struct command *c, pid_t group)
{
    if (!c->interactive)
        return;
    void (*old)(int) = signal(SIGTTOU, SIG_IGN);
    tcsetpgrp(STDIN_FILENO, group);
    signal(SIGTTOU, old);
}

static _Noreturn void command_child(const struct command *c, char **argv, void (*before)(void *arg), void *arg)
{
    sigset_t none;
    setpgid(0, 0);
    give_terminal(c, getpid());
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    before(arg);
    execvp(argv[0], argv);
    say_error("_fork_command: Unable to find command \"%s\"", argv[0]);
    _exit(1);
}

int command_start(struct command *c, char **argv, void (*before)(void *arg), void *arg)
{
    fflush(NULL);
    c->pid = fork();
    if (c->pid < 0)
        return errno;
    if (c->pid == 0)
        command_child(c, argv, before, arg);
    setpgid(c->pid, c->pid); /* parent and child both call it: either may run first */
    give_terminal(c, c->pid);
    return 0;
}

static void stop_with_it(const struct command *c)
{
    if (!c->interactive)
        return;
    give_terminal(c, getpgrp());
    kill(0, SIGSTOP);
    give_terminal(c, c->pid);
    kill(-c->pid, SIGCONT);
}

bool command_ended(struct command *c)
{
    struct signalfd_siginfo info;
    int status;
    while (read(c->child_fd, &info, sizeof(info)) == sizeof(info))
        continue;
    while (c->pid > 0 && waitpid(c->pid, &status, WNOHANG | WUNTRACED) == c->pid) {
        if (WIFSTOPPED(status)) {
            stop_with_it(c);
            continue;
        }
        c->status = status;
        c->pid = 0;
    }
    return c->pid <= 0;
}

void command_signal(const struct command *c, int signo)
{
    if (c->pid > 0)
        kill(-c->pid, signo);
}

void command_hang_up(const struct command *c)
{
    pid_t front = c->interactive ? tcgetpgrp(STDIN_FILENO) : -1;
    if (front > 0 && front != c->pid && front != getpgrp())
        kill(-front, SIGHUP);
}

void command_clear(struct command *c)
{
    give_terminal(c, getpgrp());
    if (c->interactive)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &saved);
    if (c->child_fd >= 0)
        close(take_fd(c->child_fd));
}
