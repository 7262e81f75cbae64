/*
 * clients - many clients at once, to the cluster of $SLURM_CONF.
 *
 *     clients submit CLIENTS SECONDS       each submits a job, waits for its answer and submits the next
 *     clients submit CLIENTS SECONDS RATE  the same, no more than RATE a second together
 *     clients poll CLIENTS SECONDS         each asks once a second for the queue as squeue does: connect, ask, read
 *     clients poll CLIENTS SECONDS BYTES   the same, but a process of our own answers, with so many bytes: what
 *                                        the clients alone cost this machine
 *     clients poll CLIENTS SECONDS users   each asks for the jobs of another user, as squeue --me does
 *
 *     clients why CLIENTS SECONDS JOB      each asks why the job waits, again and again
 *
 * Prints one line: how many a second, p50 and p99 of their answers in ms, how many failed, bytes of an answer (mean).
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/vec.h"
#include "client/reach.h"
#include "wire/cred.h"
#include "wire/frame.h"

struct guest {
    int fd;
    bool asking;
    double since, due; /* when it asked; when it asks next */
    struct buf in;
    size_t at, bytes; /* in `in`: frames before it were read; of this answer so far */
};

struct clients {
    struct guest *guest;
    struct pollfd *poll;
    size_t n;
    bool polls, users;
    double period; /* of each, in seconds; 0: as fast as it is answered */
    const struct site *site;
    struct sockaddr_un dummy; /* a server that answers in place of the controller; no path: none */
    struct buf question;
    VEC(double) took;
    unsigned failed;
    size_t bytes; /* of all answers */
};

static double now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

/* ---- queries ---- */

static void add_submit(struct buf *out)
{
    Pb__SubmitRequest r = PB__SUBMIT_REQUEST__INIT;
    Pb__JobSpec s = PB__JOB_SPEC__INIT;
    static char script[] = "#!/bin/sh\nsleep 1\n", env[] = "PATH=/usr/bin:/bin\0SPUR_EMULATE_S=1";
    char *argv[] = { "clients" };
    uint8_t key[16];
    cred_random(key, sizeof(key));
    s.name = "clients";
    s.workdir = "/tmp";
    s.std_out = "/dev/null";
    s.argv = argv;
    s.n_argv = 1;
    r.key = (ProtobufCBinaryData){ 16, key };
    r.spec = &s;
    r.script = (ProtobufCBinaryData){ sizeof(script) - 1, (uint8_t *)script };
    r.env = (ProtobufCBinaryData){ sizeof(env), (uint8_t *)env };
    frame_add_pb(out, MSG_SUBMIT, 0, 1, &r.base);
}

/* The query that squeue sends: one user's jobs, or (UINT32_MAX) all. */
static void add_query(struct buf *out, uint32_t uid)
{
    Pb__JobQuery q = PB__JOB_QUERY__INIT;
    q.uid = &uid;
    q.n_uid = uid != UINT32_MAX;
    frame_add_pb(out, MSG_JOBS, FRAME_PACKS, 1, &q.base);
}

static int reach(const struct clients *c)
{
    struct err err = ERR_INIT;
    struct link_wait link = LINK_WAIT_INIT;
    if (!c->dummy.sun_path[0])
        return reach_controller(&link, c->site, c->site->ctl[0].id, NULL, 0, &err) ? -1 : link.fd;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && !connect(fd, (const struct sockaddr *)&c->dummy, sizeof(c->dummy)))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static void leave(struct guest *g)
{
    if (g->fd >= 0)
        close(g->fd);
    g->fd = -1;
    g->asking = false;
    g->in.len = g->at = g->bytes = 0;
}

/* A question is short: it is sent at once or not at all. */
static void ask(struct clients *c, struct guest *g)
{
    auto_buf struct buf own = BUF_INIT;
    const struct buf *out = &c->question;
    if (!out->len) {
        if (c->users)
            add_query(&own, (uint32_t)(g - c->guest));
        else
            add_submit(&own);
        out = &own;
    }
    g->since = now();
    g->asking = true;
    if (g->fd < 0)
        g->fd = reach(c);
    if (g->fd < 0 || send(g->fd, out->s, out->len, MSG_NOSIGNAL) != (ssize_t)out->len) {
        c->failed++;
        leave(g);
        g->due = g->since + 1;
    }
}

/* ---- replies ---- */

static bool refused(const struct frame *f)
{
    if (f->type == MSG_JOBS_REPLY || f->type == MSG_WHY_REPLY)
        return false;
    Pb__SubmitReply *r = f->type == MSG_SUBMIT_REPLY ? pb__submit_reply__unpack(NULL, f->len, f->body) : NULL;
    bool bad = !r || r->code;
    if (r)
        pb__submit_reply__free_unpacked(r, NULL);
    return bad;
}

static void answered(struct clients *c, struct guest *g, bool bad)
{
    double t = now();
    vec_push(&c->took, t - g->since);
    c->failed += bad;
    c->bytes += g->bytes;
    g->due += c->period;
    if (c->polls)
        leave(g);
    g->in.len = g->at = g->bytes = 0;
    g->asking = false;
    if (g->due <= t)
        ask(c, g);
}

static void hear(struct clients *c, struct guest *g)
{
    ssize_t n = recv(g->fd, buf_room(&g->in, 262144), 262144, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        c->failed++;
        leave(g);
        g->due = now() + 1;
        return;
    }
    g->in.len += (size_t)n;
    g->bytes += (size_t)n;
    struct frame f;
    struct err err;
    size_t used;
    while (g->fd >= 0 && frame_find(g->in.s + g->at, g->in.len - g->at, FRAME_MAX, &f, &used, &err) > 0) {
        g->at += used;
        if (!(f.flags & FRAME_MORE)) {
            answered(c, g, refused(&f));
            return;
        }
    }
}

static void run(struct clients *c, double seconds)
{
    double end = now() + seconds;
    for (double t; (t = now()) < end;) {
        double next = end;
        size_t n = 0;
        for (size_t i = 0; i < c->n; i++) {
            struct guest *g = &c->guest[i];
            if (!g->asking && g->due <= t)
                ask(c, g);
            if (!g->asking)
                next = g->due < next ? g->due : next;
            c->poll[n++] = (struct pollfd){ g->fd, POLLIN, 0 };
        }
        int wait = (int)((next - now()) * 1000);
        poll(c->poll, n, wait < 0 ? 0 : wait + 1);
        for (size_t i = 0; i < c->n; i++)
            if (c->poll[i].revents && c->guest[i].fd >= 0)
                hear(c, &c->guest[i]);
    }
}

/* ---- a server that answers in place of the controller ---- */

static void answer_all(int door, size_t bytes)
{
    auto_buf struct buf out = BUF_INIT;
    size_t body = bytes > FRAME_HEADER ? bytes - FRAME_HEADER : 0;
    char *zeros = mem_alloc(body + 1);
    frame_add(&out, MSG_JOBS_REPLY, 0, 1, zeros, body);
    free(zeros);
    for (int fd; (fd = accept(door, NULL, NULL)) >= 0; close(fd)) {
        char in[4096];
        if (recv(fd, in, sizeof(in), 0) <= 0)
            continue;
        for (size_t at = 0; at < out.len;) {
            ssize_t n = send(fd, out.s + at, out.len - at, MSG_NOSIGNAL);
            if (n <= 0)
                break;
            at += (size_t)n;
        }
    }
}

static pid_t dummy_start(struct clients *c, size_t bytes)
{
    c->dummy.sun_family = AF_UNIX;
    snprintf(c->dummy.sun_path, sizeof(c->dummy.sun_path), "/tmp/clients.%d", (int)getpid());
    int door = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (door < 0 || bind(door, (struct sockaddr *)&c->dummy, sizeof(c->dummy)) || listen(door, 1024))
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        answer_all(door, bytes);
        _exit(0);
    }
    close(door);
    return pid;
}

/* What each asks; nothing when every question is another. */
static void make_question(struct clients *c, const char *job)
{
    Pb__WhyRequest why = PB__WHY_REQUEST__INIT;
    if (c->polls && !c->users)
        add_query(&c->question, UINT32_MAX);
    if (job) {
        why.job_id = (uint32_t)atoi(job);
        frame_add_pb(&c->question, MSG_WHY, 0, 1, &why.base);
    }
}

static int usage(void)
{
    return fprintf(stderr, "usage: clients submit|poll|why CLIENTS SECONDS [RATE|BYTES|users|JOB]\n"), 1;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    struct err err = ERR_INIT;
    struct site *site;
    bool submits = argc > 3 && !strcmp(argv[1], "submit"), whys = argc > 4 && !strcmp(argv[1], "why");
    if (argc < 4 || (!submits && !whys && strcmp(argv[1], "poll")) || atoi(argv[2]) < 1)
        return usage();
    if (site_load_client(&site, site_find_conf(), &err))
        return fprintf(stderr, "%s\n", err.text), 1;
    struct clients c = { .n = (size_t)atoi(argv[2]), .polls = !strcmp(argv[1], "poll"), .site = site };
    c.users = c.polls && argc > 4 && !strcmp(argv[4], "users");
    double seconds = atof(argv[3]), t0 = now();
    c.guest = mem_array(c.n, sizeof(*c.guest));
    c.poll = mem_array(c.n, sizeof(*c.poll));
    make_question(&c, whys ? argv[4] : NULL);
    pid_t pid = c.polls && argc > 4 && !c.users ? dummy_start(&c, (size_t)atol(argv[4])) : 0;
    c.period = c.polls ? 1 : submits && argc > 4 ? (double)c.n / atof(argv[4]) : 0;
    for (size_t i = 0; i < c.n; i++)
        c.guest[i] = (struct guest){ .fd = -1, .due = c.period ? t0 + c.period * (double)i / (double)c.n : 0 };
    run(&c, seconds);
    double s = now() - t0;
    if (pid > 0) {
        kill(pid, SIGTERM);
        waitpid(pid, NULL, 0);
        unlink(c.dummy.sun_path);
    }
    if (!c.took.n)
        return fprintf(stderr, "no query was answered, %u failed\n", c.failed), 1;
    qsort(c.took.at, c.took.n, sizeof(double), by_size);
    printf("%.1f %.3f %.3f %u %zu\n", (double)c.took.n / s, c.took.at[c.took.n / 2] * 1e3,
           c.took.at[c.took.n * 99 / 100] * 1e3, c.failed, c.bytes / c.took.n);
    return 0;
}
