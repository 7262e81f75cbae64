/* stepio - frames between srun and the supervisors of its step; see stepio.h. */
#include "cli/stepio.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#include "base/str.h"
#include "cli/say.h"
#include "wire/frame.h"

#define CHUNK 65536
#define OUT_FULL (1u << 20) /* stdin waits while a supervisor has this much to take */
#define STRANGERS 64        /* connections that no node of the step accounts for */
#define FIXED 3             /* the two listening sockets and stdin come first in the poll set */

void stepio_init(struct stepio *s, struct endpoint *e, struct output *o, struct tasks *t, uint32_t nodes)
{
    *s = (struct stepio){ .endpoint = e, .output = o, .tasks = t, .nodes = nodes, .in_fd = STDIN_FILENO, .carry = { false, true, true } };
}

static void hang_up(struct supervisor *p)
{
    if (p->fd >= 0)
        close(take_fd(p->fd));
    buf_clear(&p->in);
    buf_clear(&p->out);
}

void stepio_clear(struct stepio *s)
{
    for (size_t i = 0; i < s->peers.n; i++)
        hang_up(&s->peers.at[i]);
    vec_clear(&s->peers);
}

/* A supervisor that goes away before its tasks ended takes them along. */
static void lose(struct stepio *s, struct supervisor *p)
{
    for (uint32_t i = 0; p->known && i < p->n; i++) {
        tasks_lose(s->tasks, p->first + i);
        if (p->first + i < s->tasks->n)
            s->tasks->at[p->first + i].eof[1] = s->tasks->at[p->first + i].eof[2] = true;
    }
    hang_up(p);
}

/* ---- out ---- */

static void flush(struct stepio *s, struct supervisor *p)
{
    size_t sent = 0;
    while (p->fd >= 0 && sent < p->out.len) {
        ssize_t n = send(p->fd, p->out.s + sent, p->out.len - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            break;
        if (n < 0) {
            buf_reset(&p->out); /* its last words may still be there to read */
            return;
        }
        sent += (size_t)n;
    }
    buf_cut(&p->out, sent);
}

static void send_stdin(struct stepio *s, struct supervisor *p, const void *data, size_t n)
{
    Pb__IoData d = PB__IO_DATA__INIT;
    d.data = (ProtobufCBinaryData){ n, (uint8_t *)data };
    d.eof = !n;
    frame_add_pb(&p->out, MSG_IO_DATA, 0, 0, &d.base);
    flush(s, p);
}

void stepio_signal(struct stepio *s, int signo)
{
    Pb__IoSignal g = PB__IO_SIGNAL__INIT;
    g.signal = (uint32_t)signo;
    for (size_t i = 0; i < s->peers.n; i++) {
        struct supervisor *p = &s->peers.at[i];
        if (p->fd < 0 || !p->known)
            continue;
        frame_add_pb(&p->out, MSG_IO_SIGNAL, 0, 0, &g.base);
        flush(s, p);
    }
}

static bool all_here(const struct stepio *s)
{
    return s->hellos >= s->nodes;
}

static bool may_read_stdin(const struct stepio *s)
{
    for (size_t i = 0; i < s->peers.n; i++)
        if (s->peers.at[i].fd >= 0 && s->peers.at[i].out.len > OUT_FULL)
            return false;
    return s->in_fd >= 0 && all_here(s);
}

static void read_stdin(struct stepio *s)
{
    char chunk[CHUNK];
    ssize_t n = read(s->in_fd, chunk, sizeof(chunk));
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n <= 0) {
        s->in_fd = -1;
        s->in_eof = true;
    }
    for (size_t i = 0; i < s->peers.n; i++)
        if (s->peers.at[i].fd >= 0 && s->peers.at[i].known)
            send_stdin(s, &s->peers.at[i], chunk, n > 0 ? (size_t)n : 0);
}

/* ---- in ---- */

static void launch_failed(struct stepio *s, struct supervisor *p, const Pb__IoHello *h)
{
    const char *why = str_or(h->text, err_text(h->code));
    say_error("Task launch for StepId=%u.%u failed on node %s: %s", s->job, s->step, h->node, why);
    for (uint32_t i = 0; i < p->n && p->first + i < s->tasks->n; i++) {
        struct task *t = &s->tasks->at[p->first + i];
        if (t->ended)
            continue;
        tasks_lose(s->tasks, p->first + i);
        t->told = true;
        s->tasks->untold--;
    }
    s->failed = true;
}

static bool take_hello(struct stepio *s, struct supervisor *p, const Pb__IoHello *h)
{
    if (!endpoint_knows(s->endpoint, h->token.data, h->token.len) || h->first_task > s->tasks->n ||
        h->tasks > s->tasks->n - h->first_task || h->node_index >= s->nodes)
        return false;
    p->known = true;
    p->node = h->node_index;
    p->first = h->first_task;
    p->n = h->tasks;
    s->hellos++;
    tasks_node(s->tasks, p->node, h->node, p->first, p->n);
    if (h->code)
        launch_failed(s, p, h);
    if (s->in_eof || s->in_fd < 0)
        send_stdin(s, p, NULL, 0);
    return true;
}

/* A supervisor's notice of the end, on stderr like all it says: "error: *** STEP 12.0 ON n1 CANCELLED AT ...". */
static void see_notice(struct stepio *s, const Pb__IoData *d)
{
    auto_free char *notice = mem_printf("error: *** STEP %u.%u ON ", s->job, s->step);
    if (s->cancelled || d->fd != 2 || !memmem(d->data.data, d->data.len, notice, strlen(notice)))
        return;
    s->cancelled = true;
    say_info("Job step aborted: Waiting up to %u seconds for job step to finish.", s->kill_wait_s + 2);
}

static void take_data(struct stepio *s, const Pb__IoData *d)
{
    if (d->task >= s->tasks->n || d->fd < 1 || d->fd > 2)
        return;
    if (d->data.len)
        see_notice(s, d);
    if (d->data.len)
        output_add(s->output, d->task, d->fd, d->data.data, d->data.len);
    if (d->eof) {
        output_add(s->output, d->task, d->fd, NULL, 0);
        s->tasks->at[d->task].eof[d->fd] = true;
    }
}

/* Before its token nobody is believed; after it, only messages of a step. */
static bool take_frame(struct stepio *s, struct supervisor *p, const struct frame *f)
{
    enum msg_type want = p->known ? f->type : MSG_IO_HELLO;
    if (f->type != want || (f->type != MSG_IO_HELLO && f->type != MSG_IO_DATA && f->type != MSG_IO_EXIT))
        return false;
    ProtobufCMessage *m = protobuf_c_message_unpack(msg_descriptor(f->type), NULL, f->len, f->body);
    bool ok = m != NULL;
    if (m && f->type == MSG_IO_HELLO)
        ok = !p->known && take_hello(s, p, (Pb__IoHello *)m);
    else if (m && f->type == MSG_IO_DATA)
        take_data(s, (Pb__IoData *)m);
    else if (m)
        tasks_end(s->tasks, ((Pb__IoExit *)m)->task, (int)((Pb__IoExit *)m)->status);
    if (m)
        protobuf_c_message_free_unpacked(m, NULL);
    return ok;
}

static void read_peer(struct stepio *s, struct supervisor *p)
{
    ssize_t n = recv(p->fd, buf_room(&p->in, CHUNK), CHUNK, MSG_DONTWAIT);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n <= 0) {
        lose(s, p);
        return;
    }
    p->in.len += (size_t)n;
    struct frame f;
    size_t used, at = 0;
    int rc;
    while ((rc = frame_find(p->in.s + at, p->in.len - at, p->known ? FRAME_MAX : FRAME_MAX_HELLO, &f, &used, NULL)) > 0) {
        if (!take_frame(s, p, &f)) {
            rc = -1;
            break;
        }
        at += used;
    }
    buf_cut(&p->in, at);
    if (rc < 0)
        lose(s, p);
}

static void accept_all(struct stepio *s, int fd)
{
    for (;;) {
        int peer = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (peer < 0)
            return;
        if (s->peers.n >= (size_t)s->nodes + STRANGERS) {
            close(peer);
            continue;
        }
        int one = 1;
        (void)!setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)); /* a Unix socket has no such thing */
        vec_push(&s->peers, (struct supervisor){ .fd = peer });
        read_peer(s, &s->peers.at[s->peers.n - 1]);
    }
}

/* ---- the loop's part ---- */

size_t stepio_room(const struct stepio *s)
{
    return FIXED + s->peers.n;
}

nfds_t stepio_poll(struct stepio *s, struct pollfd *fds)
{
    nfds_t n = 0;
    fds[n++] = (struct pollfd){ s->endpoint->unix_fd, POLLIN, 0 };
    fds[n++] = (struct pollfd){ s->endpoint->tcp_fd, POLLIN, 0 };
    fds[n++] = (struct pollfd){ may_read_stdin(s) ? s->in_fd : -1, POLLIN, 0 };
    for (size_t i = 0; i < s->peers.n; i++)
        fds[n++] = (struct pollfd){ s->peers.at[i].fd, (short)(POLLIN | (s->peers.at[i].out.len ? POLLOUT : 0)), 0 };
    return n;
}

void stepio_handle(struct stepio *s, const struct pollfd *fds, nfds_t n)
{
    size_t known = n - FIXED; /* those that accept adds below were not asked */
    for (size_t i = 0; i < known && i < s->peers.n; i++) {
        struct supervisor *p = &s->peers.at[i];
        if (p->fd >= 0 && (fds[FIXED + i].revents & POLLOUT))
            flush(s, p);
        if (p->fd >= 0 && (fds[FIXED + i].revents & (POLLIN | POLLHUP | POLLERR)))
            read_peer(s, p);
    }
    if (fds[2].revents && s->in_fd >= 0)
        read_stdin(s);
    for (int i = 0; i < 2; i++)
        if (fds[i].revents)
            accept_all(s, fds[i].fd);
}

static bool drained(const struct stepio *s, const struct task *t)
{
    return (!s->carry[1] || t->eof[1]) && (!s->carry[2] || t->eof[2]);
}

bool stepio_done(const struct stepio *s)
{
    if (s->tasks->ended < s->tasks->n)
        return false;
    for (uint32_t i = 0; i < s->tasks->n; i++)
        if (!drained(s, &s->tasks->at[i]))
            return false;
    return true;
}
