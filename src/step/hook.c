/* hook - a node's Prolog and Epilog; see hook.h. */
#include "step/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "step/reaper.h"
#include "step/user.h"
#include "step/watch.h"

static int run_one(const char *path, char **env)
{
    char *argv[] = { (char *)path, NULL };
    int status = 0;
    pid_t pid = vfork();
    if (pid == 0) {
        execve(path, argv, env);
        _exit(127);
    }
    if (pid < 0)
        return 127 << 8;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

/* The only process of the step: it runs the scripts and exits with the status of the first that failed. */
static _Noreturn void run_all(const struct step *s, char **env)
{
    user_quiet_child();
    signal(SIGCHLD, SIG_DFL);
    if (chdir("/"))
        _exit(126);
    int status = 0;
    const char *paths = (const char *)s->order->script.data;
    for (size_t at = 0; at < s->order->script.len && !status; at += strlen(paths + at) + 1)
        status = run_one(paths + at, env);
    if (WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    _exit(WEXITSTATUS(status));
}

static void too_long(struct step *s, void *arg)
{
    (void)arg;
    snprintf(s->why, sizeof(s->why), "it took longer than %u seconds", s->order->hook_timeout_s);
    reaper_signal_all(SIGKILL);
}

int hook_start(struct step *s, struct err *err)
{
    const ProtobufCBinaryData *paths = &s->order->script;
    if (!paths->len || paths->data[paths->len - 1])
        return err_set(err, EBADMSG, "the order names no script");
    env_load(&s->env, s->order->env.data, s->order->env.len);
    char **env = env_vector(&s->env);
    pid_t pid = fork();
    if (pid == 0)
        run_all(s, env);
    if (pid < 0)
        return err_set(err, errno, "cannot start a process: %m");
    s->task[0].pid = pid;
    s->task[0].running = true;
    s->nrunning = 1;
    if (s->order->hook_timeout_s)
        watch_at(s, clock_mono_ms() + (int64_t)s->order->hook_timeout_s * 1000, too_long, NULL);
    return 0;
}
