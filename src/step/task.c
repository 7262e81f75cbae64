/* task - the step's processes; see task.h. */
#include "step/task.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/errnum.h"
#include "base/mem.h"
#include "base/str.h"
#include "step/as_user.h"
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
#include "text/multi_prog.h"
#include "text/signal.h"
#include "text/strs.h"

#define PIPE_BYTES (256 << 10)
#define EXIT_NO_FILES 53 /* the "signal" of a job whose files cannot be opened, in Slurm's records */

/* ---- before any process ---- */

/* The script of an earlier job can be overwritten if it belongs to the same user and has no other link. */
static int open_old_script(const struct step *s)
{
    /* O_NONBLOCK: its user may hold a lease on it. */
    auto_close int fd = openat(s->job_fd, SPOOL_SCRIPT, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat st;
    if (fd < 0 && errno == ENOENT)
        return -1;
    if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != s->order->uid || st.st_gid != s->order->gid ||
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

static void create_files(struct step *s, int fd, void *arg)
{
    struct err err = ERR_INIT;
    uint32_t *mask = arg;
    auto_buf struct buf note = BUF_INIT;
    umask(*mask);
    files_enter_workdir(s, &note);
    files_create(s, &err);
    as_user_send(fd, &err, -1);
}

static mode_t umask_of(const struct step *s)
{
    uint32_t mask = !s->batch && s->order->step->umask ? s->order->step->umask : s->order->spec->umask;
    return mask ? mask & 0777 : 022;
}

/* The files of srun's tasks are created before the first of them starts; a batch script's own process does it. */
static int prepare_files(struct step *s, struct err *err)
{
    struct files f = files_plan(s);
    uint32_t mask = umask_of(s);
    if (s->batch || (f.in == -1 && f.out == -1 && f.err == -1))
        return 0;
    int rc = as_user_ask(s, create_files, &mask, err);
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
    else if (heard && f->out == -1 && s->order->step->unbuffered)
        rc = pty_unbuffered(s, t, f, err);
    if (rc)
        return rc;
    if (f->in == -1 && wants_stdin(s, t))
        rc = make_pipe(&t->in, &f->in, false, err);
    else if (f->in == -1)
        f->in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (!rc && f->out == -1 && heard)
        rc = make_pipe(&t->out, &f->out, true, err);
    else if (f->out == -1)
        f->out = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (!rc && f->err == -1 && heard)
        rc = make_pipe(&t->err, &f->err, true, err);
    else if (f->err == -1)
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
    auto_close int fd = open(program, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* it may be a FIFO */
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

/* Create the job's TMPDIR if it is missing. */
static void check_tmpdir(struct step *s, uint32_t local)
{
    const char *dir = env_get(&s->env, "TMPDIR");
    struct stat st;
    if (!dir || !strcmp(dir, "/tmp") || (!stat(dir, &st) && S_ISDIR(st.st_mode)))
        return;
    int rc = mkdir(dir, 0700) && errno != EEXIST ? errno : 0;
    if (!rc)
        return;
    if (!local) {
        step_say(s, "Unable to create TMPDIR [%s]: %s", dir, strerror(rc));
        step_say(s, "Setting TMPDIR to /tmp");
    }
    env_set(&s->env, "TMPDIR", "/tmp");
}

/* Open the files as the user, outside of the job's private folders: so their names mean what they mean to the user. */
static int open_files(struct step *s, uint32_t local, struct files *f, struct buf *note, struct err *err)
{
    int rc = user_enter(s, err);
    if (rc)
        return rc;
    umask(umask_of(s));
    files_enter_workdir(s, note);
    rc = files_open(s, local, s->batch, f, err);
    user_leave(s);
    return rc;
}

static void use_streams(const struct step *s, uint32_t local, const struct files *f)
{
    dup2(f->in, 0);
    dup2(f->out, 1);
    dup2(f->err, 2);
    if (s->task[local].pty)
        pty_enter();
}

/* The job's user and limits; a limit is set by the user's process, so that root's rights do not raise it. */
static void use_identity(struct step *s)
{
    const Pb__StepSpec *step = s->order->step;
    int rc = tmpfs_enter(s);
    if (!rc)
        rc = user_become(s);
    if (rc) {
        step_say(s, "cannot become user %u: %s", s->order->uid, strerror(rc));
        _exit(rc);
    }
    if (s->batch)
        rlimits_apply(s->order->spec->rlimits, s->order->spec->n_rlimits, child_say, s);
    else
        rlimits_apply(step->rlimits, step->n_rlimits, child_say, s);
}

/* Tasks must not outlive their supervisor, not even if it died a moment ago. */
static void die_with(pid_t supervisor)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != supervisor)
        _exit(128 + SIGKILL);
}

static void say_note(struct step *s, uint32_t local, const char *note)
{
    for (int i = 0; i < 2 && !local && !str_empty(note); i++)
        step_say(s, "%s", note); /* twice, as in Slurm, where supervisor and task each print it */
}

static _Noreturn void run_program(struct step *s, uint32_t local)
{
    char **argv = argv_of(s, local);
    if (!argv) {
        step_say(s, "No executable program specified for this task");
        _exit(ENOENT);
    }
    char *program = s->batch ? s->script : find_program(s, argv[0]);
    execve(program, argv, env_vector(&s->env));
    int rc = errno;
    say_exec_failed(s, program, rc);
    _exit(rc);
}

/* The files of a batch script cannot be opened: the supervisor reads why. */
static _Noreturn void child_failed(int tell, const struct err *err)
{
    if (tell < 0 || write(tell, err, sizeof(*err)) < 0)
        _exit(1);
    _exit(err->code ? err->code : 1);
}

struct start {
    struct step *s;
    uint32_t local;
    struct files f;
    int tell; /* a batch script's end of broken_fd; -1 */
    pid_t supervisor;
};

/* The task's process.  From here on the supervisor does not wait for it: it may hang on a file, a folder, a program. */
static _Noreturn void child(struct start *at)
{
    struct step *s = at->s;
    uint32_t local = at->local;
    struct err err = ERR_INIT;
    auto_buf struct buf note = BUF_INIT;
    sigset_t none;
    if (!s->task[local].pty)
        setpgid(0, 0);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (open_files(s, local, &at->f, &note, &err))
        child_failed(at->tell, &err);
    use_streams(s, local, &at->f);
    s->log_fd = 2;
    use_identity(s);
    die_with(at->supervisor);
    if (s->tmpfs_ns >= 0) { /* the path of the working folder may lead elsewhere */
        struct buf again = BUF_INIT;
        files_enter_workdir(s, &again);
    }
    say_note(s, local, note.s);
    check_tmpdir(s, local);
    env_task(&s->env, s->order, &s->node, local, getpid());
    step_pmi_child(s, local);
    bind_task(s, local);
    int rc = taskhook_before_wanted(s) ? taskhook_before(s) : 0;
    if (rc)
        _exit(rc);
    run_program(s, local);
}

/* ---- starting ---- */

static void start_child(void *arg)
{
    child(arg);
}

/* A pipe on which the script's process says that its files cannot be opened. */
static int start_one(struct step *s, uint32_t local, const struct files *f, struct err *err)
{
    struct task *t = &s->task[local];
    struct start at = { s, local, *f, -1, getpid() };
    int pair[2];
    if (s->batch && pipe2(pair, O_CLOEXEC | O_NONBLOCK))
        return err_set(err, errno, "cannot make a pipe: %m");
    if (s->batch) {
        s->broken_fd = pair[0];
        at.tell = pair[1];
    }
    pid_t pid = cgroup_spawn(s, false, start_child, &at);
    int rc = pid < 0 ? errno : 0;
    if (at.tell >= 0)
        close(at.tell);
    if (rc)
        return err_set(err, rc, "cannot start a process: %s", strerror(rc));
    t->pid = pid;
    t->running = true;
    s->nrunning++;
    return 0;
}

static void close_files(const struct step *s, struct files *files)
{
    for (uint32_t i = 0; i < s->ntasks; i++)
        for (int k = 0; k < 3; k++) {
            int fd = (&files[i].in)[k];
            if (fd >= 0)
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

static int start_with(struct step *s, struct files *files, struct err *err)
{
    int rc = 0;
    for (uint32_t i = 0; i < s->ntasks && !rc; i++)
        rc = make_streams(s, &s->task[i], &files[i], err);
    if (rc)
        return rc;
    s->notices = !s->io || s->task[0].err < 0;
    if (s->order->spec->get_user_env)
        login_environment(s);
    env_step(&s->env, s->order, &s->node);
    if (!s->batch && s->order->step->preserve_env)
        keep_counts(s);
    rc = bind_prepare(s, err);
    if (!rc)
        rc = step_pmi_prepare(s, err);
    if (!rc && s->terminating)
        rc = err_set(err, ECANCELED, "the step was ended before it began");
    for (uint32_t i = 0; i < s->ntasks && !rc; i++)
        rc = start_one(s, i, &files[i], err);
    step_pmi_started(s);
    return rc;
}

int task_start_all(struct step *s, struct err *err)
{
    auto_free struct files *files = mem_array(s->ntasks, sizeof(*files));
    for (uint32_t i = 0; i < s->ntasks; i++)
        files[i] = files_plan(s);
    int rc = s->batch ? write_script(s, err) : prepare_files(s, err);
    if (!rc)
        rc = start_with(s, files, err);
    close_files(s, files);
    return rc;
}

/* ---- ending ---- */

/* The script's process could not open its files: the report says why, with the status that Slurm gives such a job. */
static int broken_status(struct step *s, int status)
{
    struct err err;
    if (s->broken_fd < 0)
        return status;
    ssize_t n = read(s->broken_fd, &err, sizeof(err));
    close(take_fd(s->broken_fd));
    if (n != (ssize_t)sizeof(err))
        return status;
    s->start_error = err.code;
    snprintf(s->why, sizeof(s->why), "%s", err.text);
    return EXIT_NO_FILES;
}

static void task_ended(struct step *s, struct task *t, int status)
{
    t->running = false;
    t->status = status = s->hook ? status : broken_status(s, oom_status(s, status));
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
