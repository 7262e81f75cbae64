/* taskhook - the user's and the site's programs around each task; see taskhook.h. */
#include "step/taskhook.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "step/cgroup.h"
#include "step/spawner.h"
#include "step/tmpfs.h"
#include "step/user.h"

#define OUTPUT_MAX (1u << 20) /* limit of a prolog's output */

static const char *own(const struct step *s, bool before)
{
    const Pb__StepSpec *step = s->order->step;
    return !step || s->batch ? NULL : before ? step->task_prolog : step->task_epilog;
}

bool taskhook_before_wanted(const struct step *s)
{
    return !str_empty(getenv(SPAWNER_TASK_PROLOG)) || !str_empty(own(s, true));
}

/* ---- before ---- */

void taskhook_line(struct env *env, const char *line, struct buf *print)
{
    line += strspn(line, " \t");
    const char *word = line + strcspn(line, " \t"), *rest = word + strspn(word, " \t");
    size_t n = (size_t)(word - line);
    if (n == 6 && !strncmp(line, "export", n)) {
        const char *eq = strchr(rest, '=');
        if (!eq || eq == rest)
            return;
        auto_free char *name = mem_printf("%.*s", (int)(eq - rest), rest);
        env_set(env, name, eq + 1);
    } else if (n == 5 && !strncmp(line, "unset", n)) {
        auto_free char *name = mem_printf("%.*s", (int)strcspn(rest, " \t"), rest);
        env_unset(env, name);
    } else if (n == 5 && !strncmp(line, "print", n)) {
        buf_addf(print, "%s\n", *word ? word + 1 : "");
    }
}

static void obey(struct step *s, char *text)
{
    auto_buf struct buf print = BUF_INIT;
    char *save = NULL;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        taskhook_line(&s->env, line, &print);
    if (print.len && write(1, print.s, print.len) < 0)
        return; /* a closed stdout is no error: the task could not write to it either */
}

static void read_all(int fd, struct buf *out)
{
    for (ssize_t n; out->len < OUTPUT_MAX;) {
        n = read(fd, buf_room(out, 4096), 4095);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        out->len += (size_t)n;
    }
    buf_addc(out, '\0');
}

static int run(struct step *s, const char *path)
{
    int fd[2], status = 0;
    char *argv[] = { (char *)path, NULL };
    if (pipe2(fd, O_CLOEXEC))
        return 1;
    pid_t pid = fork();
    if (pid == 0) {
        dup2(fd[1], 1);
        execve(path, argv, env_vector(&s->env));
        _exit(127);
    }
    close(fd[1]);
    auto_buf struct buf text = BUF_INIT;
    if (pid > 0)
        read_all(fd[0], &text);
    close(fd[0]);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (pid < 0 || status)
        return pid < 0 ? 1 : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    obey(s, text.s);
    return 0;
}

int taskhook_before(struct step *s)
{
    const struct {
        const char *path, *name, *kind;
    } all[] = { { getenv(SPAWNER_TASK_PROLOG), "TaskProlog", "slurm task_prolog" },
                { own(s, true), "--task-prolog", "user task_prolog" } };
    int rc = 0;
    env_set(&s->env, "SLURM_SCRIPT_CONTEXT", "prolog_task");
    for (size_t i = 0; i < ARRAY_LEN(all) && !rc; i++) {
        if (str_empty(all[i].path))
            continue;
        bool there = !access(all[i].path, X_OK);
        if (!there) {
            step_say(s, "run_command: %s can not be executed (%s) %s", all[i].kind, all[i].path, strerror(errno));
            step_say(s, "%s did not exit normally. reason: Run command failed - configuration error", all[i].kind);
        }
        rc = there ? run(s, all[i].path) : 1;
        if (rc)
            step_say(s, "%s failed status=%d", all[i].name, rc);
    }
    env_unset(&s->env, "SLURM_SCRIPT_CONTEXT");
    return rc;
}

/* ---- after ---- */

static _Noreturn void run_epilogs(struct step *s, const struct task *t, const char *const *path)
{
    user_quiet_child();
    cgroup_enter(s);
    if (tmpfs_enter(s) || user_become(s))
        _exit(1);
    env_task(&s->env, s->order, &s->node, (uint32_t)(t - s->task), t->pid);
    env_set(&s->env, "SLURM_SCRIPT_CONTEXT", "epilog_task");
    for (size_t i = 0; i < 2; i++) {
        char *argv[] = { (char *)path[i], NULL };
        pid_t pid = str_empty(path[i]) ? -1 : vfork();
        if (pid == 0) {
            execve(path[i], argv, env_vector(&s->env));
            _exit(127);
        }
        while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    _exit(0);
}

pid_t taskhook_after(struct step *s, const struct task *t)
{
    const char *const path[] = { own(s, false), getenv(SPAWNER_TASK_EPILOG) };
    if (str_empty(path[0]) && str_empty(path[1]))
        return 0;
    pid_t pid = fork();
    if (pid == 0)
        run_epilogs(s, t, path);
    return MAX(pid, 0);
}
