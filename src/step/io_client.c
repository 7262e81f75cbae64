/* io_client - one client of a step's streams: its connection, and reconnection; see io.h. */
#include <errno.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "step/io_priv.h"
#include "step/as_user.h"
#include "step/pty.h"
#include "step/watch.h"

#define RETRY_MS 250
#define HELLO_RANKS 512 /* srun has a longer list in the controller's reply */

struct io_client *io_client_new(const Pb__IoEndpoint *to, const char *host, bool main)
{
    struct io_client *c = NEW(struct io_client);
    c->main = main;
    c->link.fd = -1;
    c->dial = (struct as_user)AS_USER_INIT;
    c->unix_path = mem_str(to->unix_path);
    c->host = mem_str(str_or(host, to->host));
    c->port = to->port <= UINT16_MAX ? (uint16_t)to->port : 0;
    buf_add(&c->token, to->token.data, to->token.len);
    return c;
}

/* ---- connecting ---- */

/* In a helper: the user chose the path, and the socket behind it may accept no connection for ever. */
static void dial_unix(struct step *s, int fd, void *path)
{
    struct err err = ERR_INIT;
    (void)s;
    auto_close int to = link_sock_connect_unix(path, &err);
    as_user_send(fd, &err, to);
}

/* srun runs as the job's user, or is root's. */
static bool is_of_user(const struct step *s, int fd)
{
    struct link_peer peer;
    return !link_sock_peer(fd, &peer) && (peer.uid == s->order->uid || peer.uid == 0);
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

/* A refused reconnection means that the client has exited. */
static void not_connected(struct step *s, struct io_client *c, int rc)
{
    if (c->again && (rc == ECONNREFUSED || rc == ENOENT))
        io_client_over(s, c, "went away");
}

static void connect_tcp(struct step *s, struct io_client *c)
{
    /* The address is numeric: a supervisor does not wait for a name server. */
    int rc = link_wait_begin(&c->link, c->host, c->port, LINK_SRUN, NULL);
    if (!rc)
        link_wait_secret(&c->link, false, c->token.s, c->token.len);
    if (rc)
        not_connected(s, c, rc);
    else
        say_hello(s, c);
}

static void dial_end(struct step *s, struct io_client *c)
{
    if (as_user_runs(&c->dial))
        watch_drop(s, c->dial.fd);
    as_user_end(&c->dial);
}

static void dialed(struct step *s, int fd, short revents, void *arg)
{
    struct io_client *c = arg;
    struct err reply;
    int to, rc = as_user_receive(&c->dial, &reply, &to);
    (void)fd, (void)revents;
    if (rc == EAGAIN)
        return;
    dial_end(s, c);
    if (to >= 0 && !is_of_user(s, to))
        close(take_fd(to));
    if (to < 0) {
        connect_tcp(s, c);
        return;
    }
    link_wait_use(&c->link, to, LINK_SRUN);
    say_hello(s, c);
}

/* By the Unix socket if srun is on this machine, else by TCP. */
static void try_connect(struct step *s, struct io_client *c)
{
    c->retry_ms = clock_mono_ms() + RETRY_MS;
    if (str_empty(c->unix_path) || as_user_start(&c->dial, s, dial_unix, c->unix_path, NULL))
        connect_tcp(s, c);
    else
        watch_fd(s, c->dial.fd, POLLIN, dialed, c);
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
    dial_end(s, c);
    link_wait_clear(&c->link);
    stream_clear(&c->st);
    if (c->main)
        io_srun_gone(s, why);
}

/* The connection is lost: reconnect, since the network may have failed and not srun. */
static void lost(struct step *s, struct io_client *c)
{
    link_wait_close(&c->link);
    c->again = true;
    c->give_up_ms = clock_mono_ms() + IO_PATIENCE_MS;
    try_connect(s, c);
}

/* ---- out ---- */

void io_client_flush(struct step *s, struct io_client *c)
{
    const char *p;
    size_t len, n;
    while (c->link.fd >= 0 && !c->link.connecting && (len = stream_next(&c->st, &p))) {
        if (c->held && c->st.opened == c->st.opening.len)
            return;
        int rc = link_wait_write(&c->link, p, len, &n, NULL);
        if (rc && rc != EAGAIN)
            lost(s, c);
        if (rc)
            return;
        stream_sent(&c->st, n);
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

static bool take_frame(struct step *s, struct io_client *c, const struct frame *f)
{
    if (f->type != MSG_IO_WELCOME)
        stream_took(&c->st, c->link.last);
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

static void read_client(struct step *s, struct io_client *c)
{
    struct frame f;
    int rc = link_wait_read(&c->link, NULL);
    if (rc && rc != EAGAIN)
        lost(s, c);
    if (rc)
        return;
    while (!c->over && (rc = link_wait_frame(&c->link, &f, NULL)) > 0 && take_frame(s, c, &f))
        ;
    if (c->over)
        return;
    if (rc)
        io_client_over(s, c, "sent what is not a message");
    else if (!io_stdin_full(s))
        stream_ack(&c->st, false);
}

/* ---- the loop's part ---- */

short io_client_events(const struct io_client *c)
{
    bool more = c->held ? c->st.opened < c->st.opening.len : !stream_idle(&c->st);
    return link_wait_events(&c->link, more);
}

static void finish_connect(struct step *s, struct io_client *c)
{
    int rc = link_wait_connected(&c->link, NULL);
    if (!rc)
        return;
    link_wait_close(&c->link);
    not_connected(s, c, rc);
}

void io_client_handle(struct step *s, struct io_client *c, short revents)
{
    if (c->link.fd < 0 || !revents)
        return;
    if (c->link.connecting)
        finish_connect(s, c);
    else if (revents & (POLLIN | POLLHUP | POLLERR))
        read_client(s, c);
}

void io_client_due(struct step *s, struct io_client *c, int64_t now)
{
    if (c->over || (c->link.fd >= 0 && !c->link.connecting) || !c->give_up_ms)
        return;
    if (now >= c->give_up_ms)
        io_client_over(s, c, c->again ? "was lost" : "could not be reached");
    else if (c->link.fd < 0 && !as_user_runs(&c->dial) && now >= c->retry_ms)
        try_connect(s, c);
}

int64_t io_client_next_ms(const struct io_client *c)
{
    if (c->over || (c->link.fd >= 0 && !c->link.connecting) || !c->give_up_ms)
        return -1;
    return c->link.connecting || as_user_runs(&c->dial) ? c->give_up_ms : MIN(c->retry_ms, c->give_up_ms);
}
