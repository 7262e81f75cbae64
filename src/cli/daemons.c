/* daemons - start the programs of an instance, and stop them: no process of another instance is touched. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/buf.h"
#include "base/str.h"
#include "cli/instance.h"
#include "wire/step_env.h"

#define LOG_TAIL 65536
#define NAP_MS 20

/* ---- starting ---- */

/* Beside us in a build tree, or where `meson install` puts them. */
static char *find_program(const char *name, const char *room)
{
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    self[MAX(n, 0)] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    char *places[] = { mem_printf("%s/%s", self, name), mem_printf("%s/../%s/%s", self, room, name),
                       mem_printf("%s/../sbin/%s", self, name) };
    char *found = NULL;
    for (size_t i = 0; i < ARRAY_LEN(places); i++) {
        if (!found && !access(places[i], X_OK))
            found = take(places[i]);
        free(places[i]);
    }
    return found;
}

/* In the child: a session of its own, no descriptors of ours, its words into its log. */
static _Noreturn void daemon_exec(const char *program, char *const argv[], int log, const char *dir)
{
    setsid();
    int null = open("/dev/null", O_RDONLY);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    umask(022);
    if (null < 0 || dup2(null, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0 || chdir(dir))
        _exit(126);
    close_range(3, ~0u, 0);
    execv(program, argv);
    dprintf(2, "cannot start %s: %m\n", program);
    _exit(127);
}

static int write_pid(const struct instance *in, const struct daemon *d, struct err *err)
{
    auto_free char *path = instance_path(in, "run/%s.pid", d->name);
    auto_free char *text = mem_printf("%d %llu\n", (int)d->proc.pid, (unsigned long long)d->proc.start);
    return instance_write(path, text, strlen(text), 0644, err);
}

static int daemon_spawn(const struct instance *in, struct daemon *d, char *const argv[], struct err *err)
{
    auto_free char *log_path = instance_path(in, "log/%s.log", d->name);
    auto_close int log = open(log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0640);
    if (log < 0)
        return err_set(err, errno, "cannot open %s: %m", log_path);
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0)
        return err_set(err, errno, "cannot start %s: %m", d->name);
    if (pid == 0)
        daemon_exec(argv[0], argv, log, in->dir);
    d->child = true;
    d->proc.pid = pid;
    if (!proc_get(pid, &d->proc))
        return 0; /* it died at once: the caller finds out why */
    return write_pid(in, d, err);
}

int daemon_start(const struct instance *in, struct daemon *d, struct err *err)
{
    const char *name = d->ctl_id ? "spurctld" : "spurd";
    auto_free char *program = find_program(name, d->ctl_id ? "ctl" : "node");
    if (!program)
        return err_set(err, ENOENT, "cannot find %s beside this program", name);
    auto_free char *id = mem_printf("%u", d->ctl_id);
    char *controller[] = { program, (char *)"-D", (char *)"-f", in->conf, (char *)"--id", id, NULL };
    char *agent[] = { program, (char *)"-D", (char *)"-f", in->conf, d->emulated ? (char *)"--emulate" : (char *)"-N",
                      d->node, NULL };
    return daemon_spawn(in, d, d->ctl_id ? controller : agent, err);
}

bool daemon_ended(struct daemon *d, char *how, size_t room)
{
    int status;
    if (!d->child || waitpid(d->proc.pid, &status, WNOHANG) != d->proc.pid)
        return false;
    if (WIFSIGNALED(status))
        snprintf(how, room, "was killed by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(how, room, "ended with exit code %d", WEXITSTATUS(status));
    d->child = false;
    d->proc.pid = 0;
    return true;
}

/* ---- its log ---- */

static const char *last_lines(const char *text, size_t len, size_t lines)
{
    const char *p = text + len;
    while (p > text && p[-1] == '\n')
        p--;
    while (p > text) {
        if (p[-1] == '\n' && !--lines)
            break;
        p--;
    }
    return p;
}

void daemon_show_log(const struct instance *in, const struct daemon *d, size_t lines)
{
    auto_free char *path = instance_path(in, "log/%s.log", d->name);
    auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
    auto_free char *text = mem_alloc(LOG_TAIL + 1);
    off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
    ssize_t n = size > 0 ? pread(fd, text, LOG_TAIL, MAX(size - LOG_TAIL, (off_t)0)) : 0;
    fprintf(stderr, "the end of %s:\n", path);
    const char *pos = last_lines(text, (size_t)MAX(n, 0), lines);
    for (char *line; (line = str_next(&pos, "\n")); free(line))
        fprintf(stderr, "    %s\n", line);
}

/* ---- stopping ---- */

static bool daemon_gone(const struct daemon *d)
{
    if (d->child)
        waitpid(d->proc.pid, NULL, WNOHANG);
    return !d->proc.pid || !proc_same(&d->proc);
}

static size_t signal_all(const struct instance *in, int signo)
{
    size_t n = 0;
    for (size_t i = 0; i < in->daemons.n; i++) {
        const struct daemon *d = &in->daemons.at[i];
        if (daemon_gone(d))
            continue;
        n++;
        if (signo)
            kill(d->proc.pid, signo);
    }
    return n;
}

static void wait_all(const struct instance *in, unsigned patience_s)
{
    for (unsigned ms = 0; ms < patience_s * 1000 && signal_all(in, 0); ms += NAP_MS)
        poll(NULL, 0, NAP_MS);
}

void daemons_stop(struct instance *in, unsigned patience_s)
{
    if (signal_all(in, SIGTERM))
        wait_all(in, patience_s);
    if (signal_all(in, SIGKILL))
        wait_all(in, 5);
    for (size_t i = 0; i < in->daemons.n; i++) {
        struct daemon *d = &in->daemons.at[i];
        auto_free char *pid = instance_path(in, "run/%s.pid", d->name);
        auto_free char *own = d->node ? instance_path(in, "run/slurmd.%s.pid", d->node)
                                      : instance_path(in, "run/slurmctld.pid");
        auto_free char *sock = instance_path(in, d->node ? "run/spurd-%s.sock" : "run/%s.sock",
                                             d->node ? d->node : d->name);
        unlink(pid);
        unlink(own);
        unlink(sock);
        d->proc.pid = 0;
    }
}

/* ---- supervisors ---- */

static void find_supervisors(const struct instance *in, const struct procs *all, struct procs *out)
{
    auto_free char *word = mem_printf("%s=%s/spool/", SPAWNER_SPOOL, in->dir);
    for (size_t i = 0; i < all->list.n; i++)
        if (proc_has_env(all->list.at[i].pid, word))
            vec_push(&out->list, all->list.at[i]);
}

/* Signal what runs below the supervisors; returns how many supervisors live. */
static size_t signal_below(const struct instance *in, int signo)
{
    struct procs all = { 0 }, sup = { 0 };
    procs_read(&all);
    find_supervisors(in, &all, &sup);
    for (size_t i = 0; i < all.list.n && signo; i++)
        for (size_t k = 0; k < sup.list.n; k++)
            if (procs_descends(&all, &all.list.at[i], sup.list.at[k].pid)) {
                kill(all.list.at[i].pid, SIGCONT);
                kill(all.list.at[i].pid, signo);
                break;
            }
    size_t n = sup.list.n;
    procs_clear(&all);
    procs_clear(&sup);
    return n;
}

static void kill_supervisors(const struct instance *in)
{
    struct procs all = { 0 }, sup = { 0 };
    procs_read(&all);
    find_supervisors(in, &all, &sup);
    for (size_t i = 0; i < sup.list.n; i++)
        if (proc_same(&sup.list.at[i]))
            kill(sup.list.at[i].pid, SIGKILL);
    procs_clear(&all);
    procs_clear(&sup);
}

size_t supervisors_stop(const struct instance *in, unsigned patience_s)
{
    poll(NULL, 0, NAP_MS); /* the spawners of supervisors end with their agents */
    size_t found = signal_below(in, SIGTERM), left = found;
    for (unsigned ms = 0; left && ms < patience_s * 1000; ms += 5 * NAP_MS) {
        poll(NULL, 0, 5 * NAP_MS);
        left = signal_below(in, 0);
    }
    for (int i = 0; left && i < 20; i++) { /* what forks faster than we look is met again */
        left = signal_below(in, SIGKILL);
        poll(NULL, 0, 5 * NAP_MS);
    }
    if (left)
        kill_supervisors(in);
    return found;
}
