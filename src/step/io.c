/* io - the standard streams of a step's tasks, carried to srun; see io.h. */
#include "step/io.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "step/reaper.h"
#include "step/user.h"
#include "wire/frame.h"

#define OUT_FULL (1u << 20)   /* bytes waiting for srun: read no more from the tasks */
#define STDIN_FULL (1u << 20) /* bytes waiting for a task: read no more from srun */
#define CHUNK 65536
#define FRAME_FULL (4u << 20) /* srun sends less; it is the user's program, and need not be ours */
#define RETRY_MS 250

struct io {
    int fd; /* -1: not connected */
    bool connecting, given_up;
    int64_t give_up_ms, retry_ms;
    struct buf in, out;
    size_t sent; /* of out */
};

/* ---- connecting ---- */

static int connect_unix(const char *path)
{
    struct sockaddr_un sa = { .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof(sa.sun_path))
        return -1;
    strcpy(sa.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&sa, sizeof(sa))) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Addresses only, no names: a supervisor does not wait for a name server. */
static socklen_t parse_address(const char *host, uint32_t port, struct sockaddr_storage *out)
{
    struct sockaddr_in *v4 = (struct sockaddr_in *)out;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)out;
    if (inet_pton(AF_INET, host, &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons((uint16_t)port);
        return sizeof(*v4);
    }
    if (inet_pton(AF_INET6, host, &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons((uint16_t)port);
        return sizeof(*v6);
    }
    return 0;
}

static int connect_tcp(const char *host, uint32_t port, bool *pending)
{
    struct sockaddr_storage to = { 0 };
    socklen_t len = parse_address(host, port, &to);
    if (!len || !port || port > UINT16_MAX)
        return -1;
    int fd = socket(to.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int rc = fd < 0 ? errno : connect(fd, (struct sockaddr *)&to, len) ? errno : 0;
    *pending = rc == EINPROGRESS;
    if (rc && rc != EINPROGRESS && fd >= 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static void say_hello(struct step *s)
{
    Pb__IoHello h = PB__IO_HELLO__INIT;
    h.token = s->order->step->io->token;
    h.node = s->order->node;
    h.node_index = env_step_index(s->order);
    h.first_task = s->order->first_task;
    h.ranks = s->order->ranks, h.n_ranks = s->order->n_ranks;
    h.tasks = s->ntasks;
    h.pid = (uint32_t)getpid();
    h.code = s->start_error;
    h.text = s->why;
    auto_buf struct buf rest = s->io->out;
    s->io->out = (struct buf)BUF_INIT;
    frame_add_pb(&s->io->out, MSG_IO_HELLO, 0, 0, &h.base);
    buf_add(&s->io->out, rest.s, rest.len); /* what was said before there was a connection */
}

/* The path is the user's word: whoever listens there must see the user at the door, not root. */
static int connect_as_user(const struct step *s, const char *path)
{
    if (str_empty(path) || user_enter(s, NULL))
        return -1;
    int fd = connect_unix(path);
    user_leave(s);
    return fd;
}

static void try_connect(struct step *s)
{
    struct io *io = s->io;
    const Pb__IoEndpoint *to = s->order->step->io;
    io->retry_ms = step_now_ms() + RETRY_MS;
    io->fd = connect_as_user(s, to->unix_path);
    if (io->fd < 0)
        io->fd = connect_tcp(str_or(s->io_host, to->host), to->port, &io->connecting);
    if (io->fd >= 0) {
        fcntl(io->fd, F_SETFL, fcntl(io->fd, F_GETFL) | O_NONBLOCK);
        say_hello(s);
    }
}

void io_prepare(struct step *s)
{
    if (s->batch || !s->order->step->io)
        return;
    s->io = NEW(struct io);
    s->io->fd = -1;
}

void io_connect(struct step *s)
{
    if (!s->io)
        return;
    s->io->give_up_ms = step_now_ms() + IO_PATIENCE_MS;
    try_connect(s);
}

/* From here on output is read and dropped, and no task waits for input that cannot come. */
static void give_up(struct step *s, const char *why)
{
    struct io *io = s->io;
    if (io->given_up)
        return;
    io->given_up = true;
    if (io->fd >= 0)
        close(take_fd(io->fd));
    buf_reset(&io->out);
    io->sent = 0;
    for (uint32_t i = 0; i < s->ntasks; i++)
        s->task[i].stdin_eof = true;
    if (s->nrunning && !s->terminating)
        snprintf(s->why, sizeof(s->why), "output was dropped: srun %s", why);
}

/* ---- out ---- */

static void flush(struct step *s)
{
    struct io *io = s->io;
    while (io->fd >= 0 && !io->connecting && io->sent < io->out.len) {
        ssize_t n = send(io->fd, io->out.s + io->sent, io->out.len - io->sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n < 0) {
            give_up(s, "went away");
            return;
        }
        io->sent += (size_t)n;
    }
    if (io->sent == io->out.len) {
        buf_reset(&io->out);
        io->sent = 0;
    }
}

static void add_data(struct step *s, uint32_t rank, uint32_t fd, const void *p, size_t n)
{
    if (s->io->given_up)
        return;
    Pb__IoData d = PB__IO_DATA__INIT;
    d.task = rank;
    d.fd = fd;
    d.data = (ProtobufCBinaryData){ n, (uint8_t *)p };
    d.eof = !n;
    frame_add_pb(&s->io->out, MSG_IO_DATA, 0, 0, &d.base);
}

static void pump_out(struct step *s, struct task *t, int *fd, uint32_t number)
{
    static char chunk[CHUNK];
    ssize_t n = read(*fd, chunk, sizeof(chunk));
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0)
        close(take_fd(*fd));
    add_data(s, t->rank, number, chunk, n > 0 ? (size_t)n : 0);
}

void io_exit(struct step *s, const struct task *t)
{
    if (!s->io || s->io->given_up)
        return;
    Pb__IoExit e = PB__IO_EXIT__INIT;
    e.task = t->rank;
    e.status = (uint32_t)t->status;
    frame_add_pb(&s->io->out, MSG_IO_EXIT, 0, 0, &e.base);
    flush(s); /* there may be no further event that would send it */
}

void io_say(struct step *s, const char *line, size_t len)
{
    if (s->io)
        add_data(s, env_rank(s->order, 0), 2, line, len);
}

/* ---- in ---- */

static void take_stdin(struct step *s, const Pb__IoData *d)
{
    int32_t only = s->order->step->stdin_task - 1;
    for (uint32_t i = 0; i < s->ntasks; i++) {
        struct task *t = &s->task[i];
        if (s->order->step->stdin_task > 0 && t->rank != (uint32_t)only)
            continue;
        if (t->in >= 0)
            buf_add(&t->stdin_data, d->data.data, d->data.len);
        t->stdin_eof = t->stdin_eof || d->eof;
    }
}

static void take_frame(struct step *s, const struct frame *f)
{
    if (f->type == MSG_IO_DATA) {
        Pb__IoData *d = pb__io_data__unpack(NULL, f->len, f->body);
        if (d && d->fd == 0)
            take_stdin(s, d);
        if (d)
            pb__io_data__free_unpacked(d, NULL);
    } else if (f->type == MSG_IO_SIGNAL) {
        Pb__IoSignal *g = pb__io_signal__unpack(NULL, f->len, f->body);
        if (g && g->signal && g->signal < NSIG)
            reaper_signal_all((int)g->signal);
        if (g)
            pb__io_signal__free_unpacked(g, NULL);
    }
}

static void pump_in(struct step *s)
{
    struct io *io = s->io;
    ssize_t n = read(io->fd, buf_room(&io->in, CHUNK), CHUNK);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        give_up(s, "went away");
        return;
    }
    io->in.len += (size_t)n;
    struct frame f;
    size_t used;
    int rc;
    while ((rc = frame_find(io->in.s, io->in.len, FRAME_FULL, &f, &used, NULL)) > 0) {
        take_frame(s, &f);
        buf_cut(&io->in, used);
    }
    if (rc < 0)
        give_up(s, "sent what is not a message");
}

static void feed(struct task *t)
{
    while (t->in >= 0 && t->stdin_data.len) {
        ssize_t n = write(t->in, t->stdin_data.s, t->stdin_data.len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n < 0) /* it reads no more */
            close(take_fd(t->in));
        else
            buf_cut(&t->stdin_data, (size_t)n);
    }
    if (t->in >= 0 && t->stdin_eof)
        close(take_fd(t->in));
}

/* ---- the loop's part ---- */

static bool input_full(const struct step *s)
{
    for (uint32_t i = 0; i < s->ntasks; i++)
        if (s->task[i].in >= 0 && s->task[i].stdin_data.len > STDIN_FULL)
            return true;
    return false;
}

nfds_t io_poll(struct step *s, struct pollfd *fds)
{
    struct io *io = s->io;
    if (!io)
        return 0;
    flush(s);
    nfds_t n = 0;
    short conn = (short)((input_full(s) ? 0 : POLLIN) | (io->connecting || io->out.len ? POLLOUT : 0));
    fds[n++] = (struct pollfd){ io->fd, conn, 0 };
    short out = io->out.len - io->sent > OUT_FULL ? 0 : POLLIN;
    for (uint32_t i = 0; i < s->ntasks; i++) {
        struct task *t = &s->task[i];
        feed(t);
        fds[n++] = (struct pollfd){ out || io->given_up ? t->out : -1, POLLIN, 0 };
        fds[n++] = (struct pollfd){ out || io->given_up ? t->err : -1, POLLIN, 0 };
        fds[n++] = (struct pollfd){ t->stdin_data.len ? t->in : -1, POLLOUT, 0 };
    }
    return n;
}

static void handle_conn(struct step *s, short events)
{
    struct io *io = s->io;
    if (io->connecting && events) {
        int rc = 0;
        socklen_t len = sizeof(rc);
        getsockopt(io->fd, SOL_SOCKET, SO_ERROR, &rc, &len);
        io->connecting = false;
        if (rc)
            close(take_fd(io->fd));
        return;
    }
    if (events & (POLLIN | POLLHUP | POLLERR))
        pump_in(s);
}

void io_handle(struct step *s, const struct pollfd *fds, nfds_t n)
{
    struct io *io = s->io;
    if (!io || !n)
        return;
    if (io->fd >= 0)
        handle_conn(s, fds[0].revents);
    for (nfds_t i = 1; i + 2 < n; i += 3) {
        struct task *t = &s->task[(i - 1) / 3];
        if (fds[i].revents && t->out >= 0)
            pump_out(s, t, &t->out, 1);
        if (fds[i + 1].revents && t->err >= 0)
            pump_out(s, t, &t->err, 2);
    }
    int64_t now = step_now_ms();
    bool waiting = (io->fd < 0 || io->connecting) && !io->given_up;
    if (waiting && now >= io->give_up_ms)
        give_up(s, "could not be reached");
    else if (waiting && io->fd < 0 && now >= io->retry_ms)
        try_connect(s);
    flush(s);
}

int64_t io_next_ms(const struct step *s)
{
    const struct io *io = s->io;
    if (!io || io->given_up || (io->fd >= 0 && !io->connecting))
        return -1;
    return io->connecting ? io->give_up_ms : io->retry_ms;
}

bool io_done(const struct step *s)
{
    if (!s->io)
        return true;
    for (uint32_t i = 0; i < s->ntasks; i++)
        if (s->task[i].out >= 0 || s->task[i].err >= 0)
            return false;
    return s->io->given_up || (s->io->fd >= 0 && !s->io->out.len);
}
