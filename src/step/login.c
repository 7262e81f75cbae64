/* login - the environment of the user's login shell; see login.h. */
#include "step/login.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "step/cgroup.h"
#include "step/tmpfs.h"
#include "step/user.h"

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

/* Read the shell's output, with a time limit. */
static bool collect(int fd, struct buf *text)
{
    int64_t until = clock_mono_ms() + LOGIN_TIMEOUT_MS;
    for (;;) {
        struct pollfd p = { fd, POLLIN, 0 };
        int64_t left = until - clock_mono_ms();
        if (left <= 0 || text->len > OUTPUT_MAX || poll(&p, 1, (int)left) <= 0)
            return false;
        ssize_t n = read(fd, buf_room(text, 65536), 65536);
        if (n < 0)
            return false;
        if (!n)
            return true;
        text->len += (size_t)n;
        text->s[text->len] = '\0';
    }
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
    if (pipe2(fd, O_CLOEXEC))
        return;
    pid_t pid = fork();
    if (pid == 0)
        child(s, fd[1]);
    close(fd[1]);
    auto_close int in = fd[0];
    auto_buf struct buf text = BUF_INIT;
    bool ok = pid > 0 && collect(in, &text);
    if (pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    if (!ok || !take_output(s, &text))
        step_say(s, "the login shell %s of user %s gave no environment", shell_of(s), s->order->user_name);
}
