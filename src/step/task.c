/* task - the step's processes; see task.h. */
#include "step/task.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/errnum.h"
#include "base/mem.h"
#include "base/str.h"
#include "step/cgroup.h"
#include "step/bind.h"
#include "step/files.h"
#include "step/io.h"
#include "step/login.h"
#include "step/pmi.h"
#include "step/oom.h"
#include "step/pty.h"
#include "step/reaper.h"
#include "step/rlimits.h"
#include "step/taskhook.h"
#include "step/tmpfs.h"
#include "step/usage.h"
#include "step/user.h"
#include "step/vforked.h"
#include "text/multi_prog.h"
#include "text/signal.h"
#include "text/strs.h"

#define PIPE_BYTES (256 << 10)
#define EXIT_NO_FILES 53 /* the "signal" of a job whose files cannot be opened, in Slurm's records */

/* ---- before any process ---- */

/* The script of an earlier job can be overwritten if it belongs to the same user and has no other link. */
static int open_old_script(const struct step *s)
{
    auto_close int fd = openat(s->job_fd, SPOOL_SCRIPT, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;
    if (fd < 0)
        return -1;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != s->order->uid || st.st_gid != s->order->gid ||
        st.st_nlink != 1 || ftruncate(fd, 0) || fchmod(fd, 0700)) {
        unlinkat(s->job_fd, SPOOL_SCRIPT, 0);
        return -1;
    }
    return take_fd(fd);
}

/* Write the script to the spool: the folder belongs to the agent, so no user can put a link in its place. */
static int write_script(struct step *s, struct err *err)
{
    const ProtobufCBinaryData *text = &s->order->script;
    auto_close int fd = open_old_script(s);
    if (fd < 0)
        fd = openat(s->job_fd, SPOOL_SCRIPT, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0700);
    if (fd < 0)
        return err_set(err, errno, "cannot make the batch script in the spool: %m");
    if (write(fd, text->data, text->len) != (ssize_t)text->len)
        return err_set(err, errno ? errno : ENOSPC, "cannot write the batch script into the spool: %m");
    if (geteuid() == 0 && s->order->uid && fchown(fd, s->order->uid, s->order->gid))
        return err_set(err, errno, "cannot give the batch script to user %u: %m", s->order->uid);
    return 0;
}

static const char *workdir_of(const struct step *s)
{
    const Pb__StepSpec *step = s->order->step;
    return s->batch || str_empty(step->workdir) ? s->order->spec->workdir : step->workdir;
}

/* Open folder and files with the user's rights.  All tasks' files come first: a step runs whole or not at all. */
static int open_files(struct step *s, struct files *files, struct buf *note, struct err *err)
{
    const Pb__StepSpec *step = s->order->step;
    const char *dir = workdir_of(s);
    uint32_t mask = !s->batch && step->umask ? step->umask : s->order->spec->umask;
    int rc = user_enter(s, err);
    if (rc)
        return rc;
    umask(mask ? mask & 0777 : 022);
    files_enter_workdir(str_or(dir, "/tmp"), note);
    for (uint32_t i = 0; i < s->ntasks && !rc; i++)
        rc = files_open(s, i, &files[i], err);
    user_leave(s);
    if (rc)
        s->report.exit_code = EXIT_NO_FILES;
    return rc;
}

static int make_pipe(int *ours, int *theirs, bool we_read, struct err *err)
{
    int fd[2];
    if (pipe2(fd, O_CLOEXEC))
        return err_set(err, errno, "cannot make a pipe: %m");
    *ours = fd[we_read ? 0 : 1];
    *theirs = fd[we_read ? 1 : 0];
    fcntl(*ours, F_SETFL, O_NONBLOCK);
    fcntl(*ours, F_SETPIPE_SZ, PIPE_BYTES); /* fewer wake-ups for much output; failure is harmless */
    return 0;
}

static bool wants_stdin(const struct step *s, const struct task *t)
{
    int32_t only = s->order->step->stdin_task;
    return s->io && !s->order->step->pty && (only <= 0 || t->rank == (uint32_t)only - 1);
}

/* Streams that are not files are connected to srun, or to /dev/null without srun or when another task has its
 * terminal. */
static int make_streams(struct step *s, struct task *t, struct files *f, struct err *err)
{
    int rc = 0;
    bool heard = s->io && !s->order->step->pty;
    if (s->io && pty_has(s, t))
        rc = pty_open(s, t, f, err);
    else if (heard && f->out < 0 && s->order->step->unbuffered)
        rc = pty_unbuffered(s, t, f, err);
    if (rc)
        return rc;
    if (f->in < 0 && wants_stdin(s, t))
        rc = make_pipe(&t->in, &f->in, false, err);
    else if (f->in < 0)
        f->in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (!rc && f->out < 0 && heard)
        rc = make_pipe(&t->out, &f->out, true, err);
    else if (f->out < 0)
        f->out = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (!rc && f->err < 0 && heard)
        rc = make_pipe(&t->err, &f->err, true, err);
    else if (f->err < 0)
        f->err = open("/dev/null", O_WRONLY | O_CLOEXEC);
    return rc;
}

/* ---- in the child ---- */

static void child_say(void *arg, const char *text)
{
    step_say(arg, "%s", text);
}

/* Find the program in the job's own PATH. */
static char *find_program(const struct step *s, const char *name)
{
    if (strchr(name, '/'))
        return mem_str(name);
    const char *path = env_get(&s->env, "PATH");
    const char *pos = str_or(path, "");
    for (char *dir; (dir = str_next(&pos, ":")); free(dir)) {
        char *full = mem_printf("%s/%s", dir, name);
        struct stat st;
        if (!access(full, X_OK) && !stat(full, &st) && S_ISREG(st.st_mode)) {
            free(dir);
            return full;
        }
        free(full);
    }
    return mem_str(name);
}

/* A missing interpreter ("#!/no/such/interp") fails like a missing program; name the file that is missing. */
static void say_exec_failed(struct step *s, const char *program, int rc)
{
    char line[256];
    auto_close int fd = open(program, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, line, sizeof(line) - 1);
    line[MAX(n, 0)] = '\0';
    line[strcspn(line, "\n")] = '\0';
    if (rc == ENOENT && str_has_prefix(line, "#!")) {
        char *interp = line + 2 + strspn(line + 2, " \t");
        interp[strcspn(interp, " \t")] = '\0';
        step_say(s, "execve(): bad interpreter(%s): %s", interp, strerror(rc));
    } else {
        step_say(s, "execve(): %s: %s", program, strerror(rc));
    }
}

/* --multi-prog: the task's own program, then the common arguments. */
static char **argv_by_file(const struct step *s, uint32_t local)
{
    const Pb__StepSpec *step = s->order->step;
    struct strs argv = STRS_INIT;
    auto_free char *text = mem_strn((const char *)step->multi_prog_text.data, step->multi_prog_text.len);
    if (multi_prog_argv(text, s->task[local].rank, &argv))
        return NULL;
    for (size_t i = 1; i < step->n_argv; i++)
        strs_add(&argv, step->argv[i]);
    argv.at = mem_grow(argv.at, argv.n + 1, sizeof(*argv.at));
    argv.at[argv.n] = NULL;
    return argv.at;
}

static char **argv_of(const struct step *s, uint32_t local)
{
    if (!s->batch && s->order->step->multi_prog)
        return argv_by_file(s, local);
    size_t n = s->batch ? s->order->spec->n_argv : s->order->step->n_argv;
    char **from = s->batch ? s->order->spec->argv : s->order->step->argv;
    char **argv = mem_array(n + 2, sizeof(*argv));
    for (size_t i = 0; i < n; i++)
        argv[i] = from[i];
    if (s->batch)
        argv[0] = s->script;
    return argv;
}

static _Noreturn void child(struct step *s, uint32_t local, const struct files *f)
{
    const Pb__StepSpec *step = s->order->step;
    if (!s->task[local].pty)
        setpgid(0, 0);
    dup2(f->in, 0);
    dup2(f->out, 1);
    dup2(f->err, 2);
    if (s->task[local].pty)
        pty_enter();
    s->log_fd = 2;
    if (s->batch)
        rlimits_apply(s->order->spec->rlimits, s->order->spec->n_rlimits, child_say, s);
    else
        rlimits_apply(step->rlimits, step->n_rlimits, child_say, s);
    int rc = tmpfs_enter(s);
    if (!rc)
        rc = user_become(s);
    if (rc) {
        step_say(s, "cannot become user %u: %s", s->order->uid, strerror(rc));
        _exit(rc);
    }
    if (s->tmpfs_ns >= 0) { /* the path of the working folder may lead elsewhere */
        struct buf note = BUF_INIT;
        files_enter_workdir(str_or(workdir_of(s), "/tmp"), &note);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); /* tasks must not outlive their supervisor */
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    env_task(&s->env, s->order, &s->node, local, getpid());
    step_pmi_child(s, local);
    bind_task(s, local);
    rc = taskhook_before_wanted(s) ? taskhook_before(s) : 0;
    if (rc)
        _exit(rc);
    char **argv = argv_of(s, local);
    if (!argv) {
        step_say(s, "No executable program specified for this task");
        _exit(ENOENT);
    }
    char *program = s->batch ? s->script : find_program(s, argv[0]);
    execve(program, argv, env_vector(&s->env));
    rc = errno;
    say_exec_failed(s, program, rc);
    _exit(rc);
}

/* ---- starting ---- */

struct start {
    struct step *s;
    uint32_t local;
    const struct files *f;
};

static void start_child(void *arg)
{
    const struct start *at = arg;
    child(at->s, at->local, at->f);
}

static int start_one(struct step *s, uint32_t local, const struct files *f, struct err *err)
{
    struct task *t = &s->task[local];
    struct start at = { s, local, f };
    int log_fd = s->log_fd;
    /* The child shares our memory until it execs, and we wait that long: restore what it changes. */
    pid_t pid = cgroup_spawn(s, !taskhook_before_wanted(s), start_child, &at);
    s->log_fd = log_fd;
    vforked();
    if (pid < 0)
        return err_set(err, errno, "cannot start a process: %m");
    t->pid = pid;
    t->running = true;
    s->nrunning++;
    return 0;
}

/* Create the job's TMPDIR if it is missing. */
static void check_tmpdir(struct step *s)
{
    const char *dir = env_get(&s->env, "TMPDIR");
    struct stat st;
    if (!dir || !strcmp(dir, "/tmp") || (!stat(dir, &st) && S_ISDIR(st.st_mode)) || user_enter(s, NULL))
        return;
    int rc = mkdir(dir, 0700) && errno != EEXIST ? errno : 0;
    user_leave(s);
    if (!rc)
        return;
    step_say(s, "Unable to create TMPDIR [%s]: %s", dir, strerror(rc));
    step_say(s, "Setting TMPDIR to /tmp");
    env_set(&s->env, "TMPDIR", "/tmp");
}

static void close_files(const struct step *s, struct files *files, int keep)
{
    for (uint32_t i = 0; i < s->ntasks; i++)
        for (int k = 0; k < 3; k++) {
            int fd = (&files[i].in)[k];
            if (fd >= 0 && fd != keep)
                close(fd);
        }
}

/* -E: these variables are as srun sent them, or unset. */
static void keep_counts(struct step *s)
{
    static const char *const names[] = { "SLURM_NTASKS", "SLURM_NPROCS", "SLURM_JOB_NUM_NODES" };
    const ProtobufCBinaryData *own = &s->order->step->env, *job = &s->order->env, *from = own->len ? own : job;
    auto_env struct env asked = { 0 };
    env_load(&asked, from->data, from->len);
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const char *value = env_get(&asked, names[i]);
        if (value)
            env_set(&s->env, names[i], value);
        else
            env_unset(&s->env, names[i]);
    }
}

static int start_with(struct step *s, struct files *files, const char *note, struct err *err)
{
    int rc = 0;
    for (uint32_t i = 0; i < s->ntasks && !rc; i++)
        rc = make_streams(s, &s->task[i], &files[i], err);
    if (rc)
        return rc;
    s->log_fd = s->io && s->task[0].err >= 0 ? -1 : files[0].err;
    for (int i = 0; i < 2 && !str_empty(note); i++)
        step_say(s, "%s", note); /* twice, as in Slurm, where supervisor and task each print it */
    if (s->order->spec->get_user_env)
        login_environment(s);
    env_step(&s->env, s->order, &s->node);
    if (!s->batch && s->order->step->preserve_env)
        keep_counts(s);
    rc = bind_prepare(s, err);
    if (rc)
        return rc;
    check_tmpdir(s);
    rc = step_pmi_prepare(s, err);
    for (uint32_t i = 0; i < s->ntasks && !rc; i++)
        rc = start_one(s, i, &files[i], err);
    step_pmi_started(s);
    return rc;
}

int task_start_all(struct step *s, struct err *err)
{
    auto_free struct files *files = mem_array(s->ntasks, sizeof(*files));
    auto_buf struct buf note = BUF_INIT;
    for (uint32_t i = 0; i < s->ntasks; i++) {
        s->task[i] = (struct task){ .in = -1, .out = -1, .err = -1, .rank = env_rank(s->order, i) };
        files[i] = (struct files){ -1, -1, -1 };
    }
    int rc = s->batch ? write_script(s, err) : 0;
    if (!rc)
        rc = open_files(s, files, &note, err);
    if (!rc)
        rc = start_with(s, files, note.s, err);
    close_files(s, files, s->log_fd);
    return rc;
}

/* ---- ending ---- */

static void task_ended(struct step *s, struct task *t, int status)
{
    t->running = false;
    t->status = status = s->hook ? status : oom_status(s, status);
    t->epilog = s->hook ? 0 : taskhook_after(s, t);
    if (!t->epilog)
        s->nrunning--;
    s->report.exit_code = status_worst(s->report.exit_code, (uint32_t)status);
    s->report.task_codes[t - s->task] = (uint32_t)status;
    io_exit(s, t);
}

bool task_reap(struct step *s)
{
    struct reaped r;
    int rc;
    for (;;) {
        usage_peek(s, reaper_peek());
        rc = reaper_next(&r, &s->usage);
        if (rc <= 0)
            return rc < 0;
        for (uint32_t i = 0; i < s->ntasks; i++)
            if (s->task[i].epilog == r.pid) {
                s->task[i].epilog = 0;
                s->nrunning--;
                io_exit(s, &s->task[i]); /* not before: srun may end the job after the last exit message */
            } else if (s->task[i].running && s->task[i].pid == r.pid) {
                usage_task_end(s, &s->task[i], &r.usage);
                task_ended(s, &s->task[i], r.status);
            }
    }
}
