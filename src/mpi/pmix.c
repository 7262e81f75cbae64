/* spurpmix - serves PMIx to the tasks of one step on one node, as the job's user; started by its supervisor. */
#include "mpi/pmix_priv.h"

#include <ftw.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/str.h"
#include "wire/frame.h"

#define SUPERVISOR_FD 3
#define CHUNK 65536
#define FOLDER "spur-pmix-" /* prefix of our folders' names */

/* ---- the supervisor ---- */

void say(struct pmix_step *p, const Pb__Mpi *m)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    auto_buf struct buf out = BUF_INIT;
    frame_add_pb(&out, MSG_MPI, 0, 0, &m->base);
    pthread_mutex_lock(&lock); /* frames of two threads must not interleave */
    for (size_t at = 0; at < out.len;) {
        ssize_t n = send(p->fd, out.s + at, out.len - at, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break; /* the supervisor is gone; the main thread notices that, too */
        at += (size_t)n;
    }
    pthread_mutex_unlock(&lock);
}

/* The next message, or NULL when the supervisor is gone. */
static Pb__Mpi *next_message(struct pmix_step *p, struct buf *in)
{
    struct frame f;
    size_t used;
    int rc;
    while ((rc = frame_find(in->s, in->len, FRAME_MAX, &f, &used, NULL)) == 0) {
        struct pollfd fd = { p->fd, POLLIN, 0 };
        if (poll(&fd, 1, calls_again()) == 0)
            continue;
        ssize_t n = read(p->fd, buf_room(in, CHUNK), CHUNK);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return NULL;
        in->len += (size_t)n;
    }
    Pb__Mpi *m = rc > 0 && f.type == MSG_MPI ? pb__mpi__unpack(NULL, f.len, f.body) : NULL;
    if (rc > 0)
        buf_cut(in, used);
    return m;
}

/* ---- starting ---- */

static int check_setup(const Pb__MpiSetup *s, struct err *err)
{
    bool fine = s && s->n_node_names && s->n_ranks == s->n_node_names && s->node_index < s->n_ranks &&
                strlen(s->space) <= PMIX_MAX_NSLEN && !str_empty(s->folder);
    return fine ? 0 : err_set(err, EINVAL, "the supervisor's setup makes no sense");
}

static int pmix_load(struct pmix_step *p, const Pb__MpiSetup *s, struct err *err)
{
    int rc = check_setup(s, err);
    if (rc)
        return rc;
    p->setup = s;
    for (size_t i = 0; i < s->n_ranks; i++)
        p->size += (uint32_t)s->ranks[i]->n_rank;
    p->node = mem_array(p->size + 1u, sizeof(*p->node));
    for (uint32_t i = 0; i < s->n_ranks; i++)
        for (size_t k = 0; k < s->ranks[i]->n_rank; k++) {
            if (s->ranks[i]->rank[k] >= p->size)
                return err_set(err, EINVAL, "rank %u of %u tasks", s->ranks[i]->rank[k], p->size);
            p->node[s->ranks[i]->rank[k]] = i;
        }
    char *dir = mem_printf("%s/" FOLDER "%u.%u-XXXXXX", s->folder, s->job_id, s->step_id);
    if (!mkdtemp(dir)) {
        rc = err_set(err, errno, "cannot make a folder in %s: %m", s->folder);
        free(dir);
        return rc;
    }
    p->folder = dir;
    return 0;
}

static int start_library(struct pmix_step *p, struct err *err)
{
    pmix_info_t info[5];
    pmix_rank_t rank = p->setup->node_index;
    auto_free char *space = mem_printf("%s.servers", p->setup->space);
    PMIX_INFO_LOAD(&info[0], PMIX_SERVER_TMPDIR, p->folder, PMIX_STRING);
    PMIX_INFO_LOAD(&info[1], PMIX_SYSTEM_TMPDIR, p->folder, PMIX_STRING);
    PMIX_INFO_LOAD(&info[2], PMIX_SERVER_NSPACE, space, PMIX_STRING);
    PMIX_INFO_LOAD(&info[3], PMIX_SERVER_RANK, &rank, PMIX_PROC_RANK);
    PMIX_INFO_LOAD(&info[4], PMIX_HOSTNAME, p->setup->node_names[p->setup->node_index], PMIX_STRING);
    pmix_status_t st = PMIx_server_init(&calls, info, ARRAY_LEN(info));
    for (size_t i = 0; i < ARRAY_LEN(info); i++)
        PMIX_INFO_DESTRUCT(&info[i]);
    return st == PMIX_SUCCESS ? 0 : err_set(err, EIO, "PMIx does not start: %s", PMIx_Error_string(st));
}

/* The reply to MPI_SETUP: an environment for each task, or the error. */
static void pmix_answer(struct pmix_step *p, const struct buf *env, size_t n, const struct err *err)
{
    Pb__Mpi m = PB__MPI__INIT;
    Pb__MpiSetup s = PB__MPI_SETUP__INIT;
    auto_free ProtobufCBinaryData *list = mem_array(n + 1, sizeof(*list));
    for (size_t i = 0; i < n; i++)
        list[i] = (ProtobufCBinaryData){ env[i].len, (uint8_t *)env[i].s };
    m.kind = MPI_READY;
    m.status = err->code;
    m.text = (char *)err->text;
    s.folder = (char *)str_or(p->folder, "");
    s.env = list;
    s.n_env = n;
    m.setup = &s;
    say(p, &m);
}

static int pmix_start(struct pmix_step *p, const Pb__MpiSetup *setup)
{
    struct err err = ERR_INIT;
    int rc = pmix_load(p, setup, &err);
    size_t n = rc ? 0 : setup->ranks[setup->node_index]->n_rank;
    auto_free struct buf *env = mem_array(n + 1, sizeof(*env));
    calls_init(p);
    if (!rc)
        rc = start_library(p, &err);
    if (!rc)
        calls_watch();
    if (!rc)
        rc = space_register(p, &err);
    for (uint32_t i = 0; i < n && !rc; i++)
        rc = space_client(p, i, &env[i], &err);
    pmix_answer(p, env, n, &err);
    for (size_t i = 0; i < n; i++)
        buf_clear(&env[i]);
    return rc;
}

/* ---- ending ---- */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
    (void)!remove(path);
    return 0;
}

/* This process runs as the user that owns the tasks, so a link in the folder gives no access that they lack. */
static void remove_folder(const char *folder)
{
    const char *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash && str_has_prefix(slash + 1, FOLDER))
        nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* A signal that ends the tasks must not end this process: it serves them until the last has ended. */
static void ignore_signals(void)
{
    static const int ours[] = { SIGCHLD, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP };
    for (int signo = 1; signo < NSIG; signo++) {
        bool keep = false;
        for (size_t i = 0; i < ARRAY_LEN(ours); i++)
            keep |= signo == ours[i];
        if (!keep)
            signal(signo, SIG_IGN); /* fails for SIGKILL, SIGSTOP and signals reserved by libc */
    }
}

int main(int argc, char **argv)
{
    struct pmix_step step = { .fd = SUPERVISOR_FD };
    struct stat st;
    auto_buf struct buf in = BUF_INIT;
    if (argc == 3 && str_eq(argv[1], "tidy")) { /* remove the folder of a helper that was killed */
        remove_folder(argv[2]);
        return 0;
    }
    if (argc != 1 || fstat(SUPERVISOR_FD, &st) || !S_ISSOCK(st.st_mode)) {
        fputs("spurpmix: started by spurstepd, not by hand\n", stderr);
        return 2;
    }
    ignore_signals();
    Pb__Mpi *setup = next_message(&step, &in);
    bool runs = setup && setup->kind == MPI_SETUP && !pmix_start(&step, setup->setup);
    for (Pb__Mpi *m; runs && (m = next_message(&step, &in)); pb__mpi__free_unpacked(m, NULL))
        calls_take(m);
    remove_folder(step.folder);
    /* Finalizing the library would wait for tasks that are gone; its only lasting state was the folder. */
    _exit(runs ? 0 : 1);
}
