/* io_client - one listener of a step's streams: its connection, lost and found again; see io.h. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "step/io_priv.h"
#include "step/pty.h"
#include "step/user.h"

#define CHUNK (256u << 10)
#define FRAME_FULL (4u << 20) /* srun sends less; it is the user's program, and need not be ours */
#define RETRY_MS 250
#define HELLO_RANKS 512 /* more of them are in srun's own reply */
#define SILENCE_S 20    /* a TCP peer that acknowledges nothing for so long is cut off */

struct io_client *io_client_new(const Pb__IoEndpoint *to, const char *host, bool main)
{
    struct io_client *c = NEW(struct io_client);
    c->main = main;
    c->fd = -1;
    c->unix_path = mem_str(to->unix_path);
    c->host = mem_str(str_or(host, to->host));
    c->port = to->port;
    buf_add(&c->token, to->token.data, to->token.len);
    return c;
}

/* ---- connecting ---- */

static int connect_unix(const char *path)
{
    struct sockaddr_un sa = { .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof(sa.sun_path))
        return -1;
    strcpy(sa.sun_path, path);
    auto_close int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&sa, sizeof(sa)))
        return -1;
    return take_fd(fd);
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

static void watch_over(int fd)
{
    int one = 1, silence_s = SILENCE_S, ms = SILENCE_S * 1000;
    (void)!setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    (void)!setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one));
    (void)!setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &silence_s, sizeof(silence_s));
    (void)!setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &(int){ 5 }, sizeof(int));
    (void)!setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof(ms));
}

static int connect_tcp(struct io_client *c)
{
    struct sockaddr_storage to = { 0 };
    socklen_t len = parse_address(c->host, c->port, &to);
    errno = ECONNREFUSED;
    if (!len || !c->port || c->port > UINT16_MAX)
        return -1;
    auto_close int fd = socket(to.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    watch_over(fd);
    if (connect(fd, (struct sockaddr *)&to, len) && errno != EINPROGRESS)
        return -1;
    c->connecting = true; /* poll tells when it is there */
    return take_fd(fd);
}

static void say_hello(struct step *s, struct io_client *c)
{
    Pb__IoHello h = PB__IO_HELLO__INIT;
    h.token = (ProtobufCBinaryData){ c->token.len, (uint8_t *)c->token.s };
    h.node = s->order->node;
    const Pb__HetStep *het = s->order->step ? s->order->step->het : NULL;
    h.node_index = env_step_index(s->order) + (het && c->main ? het->first_node : 0);
    h.first_task = s->order->first_task;
    h.ranks = s->order->ranks;
    h.n_ranks = s->order->n_ranks <= HELLO_RANKS ? s->order->n_ranks : 0;
    h.tasks = s->ntasks;
    h.pid = (uint32_t)getpid();
    h.code = s->start_error;
    h.text = s->why;
    h.again = c->again;
    h.received = c->st.told = c->st.taken;
    stream_reopen(&c->st, MSG_IO_HELLO, &h.base);
    c->held = c->again;
}

/* Refused by a machine that answers: nobody listens there any more. */
static void not_connected(struct step *s, struct io_client *c, int rc)
{
    if (c->again && (rc == ECONNREFUSED || rc == ENOENT))
        io_client_over(s, c, "went away");
}

static void try_connect(struct step *s, struct io_client *c)
{
    c->retry_ms = clock_mono_ms() + RETRY_MS;
    c->fd = connect_as_user(s, c->unix_path);
    if (c->fd < 0)
        c->fd = connect_tcp(c);
    if (c->fd < 0) {
        not_connected(s, c, errno);
        return;
    }
    fcntl(c->fd, F_SETFL, fcntl(c->fd, F_GETFL) | O_NONBLOCK);
    say_hello(s, c);
}

void io_client_connect(struct step *s, struct io_client *c)
{
    c->give_up_ms = clock_mono_ms() + IO_PATIENCE_MS;
    try_connect(s, c);
}

void io_client_over(struct step *s, struct io_client *c, const char *why)
{
    if (c->over)
        return;
    c->over = true;
    c->connecting = false;
    if (c->fd >= 0)
        close(take_fd(c->fd));
    stream_clear(&c->st);
    buf_clear(&c->in);
    if (c->main)
        io_srun_gone(s, why);
}

/* The connection is gone.  It is called again: a network may have failed, not srun; who said goodbye listens no more.
 */
static void lost(struct step *s, struct io_client *c)
{
    close(take_fd(c->fd));
    c->connecting = false;
    buf_reset(&c->in);
    c->again = true;
    c->give_up_ms = clock_mono_ms() + IO_PATIENCE_MS;
    try_connect(s, c);
}

/* ---- out ---- */

void io_client_flush(struct step *s, struct io_client *c)
{
    const char *p;
    size_t len;
    while (c->fd >= 0 && !c->connecting && (len = stream_next(&c->st, &p))) {
        if (c->held && c->st.opened == c->st.opening.len)
            return;
        ssize_t n = send(c->fd, p, len, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno != EAGAIN)
            lost(s, c);
        if (n < 0)
            return;
        stream_sent(&c->st, (size_t)n);
    }
}

/* ---- in ---- */

static void take_signal(struct step *s, const struct frame *f)
{
    Pb__IoSignal *g = pb__io_signal__unpack(NULL, f->len, f->body);
    if (!g)
        return;
    Pb__KillOrder k = PB__KILL_ORDER__INIT;
    k.signal = g->signal;
    k.terminate = g->terminate;
    k.grace_s = g->grace_s;
    k.reason = g->reason;
    step_kill(s, &k);
    pb__io_signal__free_unpacked(g, NULL);
}

static void take_stdin(struct step *s, const struct io_client *c, const struct frame *f)
{
    Pb__IoData *d = pb__io_data__unpack(NULL, f->len, f->body);
    if (d && d->fd == 0)
        io_take_stdin(s, d, c->main);
    else if (d && d->eof && c->main)
        io_close_stream(s, d->fd);
    if (d)
        pb__io_data__free_unpacked(d, NULL);
}

static void take_window(struct step *s, const struct frame *f)
{
    Pb__IoWindow *w = pb__io_window__unpack(NULL, f->len, f->body);
    if (w)
        pty_resize(s, w->rows, w->cols);
    if (w)
        pb__io_window__free_unpacked(w, NULL);
}

static bool take_ack(struct io_client *c, const struct frame *f)
{
    Pb__IoAck *a = pb__io_ack__unpack(NULL, f->len, f->body);
    bool ok = a && stream_acked(&c->st, a->received);
    if (ok && f->type == MSG_IO_WELCOME && c->held) {
        c->held = false;
        c->st.sent = c->st.start;
    }
    if (a)
        pb__io_ack__free_unpacked(a, NULL);
    return ok;
}

static bool take_frame(struct step *s, struct io_client *c, const struct frame *f, size_t used)
{
    if (f->type != MSG_IO_WELCOME)
        stream_took(&c->st, used);
    switch (f->type) {
    case MSG_IO_DATA: take_stdin(s, c, f); return true;
    case MSG_IO_SIGNAL: take_signal(s, f); return true;
    case MSG_IO_WINDOW: take_window(s, f); return true;
    case MSG_IO_WELCOME:
    case MSG_IO_ACK: return take_ack(c, f);
    default:
        if (c->main && s->io->on_frame)
            s->io->on_frame(s, f);
        return true;
    }
}

static void read_frames(struct step *s, struct io_client *c)
{
    struct frame f;
    size_t used, at = 0;
    int rc = 1;
    while (rc > 0 && !c->over && (rc = frame_find(c->in.s + at, c->in.len - at, FRAME_FULL, &f, &used, NULL)) > 0) {
        if (!take_frame(s, c, &f, used))
            rc = -1;
        at += used;
    }
    if (c->over)
        return;
    buf_cut(&c->in, at);
    if (rc < 0)
        io_client_over(s, c, "sent what is not a message");
    else if (!io_stdin_full(s))
        stream_ack(&c->st, false);
}

static void read_client(struct step *s, struct io_client *c)
{
    ssize_t n = read(c->fd, buf_room(&c->in, CHUNK), CHUNK);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        lost(s, c);
        return;
    }
    c->in.len += (size_t)n;
    read_frames(s, c);
}

/* ---- the loop's part ---- */

short io_client_events(const struct io_client *c)
{
    bool more = c->held ? c->st.opened < c->st.opening.len : !stream_idle(&c->st);
    return (short)(POLLIN | (c->connecting || more ? POLLOUT : 0));
}

static void finish_connect(struct step *s, struct io_client *c)
{
    int rc = 0;
    socklen_t len = sizeof(rc);
    getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &rc, &len);
    c->connecting = false;
    if (!rc)
        return;
    close(take_fd(c->fd));
    not_connected(s, c, rc);
}

void io_client_handle(struct step *s, struct io_client *c, short revents)
{
    if (c->fd < 0 || !revents)
        return;
    if (c->connecting)
        finish_connect(s, c);
    else if (revents & (POLLIN | POLLHUP | POLLERR))
        read_client(s, c);
}

void io_client_due(struct step *s, struct io_client *c, int64_t now)
{
    if (c->over || (c->fd >= 0 && !c->connecting) || !c->give_up_ms)
        return;
    if (now >= c->give_up_ms)
        io_client_over(s, c, c->again ? "was lost" : "could not be reached");
    else if (c->fd < 0 && now >= c->retry_ms)
        try_connect(s, c);
}

int64_t io_client_next_ms(const struct io_client *c)
{
    if (c->over || (c->fd >= 0 && !c->connecting) || !c->give_up_ms)
        return -1;
    return c->connecting ? c->give_up_ms : MIN(c->retry_ms, c->give_up_ms);
}
