/* io - the standard streams of a step's tasks: the supervisor's ends, and the clients that receive them; see io.h. */
#include "step/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "step/io_priv.h"
#include "step/pmi.h"

#define OUT_FULL (4u << 20) /* bytes that srun has not acknowledged: read no more from the tasks */
#define ATTACHED_FULL                                                                                                  \
    (64u << 20)                 /* an attached client that is so far behind is dropped: the job does not wait for it */
#define STDIN_FULL (512u << 10) /* bytes waiting for a task: acknowledge no more */
#define STDIN_MAX (64u << 20)   /* bytes waiting for a task, from an srun that ignores missing acknowledgements */
#define CHUNK (256u << 10)
#define PIPE_MOST (1u << 20)
#define LATE_MOST (2u * PIPE_MOST) /* both streams of a task */
#define RECENT (64u << 10) /* bytes of recent output for a client that attaches */
#define PTY_EOF "\004"     /* end of input on a terminal */

/* ---- clients ---- */

static struct io_client *srun_of(const struct step *s)
{
    struct io_client *c = s->io && s->io->clients.n ? s->io->clients.at[0] : NULL;
    return c && c->main ? c : NULL;
}

static bool has_clients(const struct step *s)
{
    for (size_t i = 0; i < s->io->clients.n; i++)
        if (!s->io->clients.at[i]->over)
            return true;
    return false;
}

void io_prepare(struct step *s)
{
    if (s->batch || s->hook || !s->order->step->io)
        return;
    s->io = NEW(struct io);
    vec_push(&s->io->clients, io_client_new(s->order->step->io, s->io_host, true));
}

void io_connect(struct step *s)
{
    if (!s->io)
        return;
    s->io->connected = true;
    for (size_t i = 0; i < s->io->clients.n; i++)
        io_client_connect(s, s->io->clients.at[i]);
}

static void add_exit(struct io_client *c, const struct task *t)
{
    Pb__IoExit e = PB__IO_EXIT__INIT;
    e.task = t->rank;
    e.status = (uint32_t)t->status;
    stream_add(&c->st, MSG_IO_EXIT, &e.base);
}

static void add_eof(struct io_client *c, uint32_t rank, uint32_t fd)
{
    Pb__IoData d = PB__IO_DATA__INIT;
    d.task = rank;
    d.fd = fd;
    d.eof = true;
    stream_add(&c->st, MSG_IO_DATA, &d.base);
}

/* For a client that attaches: the recent output, and which streams and tasks have ended. */
static void add_recent(const struct step *s, struct io_client *c)
{
    stream_add_bytes(&c->st, s->io->recent.s, s->io->recent.len);
    for (uint32_t i = 0; i < s->ntasks; i++) {
        const struct task *t = &s->task[i];
        if (t->out < 0)
            add_eof(c, t->rank, 1);
        if (t->err < 0)
            add_eof(c, t->rank, 2);
        if (!t->running && !t->epilog)
            add_exit(c, t);
    }
}

int io_attach(struct step *s, const Pb__IoEndpoint *to, const char *host, struct err *err)
{
    if (!s->io)
        s->io = NEW(struct io);
    size_t alive = 0;
    for (size_t i = 0; i < s->io->clients.n; i++)
        alive += !s->io->clients.at[i]->over;
    if (alive >= IO_CLIENTS_MAX)
        return err_set(err, EAGAIN, "%u clients are attached to this step already", IO_CLIENTS_MAX);
    struct io_client *c = io_client_new(to, host, false);
    vec_push(&s->io->clients, c);
    add_recent(s, c);
    if (s->io->connected || !srun_of(s))
        io_client_connect(s, c);
    return 0;
}

/* Close the tasks' stdin: no further input can arrive. */
void io_srun_gone(struct step *s, const char *why)
{
    for (uint32_t i = 0; i < s->ntasks; i++)
        s->task[i].stdin_eof = true;
    if (s->nrunning && !s->terminating)
        snprintf(s->why, sizeof(s->why), "output was dropped: srun %s", why);
    step_pmi_lost(s);
}

/* ---- out ---- */

static void flush_all(struct step *s)
{
    for (size_t i = 0; i < s->io->clients.n; i++)
        if (!s->io->clients.at[i]->over)
            io_client_flush(s, s->io->clients.at[i]);
}

/* May more output be read?  Only the step's srun can hold up the tasks; attached clients cannot. */
static bool may_read(const struct step *s)
{
    const struct io_client *c = srun_of(s);
    return !c || c->over || stream_open(&c->st) < OUT_FULL;
}

static void drop_the_slow(struct step *s)
{
    for (size_t i = 0; i < s->io->clients.n; i++) {
        struct io_client *c = s->io->clients.at[i];
        if (!c->main && !c->over && stream_open(&c->st) > ATTACHED_FULL)
            io_client_over(s, c, "is too slow");
    }
}

/* Keep the recent output for clients that attach later. */
static void remember(struct io *io, Pb__IoData d)
{
    size_t extra = d.data.len > RECENT ? d.data.len - RECENT : 0, used, at = 0;
    struct frame f;
    d.data.data += extra;
    d.data.len -= extra;
    frame_add_pb(&io->recent, MSG_IO_DATA, 0, 0, &d.base);
    if (io->recent.len < 2 * RECENT)
        return;
    while (io->recent.len - at > RECENT &&
           frame_find(io->recent.s + at, io->recent.len - at, FRAME_MAX, &f, &used, NULL) > 0)
        at += used;
    buf_cut(&io->recent, at);
}

static void add_data(struct step *s, uint32_t rank, uint32_t fd, const void *p, size_t n)
{
    Pb__IoData d = PB__IO_DATA__INIT;
    d.task = rank;
    d.fd = fd;
    d.data = (ProtobufCBinaryData){ n, (uint8_t *)p };
    d.eof = !n;
    if (n)
        remember(s->io, d);
    for (size_t i = 0; i < s->io->clients.n; i++)
        if (!s->io->clients.at[i]->over)
            stream_add(&s->io->clients.at[i]->st, MSG_IO_DATA, &d.base);
}

/* A terminal carries stdout and stderr, so both end with it. */
static void end_stream(struct step *s, struct task *t, int *fd, uint32_t number)
{
    close(take_fd(*fd));
    add_data(s, t->rank, number, NULL, 0);
    if (t->pty && t->err < 0)
        add_data(s, t->rank, 2, NULL, 0);
}

/* Read once.  True: there may be more. */
static bool pump_out(struct step *s, struct task *t, int *fd, uint32_t number)
{
    static char chunk[CHUNK];
    ssize_t n = read(*fd, chunk, sizeof(chunk));
    bool empty = n < 0 && (errno == EAGAIN || errno == EINTR);
    if (n > 0)
        add_data(s, t->rank, number, chunk, (size_t)n);
    if (n > 0 && s->io->no_more)
        t->late += (size_t)n;
    /* A terminal returns EIO.  After the last process a pipe can hold no more than it has room for: the rest is from a
     * process outside of the step that was given its end. */
    if ((n <= 0 && (!empty || s->io->no_more)) || t->late > LATE_MOST)
        end_stream(s, t, fd, number);
    return n > 0 && *fd >= 0;
}

/* Send what the task wrote before its exit message.  A pipe holds at most PIPE_MOST bytes; stop there, since other
 * processes may keep writing. */
static void pump_rest(struct step *s, struct task *t)
{
    for (uint32_t i = 0; i <= PIPE_MOST / CHUNK && t->out >= 0 && may_read(s) && pump_out(s, t, &t->out, 1); i++)
        continue;
    for (uint32_t i = 0; i <= PIPE_MOST / CHUNK && t->err >= 0 && may_read(s) && pump_out(s, t, &t->err, 2); i++)
        continue;
}

/* --wait-for-children: a successful task has not ended while any process of the step runs here. */
static bool waits_for_children(const struct step *s, const struct task *t)
{
    return s->order->step->wait_for_children && !t->status && !s->io->no_more && !s->terminating;
}

void io_exit(struct step *s, struct task *t)
{
    if (!s->io || t->exit_told || t->epilog || waits_for_children(s, t))
        return;
    t->exit_told = true;
    pump_rest(s, t);
    for (size_t i = 0; i < s->io->clients.n; i++)
        if (!s->io->clients.at[i]->over)
            add_exit(s->io->clients.at[i], t);
    flush_all(s); /* there may be no further event that triggers sending */
}

void io_say(struct step *s, const char *line, size_t len)
{
    if (s->io)
        add_data(s, env_rank(s->order, 0), 2, line, len);
}

void io_send(struct step *s, enum msg_type type, const ProtobufCMessage *msg)
{
    struct io_client *c = srun_of(s);
    if (!c || c->over)
        return;
    stream_add(&c->st, type, msg);
    io_client_flush(s, c);
}

void io_on_frame(struct step *s, io_frame_fn *fn)
{
    if (s->io)
        s->io->on_frame = fn;
}

/* ---- in ---- */

/* 1 + the only task that receives stdin; 0: all tasks. */
static uint32_t reader_of(const struct step *s)
{
    const Pb__StepSpec *spec = s->order->step;
    if (!spec)
        return 0;
    return spec->pty ? spec->pty_task + 1 : (uint32_t)MAX(spec->stdin_task, 0);
}

void io_take_stdin(struct step *s, const Pb__IoData *d, bool may_end)
{
    uint32_t only = reader_of(s);
    for (uint32_t i = 0; i < s->ntasks; i++) {
        struct task *t = &s->task[i];
        if (only && t->rank != only - 1)
            continue;
        if (t->in >= 0 && t->stdin_data.len < STDIN_MAX)
            buf_add(&t->stdin_data, d->data.data, d->data.len);
        if (d->eof && may_end && t->pty && !t->stdin_eof)
            buf_adds(&t->stdin_data, PTY_EOF);
        t->stdin_eof = t->stdin_eof || (d->eof && may_end);
    }
}

void io_close_stream(struct step *s, uint32_t number)
{
    for (uint32_t i = 0; i < s->ntasks; i++) {
        struct task *t = &s->task[i];
        int *fd = number == 1 ? &t->out : &t->err;
        if (*fd >= 0)
            end_stream(s, t, fd, number);
    }
}

bool io_stdin_full(const struct step *s)
{
    for (uint32_t i = 0; i < s->ntasks; i++)
        if (s->task[i].in >= 0 && s->task[i].stdin_data.len > STDIN_FULL)
            return true;
    return false;
}

static void feed(struct task *t)
{
    size_t done = 0;
    while (t->in >= 0 && done < t->stdin_data.len) {
        ssize_t n = write(t->in, t->stdin_data.s + done, t->stdin_data.len - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            break;
        if (n < 0) { /* the task has closed its stdin */
            close(take_fd(t->in));
            buf_clear(&t->stdin_data);
            return;
        }
        done += (size_t)n;
    }
    buf_cut(&t->stdin_data, done);
    if (t->in >= 0 && t->stdin_eof && !t->stdin_data.len)
        close(take_fd(t->in));
}

static void feed_all(struct step *s)
{
    bool full = io_stdin_full(s);
    for (uint32_t i = 0; i < s->ntasks; i++)
        feed(&s->task[i]);
    if (full && !io_stdin_full(s)) /* srun waits for this acknowledgement */
        for (size_t i = 0; i < s->io->clients.n; i++)
            if (!s->io->clients.at[i]->over)
                stream_ack(&s->io->clients.at[i]->st, true);
}

/* ---- the loop's part ---- */

nfds_t io_count(const struct step *s)
{
    return s->io ? s->io->clients.n + 3 * (nfds_t)s->ntasks : 0;
}

nfds_t io_poll(struct step *s, struct pollfd *fds)
{
    struct io *io = s->io;
    if (!io)
        return 0;
    feed_all(s);
    flush_all(s);
    nfds_t n = 0;
    for (size_t i = 0; i < io->clients.n; i++)
        fds[n++] = (struct pollfd){ io->clients.at[i]->link.fd, io_client_events(io->clients.at[i]), 0 };
    io->polled = n;
    bool out = may_read(s);
    for (uint32_t i = 0; i < s->ntasks; i++) {
        struct task *t = &s->task[i];
        fds[n++] = (struct pollfd){ out ? t->out : -1, POLLIN, 0 };
        fds[n++] = (struct pollfd){ out ? t->err : -1, POLLIN, 0 };
        fds[n++] = (struct pollfd){ t->stdin_data.len ? t->in : -1, POLLOUT, 0 };
    }
    return n;
}

static void handle_tasks(struct step *s, const struct pollfd *fds, nfds_t n)
{
    for (nfds_t i = 0; i + 2 < n && i / 3 < s->ntasks; i += 3) {
        struct task *t = &s->task[i / 3];
        if (fds[i].revents && t->out >= 0)
            pump_out(s, t, &t->out, 1);
        if (fds[i + 1].revents && t->err >= 0)
            pump_out(s, t, &t->err, 2);
    }
}

void io_handle(struct step *s, const struct pollfd *fds, nfds_t n)
{
    struct io *io = s->io;
    if (!io || !n)
        return;
    for (size_t i = 0; i < io->polled; i++)
        io_client_handle(s, io->clients.at[i], fds[i].revents);
    handle_tasks(s, fds + io->polled, n - io->polled);
    int64_t now = clock_mono_ms();
    for (size_t i = 0; i < io->clients.n; i++)
        io_client_due(s, io->clients.at[i], now);
    drop_the_slow(s);
    flush_all(s);
}

int64_t io_next_ms(const struct step *s)
{
    int64_t next = -1;
    for (size_t i = 0; s->io && i < s->io->clients.n; i++) {
        int64_t at = io_client_next_ms(s->io->clients.at[i]);
        next = next < 0 || (at >= 0 && at < next) ? at : next;
    }
    return next;
}

/* ---- the end ---- */

/* No process of the step is left, so a writing end that is still open belongs to another process and is not waited
 * for. */
void io_no_more(struct step *s)
{
    if (!s->io)
        return;
    s->io->no_more = true;
    for (uint32_t i = 0; i < s->ntasks; i++) {
        struct task *t = &s->task[i];
        while (t->out >= 0 && may_read(s))
            pump_out(s, t, &t->out, 1);
        while (t->err >= 0 && may_read(s))
            pump_out(s, t, &t->err, 2);
        if (!t->running)
            io_exit(s, t);
    }
    flush_all(s);
}

static bool streams_ended(const struct step *s)
{
    for (uint32_t i = 0; i < s->ntasks; i++)
        if (s->task[i].out >= 0 || s->task[i].err >= 0)
            return false;
    return true;
}

bool io_output_expected(const struct step *s)
{
    return s->io && has_clients(s) && !streams_ended(s);
}

bool io_done(const struct step *s)
{
    if (!s->io || !has_clients(s))
        return true;
    if (!streams_ended(s))
        return false;
    for (size_t i = 0; i < s->io->clients.n; i++) {
        const struct io_client *c = s->io->clients.at[i];
        if (!c->over && (stream_open(&c->st) || !stream_idle(&c->st) || c->link.connecting || c->link.fd < 0))
            return false;
    }
    return true;
}
