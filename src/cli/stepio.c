/* stepio - frames between srun and the supervisors of its step; see stepio.h. */
#include "cli/stepio.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/clock.h"
#include "base/errnum.h"
#include "base/str.h"
#include "cli/say.h"
#include "wire/frame.h"

#define OUT_FULL (1u << 20) /* stdin waits while a supervisor has this much to take */
#define STRANGERS 64        /* connections that no node of the step accounts for */
#define FIXED 3             /* the two listening sockets and stdin come first in the poll set */

void stepio_init(struct stepio *s, struct endpoint *e, struct output *o, struct tasks *t, uint32_t nodes)
{
    *s = (struct stepio){ .endpoint = e,
                          .output = o,
                          .tasks = t,
                          .nodes = nodes,
                          .in_fd = STDIN_FILENO,
                          .stdin_task = -1,
                          .carry = { false, true, true } };
}

static void hang_up(struct supervisor *p)
{
    link_wait_clear(&p->link);
    stream_clear(&p->st);
    p->away_ms = 0;
}

void stepio_clear(struct stepio *s)
{
    for (size_t i = 0; i < s->peers.n; i++) {
        hang_up(&s->peers.at[i]);
        free(s->peers.at[i].rank);
    }
    vec_clear(&s->peers);
}

static bool all_ended(const struct stepio *s, const struct supervisor *p)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (!s->tasks->at[p->rank[i]].ended)
            return false;
    return true;
}

/* A supervisor that is gone for good takes along the tasks that have not ended. */
static void supervisor_lost(struct stepio *s, struct supervisor *p)
{
    for (uint32_t i = 0; p->known && i < p->n; i++) {
        tasks_lose(s->tasks, p->rank[i]);
        s->tasks->at[p->rank[i]].eof[1] = s->tasks->at[p->rank[i]].eof[2] = true;
    }
    hang_up(p);
}

/* The connection ended.  On this machine that is the end of the supervisor; elsewhere it may be the network's. */
static void supervisor_broken(struct stepio *s, struct supervisor *p)
{
    if (!p->known || p->local || all_ended(s, p)) {
        supervisor_lost(s, p);
        return;
    }
    link_wait_close(&p->link);
    p->away_ms = clock_mono_ms();
    const char *name = p->node < s->tasks->nodes.n ? s->tasks->nodes.at[p->node] : "?";
    say_info("lost the connection to node %s, waiting for it to come back", name);
}

int64_t stepio_due(struct stepio *s, int64_t now)
{
    int64_t next = 0;
    for (size_t i = 0; i < s->peers.n; i++) {
        struct supervisor *p = &s->peers.at[i];
        if (!p->away_ms)
            continue;
        int64_t end = p->away_ms + STEPIO_PATIENCE_MS;
        if (now >= end)
            supervisor_lost(s, p);
        else
            next = next ? MIN(next, end) : end;
    }
    return next;
}

/* ---- out ---- */

static void supervisor_flush(struct supervisor *p)
{
    const char *at;
    size_t len, n;
    while (p->link.fd >= 0 && (len = stream_next(&p->st, &at))) {
        if (link_wait_write(&p->link, at, len, &n, NULL))
            return; /* full, or gone: reading tells, and its last words may still be there */
        stream_sent(&p->st, n);
    }
}

static void send_to(struct supervisor *p, enum msg_type type, const ProtobufCMessage *m)
{
    if (!p->known || (p->link.fd < 0 && !p->away_ms))
        return;
    stream_add(&p->st, type, m);
    supervisor_flush(p);
}

void stepio_send(struct stepio *s, uint32_t node, enum msg_type type, const ProtobufCMessage *m)
{
    for (size_t i = 0; i < s->peers.n; i++)
        if (s->peers.at[i].node == node)
            send_to(&s->peers.at[i], type, m);
}

void stepio_send_all(struct stepio *s, enum msg_type type, const ProtobufCMessage *m)
{
    for (size_t i = 0; i < s->peers.n; i++)
        send_to(&s->peers.at[i], type, m);
}

void stepio_signal(struct stepio *s, int signo, const char *reason)
{
    Pb__IoSignal g = PB__IO_SIGNAL__INIT;
    g.signal = (uint32_t)signo;
    if (reason)
        g.reason = (char *)reason;
    stepio_send_all(s, MSG_IO_SIGNAL, &g.base);
}

void stepio_kill(struct stepio *s, bool gently, uint32_t grace_s, const char *reason)
{
    Pb__IoSignal g = PB__IO_SIGNAL__INIT;
    g.signal = gently ? SIGTERM : SIGKILL;
    g.terminate = gently;
    g.grace_s = grace_s;
    g.reason = (char *)reason;
    stepio_send_all(s, MSG_IO_SIGNAL, &g.base);
}

static bool reads_stdin(const struct stepio *s, const struct supervisor *p)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (s->stdin_task < 0 || p->rank[i] == s->stdin_task)
            return true;
    return false;
}

static void send_stdin(struct stepio *s, struct supervisor *p, const void *data, size_t n)
{
    Pb__IoData d = PB__IO_DATA__INIT;
    d.data = (ProtobufCBinaryData){ n, (uint8_t *)data };
    d.eof = !n;
    if (reads_stdin(s, p))
        send_to(p, MSG_IO_DATA, &d.base);
}

static bool may_read_stdin(const struct stepio *s)
{
    for (size_t i = 0; i < s->peers.n; i++)
        if (stream_open(&s->peers.at[i].st) > OUT_FULL)
            return false;
    return s->in_fd >= 0 && s->hellos >= s->nodes;
}

static void read_stdin(struct stepio *s)
{
    char chunk[65536];
    ssize_t n = read(s->in_fd, chunk, sizeof(chunk));
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n <= 0) {
        s->in_fd = -1;
        s->in_eof = true;
    }
    for (size_t i = 0; i < s->peers.n; i++)
        send_stdin(s, &s->peers.at[i], chunk, n > 0 ? (size_t)n : 0);
}

/* ---- connected supervisors ---- */

static void launch_failed(struct stepio *s, struct supervisor *p, const Pb__IoHello *h)
{
    bool slurms = h->code >= SLURM_UNEXPECTED_MSG_ERROR; /* its words are the code's, and the sentence comes besides */
    const char *why = slurms ? err_text(h->code) : str_or(h->text, err_text(h->code));
    say_error("Task launch for StepId=%u.%u failed on node %s: %s", s->job, s->step, h->node, why);
    if (slurms && !str_empty(h->text) && !str_eq(h->text, why))
        say_error("%s", h->text);
    if (slurms && !s->failed) {
        say_error("Application launch failed: %s", why);
        say_info("Job step aborted");
    }
    for (uint32_t i = 0; i < p->n; i++) {
        struct task *t = &s->tasks->at[p->rank[i]];
        if (t->ended)
            continue;
        tasks_lose(s->tasks, p->rank[i]);
        if (slurms)
            t->status = (h->code & 0xff) << 8;
        t->told = true;
        s->tasks->untold--;
    }
    s->failed = true;
}

/* The ranks by the hello, or by the step's record, or counted up. */
static bool learn_ranks(const struct stepio *s, struct supervisor *p, const Pb__IoHello *h)
{
    const Pb__Step *l = s->layout;
    const Pb__Ranks *told = l && h->node_index < l->n_ranks ? l->ranks[h->node_index] : NULL;
    if (h->tasks > s->tasks->n)
        return false;
    p->n = h->tasks;
    p->rank = mem_array(p->n + 1, sizeof(*p->rank));
    for (uint32_t i = 0; i < p->n; i++) {
        uint64_t rank = (uint64_t)h->first_task + i;
        if (i < h->n_ranks)
            rank = h->ranks[i];
        else if (told && i < told->n_rank)
            rank = told->rank[i];
        if (rank >= s->tasks->n)
            return false;
        p->rank[i] = (uint32_t)rank;
    }
    return true;
}

void stepio_refused(struct stepio *s, uint32_t index, const char *node, uint32_t code, const char *text)
{
    const Pb__Step *l = s->layout;
    Pb__IoHello h = PB__IO_HELLO__INIT;
    struct supervisor none = { 0 };
    bool here = !l || index >= l->n_tasks;
    for (size_t i = 0; i < s->peers.n; i++)
        here |= s->peers.at[i].known && s->peers.at[i].node == index;
    if (here)
        return;
    h.node_index = index, h.node = (char *)node, h.code = code, h.text = (char *)text;
    h.tasks = l->tasks[index];
    for (uint32_t i = 0; i < index; i++)
        h.first_task += l->tasks[i];
    if (learn_ranks(s, &none, &h)) {
        s->hellos++;
        tasks_node(s->tasks, index, node, none.rank, none.n);
        launch_failed(s, &none, &h);
        for (uint32_t i = 0; i < none.n; i++)
            s->tasks->at[none.rank[i]].eof[1] = s->tasks->at[none.rank[i]].eof[2] = true;
    }
    free(none.rank);
}

static void supervisor_welcome(struct supervisor *p)
{
    Pb__IoAck a = PB__IO_ACK__INIT;
    a.received = p->st.told = p->st.taken;
    stream_reopen(&p->st, MSG_IO_WELCOME, &a.base);
    supervisor_flush(p);
}

static bool take_hello(struct stepio *s, struct supervisor *p, const Pb__IoHello *h)
{
    if (h->node_index >= s->nodes || !learn_ranks(s, p, h))
        return false;
    p->known = true;
    p->link.class = LINK_SUPERVISOR;
    p->node = h->node_index;
    s->hellos++;
    tasks_node(s->tasks, p->node, h->node, p->rank, p->n);
    supervisor_welcome(p);
    if (h->code)
        launch_failed(s, p, h);
    if (s->in_eof || s->in_fd < 0)
        send_stdin(s, p, NULL, 0);
    return true;
}

/* The supervisor that was away, on a new connection: `p` is a stranger no more but that one, and takes no further part.
 */
static bool take_hello_again(struct stepio *s, struct supervisor *p, const Pb__IoHello *h)
{
    for (size_t i = 0; i < s->peers.n; i++) {
        struct supervisor *old = &s->peers.at[i];
        if (old == p || !old->known || old->node != h->node_index || (old->link.fd < 0 && !old->away_ms) ||
            !stream_acked(&old->st, h->received))
            continue;
        link_wait_move(&old->link, &p->link, LINK_SUPERVISOR);
        old->away_ms = 0;
        supervisor_welcome(old);
        return true;
    }
    return false;
}

/* ---- in ---- */

/* A supervisor's notice of the end, on stderr like all it says: "error: *** STEP 12.0 ON n1 CANCELLED AT ...". */
static void see_notice(struct stepio *s, const Pb__IoData *d)
{
    auto_free char *notice = mem_printf("error: *** STEP %u.%u ON ", s->job, s->step);
    if (s->cancelled || d->fd != 2 || !memmem(d->data.data, d->data.len, notice, strlen(notice)))
        return;
    static const char late[] = "DUE TO TIME LIMIT";
    if (s->own_limit && memmem(d->data.data, d->data.len, late, sizeof(late) - 1))
        return;
    s->cancelled = true;
    say_info("Job step aborted: Waiting up to %u seconds for job step to finish.", s->kill_wait_s + 2);
}

/* The reader of our output has closed it: the tasks' pipes break as ours did. */
static void close_stream(struct stepio *s, unsigned stream)
{
    Pb__IoData d = PB__IO_DATA__INIT;
    d.fd = stream;
    d.eof = true;
    s->closed[stream] = true;
    stepio_send_all(s, MSG_IO_DATA, &d.base);
}

static void take_data(struct stepio *s, const Pb__IoData *d)
{
    if (d->task >= s->tasks->n || d->fd < 1 || d->fd > 2)
        return;
    if (d->data.len)
        see_notice(s, d);
    if (d->data.len)
        output_add(s->output, d->task, d->fd, d->data.data, d->data.len);
    if (s->output->broken[d->fd] && !s->closed[d->fd])
        close_stream(s, d->fd);
    if (d->eof) {
        output_add(s->output, d->task, d->fd, NULL, 0);
        s->tasks->at[d->task].eof[d->fd] = true;
    }
}

/* No frame is accepted before the token; then the supervisor names itself, once. */
static bool take_first(struct stepio *s, struct supervisor *p, const struct frame *f)
{
    if (f->type != MSG_IO_HELLO)
        return false;
    Pb__IoHello *h = pb__io_hello__unpack(NULL, f->len, f->body);
    bool ok = h && endpoint_knows(s->endpoint, h->token.data, h->token.len) &&
              (h->again ? take_hello_again : take_hello)(s, p, h);
    if (h)
        pb__io_hello__free_unpacked(h, NULL);
    return ok;
}

/* `*told` when an end is among what came: the supervisor waits for its acknowledgement. */
static bool take_frame(struct stepio *s, struct supervisor *p, const struct frame *f, bool *told)
{
    if (f->type != MSG_IO_DATA && f->type != MSG_IO_EXIT && f->type != MSG_IO_ACK) {
        if (s->on_frame)
            s->on_frame(s, p->node, f, s->frame_arg);
        return s->on_frame && f->type != MSG_IO_HELLO;
    }
    ProtobufCMessage *m = protobuf_c_message_unpack(msg_descriptor(f->type), NULL, f->len, f->body);
    bool ok = m != NULL;
    if (m && f->type == MSG_IO_DATA) {
        take_data(s, (Pb__IoData *)m);
        *told |= ((Pb__IoData *)m)->eof;
    } else if (m && f->type == MSG_IO_ACK) {
        ok = stream_acked(&p->st, ((Pb__IoAck *)m)->received);
    } else if (m) {
        tasks_end(s->tasks, ((Pb__IoExit *)m)->task, (int)((Pb__IoExit *)m)->status);
        *told = true;
    }
    if (m)
        protobuf_c_message_free_unpacked(m, NULL);
    return ok;
}

static void read_peer(struct stepio *s, struct supervisor *p)
{
    struct frame f;
    bool told = false;
    int rc = link_wait_read(&p->link, NULL);
    if (rc && rc != EAGAIN)
        supervisor_broken(s, p);
    if (rc)
        return;
    while ((rc = link_wait_frame(&p->link, &f, NULL)) > 0) {
        bool first = !p->known;
        if (!(first ? take_first(s, p, &f) : take_frame(s, p, &f, &told)))
            break;
        if (p->link.fd <
            0) { /* the connection went on as another supervisor's, which says no more before its welcome */
            link_wait_clear(&p->link);
            return;
        }
        if (!first)
            stream_took(&p->st, p->link.last);
    }
    if (rc) {
        supervisor_lost(s, p);
        return;
    }
    stream_ack(&p->st, told);
    supervisor_flush(p);
}

static size_t supervisors_connected(const struct stepio *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->peers.n; i++)
        n += s->peers.at[i].link.fd >= 0;
    return n;
}

static void accept_all(struct stepio *s, int fd)
{
    bool local = fd == s->endpoint->unix_fd;
    for (;;) {
        int peer = link_sock_accept(fd, LINK_SUPERVISOR);
        if (peer < 0)
            return;
        if (supervisors_connected(s) >= (size_t)s->nodes + STRANGERS) {
            close(peer);
            continue;
        }
        struct supervisor p = { .link = LINK_WAIT_INIT, .local = local };
        link_wait_use(&p.link, peer, LINK_STRANGER);
        if (!local)
            link_wait_secret(&p.link, true, s->endpoint->token, sizeof(s->endpoint->token));
        vec_push(&s->peers, p);
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
    for (size_t i = 0; i < s->peers.n; i++) {
        const struct supervisor *p = &s->peers.at[i];
        fds[n++] = (struct pollfd){ p->link.fd, link_wait_events(&p->link, !stream_idle(&p->st)), 0 };
    }
    return n;
}

void stepio_handle(struct stepio *s, const struct pollfd *fds, nfds_t n)
{
    size_t known = n - FIXED; /* connections that accept adds below were not polled */
    for (size_t i = 0; i < known && i < s->peers.n; i++) {
        struct supervisor *p = &s->peers.at[i];
        if (p->link.fd >= 0 && (fds[FIXED + i].revents & POLLOUT))
            supervisor_flush(p);
        if (p->link.fd >= 0 && (fds[FIXED + i].revents & (POLLIN | POLLHUP | POLLERR)))
            read_peer(s, p);
    }
    if (fds[2].revents && s->in_fd >= 0)
        read_stdin(s);
    for (int i = 0; i < 2; i++)
        if (fds[i].revents)
            accept_all(s, fds[i].fd);
}

static bool task_drained(const struct stepio *s, const struct task *t)
{
    return (!s->carry[1] || t->eof[1]) && (!s->carry[2] || t->eof[2]);
}

bool stepio_done(const struct stepio *s)
{
    if (s->tasks->ended < s->tasks->n)
        return false;
    for (uint32_t i = 0; i < s->tasks->n; i++)
        if (!task_drained(s, &s->tasks->at[i]))
            return false;
    return true;
}
