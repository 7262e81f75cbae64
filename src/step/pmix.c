/* pmix - the helper that serves PMIx to a step's tasks: its start, its setup, its messages to and from srun; see
 * pmi.h. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "step/cgroup.h"
#include "step/files.h"
#include "step/spawner.h"
#include "step/io.h"
#include "step/pmi_priv.h"
#include "step/tmpfs.h"
#include "step/user.h"

#define HELPER_FD 3
#define READY_MS 30000 /* time limit for the library's start */
#define LEAVE_MS 2000
#define GONE_MS 500
#define TIDY_MS 5000

/* ---- the helper's process ---- */

struct start {
    struct step *s;
    const char *path;
    int fd;
};

static void helper(void *arg)
{
    const struct start *at = arg;
    struct step *s = at->s;
    char *argv[] = { (char *)"spurpmix", NULL };
    int null = open("/dev/null", O_RDWR);
    setpgid(0, 0);
    dup2(null, 0);
    dup2(null, 1);
    dup2(null, 2);
    dup2(at->fd, HELPER_FD);
    if (tmpfs_enter(s) || user_become(s)) /* in the tasks' namespace, as their user */
        _exit(1);
    if (s->notices) {
        auto_close int log = files_open_notice(s);
        if (log >= 0)
            dup2(log, 2);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(at->path, argv, env_vector(&s->env));
    _exit(1);
}

static int start_helper(struct step *s, const char *path, struct err *err)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
        return err_set(err, errno, "cannot make a socket for the PMIx server: %m");
    /* dup2 onto the same number would keep close-on-exec, so the descriptor must have another one. */
    auto_close int theirs = fcntl(pair[1], F_DUPFD_CLOEXEC, HELPER_FD + 1);
    close(pair[1]);
    struct start at = { s, path, theirs };
    pid_t pid = cgroup_spawn(s, false, helper, &at);
    if (pid < 0) {
        close(pair[0]);
        return err_set(err, errno, "cannot start %s: %m", path);
    }
    link_wait_use(&s->pmi->helper, pair[0], LINK_CHILD);
    s->pmi->helper_pid = pid;
    return 0;
}

/* ---- the setup message ---- */

static void tell(struct step *s, Pb__MpiSetup *setup)
{
    Pb__Mpi m = PB__MPI__INIT;
    m.kind = MPI_SETUP;
    m.setup = setup;
    frame_add_pb(&s->pmi->out, MSG_MPI, 0, 0, &m.base);
}

static void tell_setup(struct step *s)
{
    const Pb__LaunchOrder *o = s->order;
    size_t n = o->n_step_node;
    Pb__MpiSetup setup = PB__MPI_SETUP__INIT;
    auto_free char *space = mem_printf("slurm.pmix.%u.%u", s->key.job_id, s->key.step_id);
    auto_free struct buf *room = mem_array(n + 1, sizeof(*room));
    auto_free Pb__Ranks *ranks = mem_array(n + 1, sizeof(*ranks));
    auto_free Pb__Ranks **list = mem_array(n + 1, sizeof(*list));
    auto_free char **names = mem_array(n + 1, sizeof(*names));
    for (uint32_t i = 0; i < n; i++) {
        pb__ranks__init(&ranks[i]);
        ranks[i].rank = (uint32_t *)mpi_ranks(o, i, &room[i]);
        ranks[i].n_rank = i < o->n_step_tasks ? o->step_tasks[i] : 0;
        list[i] = &ranks[i];
        names[i] = o->step_node[i] < o->n_alloc ? o->alloc[o->step_node[i]]->name : (char *)"?";
    }
    setup.space = space;
    setup.job_id = s->key.job_id;
    setup.step_id = s->key.step_id;
    setup.uid = o->uid;
    setup.gid = o->gid;
    setup.folder = (char *)str_or(env_get(&s->env, "TMPDIR"), "/tmp");
    setup.node_names = names;
    setup.ranks = list;
    setup.n_node_names = setup.n_ranks = n;
    setup.node_index = env_step_index(o);
    tell(s, &setup);
    for (uint32_t i = 0; i < n; i++)
        buf_clear(&room[i]);
}

/* ---- the bridge ---- */

static void helper_events(struct step *s, int fd, short revents, void *arg);

static void helper_gone(struct step *s)
{
    struct step_pmi *p = s->pmi;
    if (p->helper.fd < 0)
        return;
    watch_drop(s, p->helper.fd);
    link_wait_clear(&p->helper);
}

static void flush(struct step *s)
{
    struct step_pmi *p = s->pmi;
    size_t n;
    int rc = 0;
    while (!rc && p->helper.fd >= 0 && p->out.len) {
        rc = link_wait_write(&p->helper, p->out.s, p->out.len, &n, NULL);
        buf_cut(&p->out, rc && rc != EAGAIN ? p->out.len : n);
    }
    if (p->helper.fd >= 0)
        watch_fd(s, p->helper.fd, (short)(POLLIN | (p->out.len ? POLLOUT : 0)), helper_events, NULL);
}

/* The helper runs as the user: its messages are passed to the user's srun only, and its reply is taken once. */
static void take_message(struct step *s, Pb__Mpi *m)
{
    switch (m->kind) {
    case MPI_COLLECT:
    case MPI_MORE:
    case MPI_TO:
    case MPI_ABORT: io_send(s, MSG_MPI, &m->base); break;
    case MPI_READY:
        if (!s->pmi->ready) {
            s->pmi->ready = m;
            return;
        }
        break;
    }
    pb__mpi__free_unpacked(m, NULL);
}

/* Handle all complete frames.  False: the helper is gone, or sent malformed data. */
static bool read_helper(struct step *s)
{
    struct step_pmi *p = s->pmi;
    struct frame f;
    int rc = link_wait_read(&p->helper, NULL);
    if (rc)
        return rc == EAGAIN;
    while ((rc = link_wait_frame(&p->helper, &f, NULL)) > 0) {
        Pb__Mpi *m = f.type == MSG_MPI ? pb__mpi__unpack(NULL, f.len, f.body) : NULL;
        if (m)
            take_message(s, m);
    }
    return rc == 0;
}

/* Report the helper's death only if tasks still run: else it was killed together with them. */
static void say_gone(struct step *s, void *arg)
{
    if (s->nrunning && !s->terminating)
        step_say(s, "the PMIx server of the step has died: its tasks cannot meet any more");
}

static void helper_events(struct step *s, int fd, short revents, void *arg)
{
    if ((revents & (POLLIN | POLLHUP | POLLERR)) && !read_helper(s)) {
        helper_gone(s);
        watch_at(s, clock_mono_ms() + GONE_MS, say_gone, NULL);
        return;
    }
    flush(s);
}

static void take_frame(struct step *s, const struct frame *f)
{
    if (f->type != MSG_MPI || s->pmi->helper.fd < 0)
        return;
    frame_add(&s->pmi->out, MSG_MPI, 0, 0, f->body, f->len);
    flush(s);
}

void step_pmix_lost(struct step *s)
{
    Pb__Mpi m = PB__MPI__INIT;
    m.kind = MPI_LOST;
    if (s->pmi->helper.fd < 0)
        return;
    frame_add_pb(&s->pmi->out, MSG_MPI, 0, 0, &m.base);
    flush(s);
}

/* ---- starting and ending ---- */

/* The tasks cannot start before the helper is ready, so wait for it, with a time limit. */
static int wait_ready(struct step *s, struct err *err)
{
    struct step_pmi *p = s->pmi;
    int64_t end = clock_mono_ms() + READY_MS;
    flush(s);
    while (!p->ready && p->helper.fd >= 0 && !s->terminating && clock_mono_ms() < end)
        step_wait(s, end);
    if (!p->ready)
        return err_set(err, SLURM_MPI_PLUGIN_PRELAUNCH_SETUP_FAILED, "the PMIx server does not start");
    if (p->ready->status)
        return err_set(err, SLURM_MPI_PLUGIN_PRELAUNCH_SETUP_FAILED, "%.300s", p->ready->text);
    return 0;
}

int step_pmix_start(struct step *s, struct err *err)
{
    const char *path = getenv(SPAWNER_PMIX);
    if (str_empty(path))
        return err_set(err, SLURM_MPI_PLUGIN_NAME_INVALID, "--mpi=pmix is not supported on %s", s->order->node);
    int rc = start_helper(s, path, err);
    if (rc)
        return rc;
    tell_setup(s);
    rc = wait_ready(s, err);
    if (rc) {
        helper_gone(s);
        return rc;
    }
    flush(s);
    io_on_frame(s, take_frame);
    return 0;
}

void step_pmix_child(struct step *s, uint32_t local)
{
    const Pb__MpiSetup *ready = s->pmi->ready->setup;
    if (ready && local < ready->n_env)
        env_add(&s->env, ready->env[local].data, ready->env[local].len);
}

int64_t step_pmix_leave(struct step *s)
{
    bool there = s->pmi->helper.fd >= 0;
    helper_gone(s); /* the helper then removes its folder and exits */
    return there ? LEAVE_MS : 0;
}

static _Noreturn void tidy(struct step *s, const char *path, char *folder)
{
    char *argv[] = { (char *)"spurpmix", (char *)"tidy", folder, NULL };
    char *none[] = { NULL };
    if (tmpfs_enter(s) || user_become(s))
        _exit(1);
    execve(path, argv, none);
    _exit(1);
}

/* Remove the helper's folder as the user, in a process with a time limit. */
void step_pmix_end(struct step *s)
{
    const char *path = getenv(SPAWNER_PMIX);
    const Pb__MpiSetup *setup = s->pmi->ready ? s->pmi->ready->setup : NULL;
    if (!setup || str_empty(setup->folder))
        return;
    pid_t pid = fork();
    if (pid == 0)
        tidy(s, path, setup->folder);
    auto_close int fd = pid < 0 ? -1 : (int)syscall(SYS_pidfd_open, pid, 0);
    struct pollfd end = { fd, POLLIN, 0 };
    if (pid > 0 && poll(&end, 1, TIDY_MS) <= 0)
        kill(pid, SIGKILL);
}
