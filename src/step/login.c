/* login - the environment of the user's login shell; see login.h. */
#include "step/login.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "step/cgroup.h"
#include "step/tmpfs.h"
#include "step/user.h"
#include "step/watch.h"

#define OUTPUT_MAX ((size_t)4 << 20)
#define MARK "--- the environment begins here ---" /* profiles may print anything before it */
#define PATH_LOGIN "/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games"

static const char *shell_of(const struct step *s)
{
    return str_or(s->node.shell, "/bin/sh");
}

static void set_known(struct step *s)
{
    env_set(&s->env, "HOME", str_or(s->node.home, "/"));
    env_set(&s->env, "USER", s->order->user_name);
    env_set(&s->env, "LOGNAME", s->order->user_name);
    env_set(&s->env, "SHELL", shell_of(s));
    env_set(&s->env, "PATH", PATH_LOGIN);
}

static _Noreturn void child(struct step *s, int out)
{
    static const char command[] = "echo; echo '" MARK "'; exec /usr/bin/env -0";
    auto_free char *name = mem_printf("-%s", strrchr(shell_of(s), '/') ? strrchr(shell_of(s), '/') + 1 : shell_of(s));
    char *argv[] = { name, (char *)"-c", (char *)command, NULL };
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(null, 0);
    dup2(out, 1);
    dup2(null, 2);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    cgroup_enter(s);
    if (tmpfs_enter(s) || user_become(s) || chdir(str_or(s->node.home, "/")))
        _exit(127);
    execve(shell_of(s), argv, env_vector(&s->env));
    _exit(127);
}

struct login {
    struct buf text;
    bool ended, whole; /* the shell's output ended; all of it was read */
};

static void login_readable(struct step *s, int fd, short revents, void *arg)
{
    struct login *l = arg;
    (void)revents;
    ssize_t n = read(fd, buf_room(&l->text, 65536), 65536);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n > 0 && l->text.len + (size_t)n <= OUTPUT_MAX) {
        l->text.len += (size_t)n;
        l->text.s[l->text.len] = '\0';
        return;
    }
    l->ended = true;
    l->whole = n == 0;
    watch_drop(s, fd);
}

/* Read the shell's output in the step's loop, with a time limit: what the user's profile does may never end. */
static bool collect(struct step *s, int fd, struct login *l)
{
    int64_t until = clock_mono_ms() + LOGIN_TIMEOUT_MS;
    watch_fd(s, fd, POLLIN, login_readable, l);
    while (!l->ended && !s->terminating && clock_mono_ms() < until)
        step_wait(s, until);
    watch_drop(s, fd);
    return l->whole;
}

static bool take_output(struct step *s, struct buf *text)
{
    char *at = text->len ? memmem(text->s, text->len, MARK "\n", sizeof(MARK)) : NULL;
    if (!at)
        return false;
    at += sizeof(MARK);
    env_clear(&s->env);
    env_load(&s->env, at, text->len - (size_t)(at - text->s));
    return true;
}

void login_environment(struct step *s)
{
    int fd[2];
    set_known(s);
    if (pipe2(fd, O_CLOEXEC | O_NONBLOCK))
        return;
    fcntl(fd[1], F_SETFL, 0); /* the shell's end blocks, as its programs expect */
    pid_t pid = fork();
    if (pid == 0)
        child(s, fd[1]);
    close(fd[1]);
    auto_close int in = fd[0];
    struct login l = { .text = BUF_INIT };
    bool ok = pid > 0 && collect(s, in, &l);
    if (pid > 0)
        kill(pid, SIGKILL); /* it is reaped with the tasks */
    ok = ok && take_output(s, &l.text);
    buf_clear(&l.text);
    if (!ok)
        step_say(s, "the login shell %s of user %s gave no environment", shell_of(s), s->order->user_name);
}
