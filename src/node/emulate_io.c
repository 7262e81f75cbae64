/* emulate_io - what emulated nodes send to srun: a hello and the ends of tasks; see emulate.h. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "node/emulate.h"

#define RETRY_MS 20 /* plus a random time up to as much: thousands of nodes may connect to one srun */
#define TRIES 2000

struct emulate_io {
    uv_loop_t *loop;
    char *node, *unix_path, *host;
    uint16_t port;
    ProtobufCBinaryData token;
    uint32_t node_index, first_task, ntasks, *ranks;
    struct step_run *run; /* NULL: dropped */
    bool ended, welcome, told;
    uint32_t status;
    uint64_t said; /* bytes of the stream, as the launcher acknowledges them */
    struct link *link;
    unsigned tries;
    uv_timer_t *retry;
};

static uint32_t rank_of(const struct emulate_io *io, uint32_t i)
{
    return io->ranks ? io->ranks[i] : io->first_task + i;
}

static void timer_closed(uv_handle_t *h)
{
    free(h);
}

static void io_free(struct emulate_io *io)
{
    if (io->retry)
        uv_close((uv_handle_t *)io->retry, timer_closed);
    free(io->node);
    free(io->unix_path);
    free(io->host);
    free(io->token.data);
    free(io->ranks);
    free(io);
}

/* ---- sending ---- */

static void say_hello(struct emulate_io *io)
{
    Pb__IoHello h = PB__IO_HELLO__INIT;
    h.token = io->token;
    h.node = io->node;
    h.node_index = io->node_index;
    h.first_task = io->first_task;
    h.tasks = io->ntasks;
    h.ranks = io->ranks, h.n_ranks = io->ranks ? io->ntasks : 0;
    h.pid = (uint32_t)getpid();
    link_send_pb(io->link, MSG_IO_HELLO, 0, 0, &h.base);
}

static void emulate_io_send(struct emulate_io *io, enum msg_type type, const ProtobufCMessage *m)
{
    io->said += FRAME_HEADER + protobuf_c_message_get_packed_size(m);
    link_send_pb(io->link, type, 0, 0, m);
}

static void say_end(struct emulate_io *io, uint32_t task)
{
    for (uint32_t fd = 1; fd <= 2; fd++) {
        Pb__IoData d = PB__IO_DATA__INIT;
        d.task = task;
        d.fd = fd;
        d.eof = true;
        emulate_io_send(io, MSG_IO_DATA, &d.base);
    }
    Pb__IoExit e = PB__IO_EXIT__INIT;
    e.task = task;
    e.status = io->status;
    emulate_io_send(io, MSG_IO_EXIT, &e.base);
}

static void tell_ends(struct emulate_io *io)
{
    if (!io->ended || !io->welcome || io->told)
        return;
    io->told = true;
    for (uint32_t i = 0; io->link && i < io->ntasks; i++)
        say_end(io, rank_of(io, i));
    struct step_run *r = take(io->run);
    if (r)
        emulate_notified(r);
}

/* ---- receiving ---- */

static void on_signal(struct emulate_io *io, const struct frame *f)
{
    Pb__IoSignal *g = pb__io_signal__unpack(NULL, f->len, f->body);
    Pb__KillOrder k = PB__KILL_ORDER__INIT;
    if (g && io->run) {
        k.signal = g->signal;
        k.job_id = io->run->key.job_id;
        k.attempt = io->run->key.attempt;
        emulate_kill(io->run, &k);
    }
    if (g)
        pb__io_signal__free_unpacked(g, NULL);
}

static void on_ready(struct link *c)
{
    say_hello(link_arg(c));
}

static void on_frame(struct link *c, const struct frame *f)
{
    struct emulate_io *io = link_arg(c);
    if (f->type == MSG_IO_WELCOME) {
        io->welcome = true;
        tell_ends(io);
    } else if (f->type == MSG_IO_SIGNAL) {
        on_signal(io, f);
    } else if (f->type == MSG_IO_ACK && io->told) {
        Pb__IoAck *a = pb__io_ack__unpack(NULL, f->len, f->body);
        bool all = a && a->received >= io->said;
        if (a)
            pb__io_ack__free_unpacked(a, NULL);
        if (all) /* srun has acknowledged everything */
            link_close(c);
    }
}

static void try_connect(struct emulate_io *io);

static void try_again(uv_timer_t *t)
{
    try_connect(t->data);
}

/* srun closes the connection when it has received everything.  A failed connection is retried. */
static void on_closed(struct link *c, const struct err *why)
{
    struct emulate_io *io = link_arg(c);
    (void)why;
    io->link = NULL;
    if (!io->welcome && io->tries < TRIES) {
        if (!io->retry) {
            io->retry = NEW(uv_timer_t);
            uv_timer_init(io->loop, io->retry);
            io->retry->data = io;
        }
        uv_timer_start(io->retry, try_again, RETRY_MS + (uint64_t)random() % RETRY_MS, 0);
        return;
    }
    io->welcome = true; /* srun cannot be reached any more */
    tell_ends(io);
    if (io->told)
        io_free(io);
}

static const struct link_ops ops = { on_ready, on_frame, on_closed };

/* Root must not connect to another user's socket: that launcher is reached by TCP. */
static void try_connect(struct emulate_io *io)
{
    io->tries++;
    if (io->unix_path)
        io->link = link_connect_unix(io->loop, io->unix_path, LINK_SRUN, &ops, io);
    else
        io->link = link_connect_tcp(io->loop, io->host, io->port, LINK_SRUN, &(struct link_claim){ .token = io->token },
                                    &ops, io);
}

struct emulate_io *emulate_io_new(struct step_run *r, const struct emulate_part *p)
{
    if (!p->io || (str_empty(p->io->host) && str_empty(p->io->unix_path)))
        return NULL;
    struct emulate_io *io = NEW(struct emulate_io);
    bool local = p->uid == geteuid() && !str_empty(p->io->unix_path) && !access(p->io->unix_path, F_OK);
    io->loop = r->agent->loop;
    io->run = r;
    io->node = mem_str(r->agent->name);
    io->unix_path = local ? mem_str(p->io->unix_path) : NULL;
    io->host = mem_str(p->io->host);
    io->port = (uint16_t)p->io->port;
    io->token = (ProtobufCBinaryData){ p->io->token.len, mem_copy(p->io->token.data, p->io->token.len) };
    io->node_index = p->node_index;
    io->first_task = p->first_task;
    io->ntasks = p->tasks;
    io->ranks = p->ranks ? mem_copy(p->ranks->rank, p->tasks * sizeof(*io->ranks)) : NULL;
    try_connect(io);
    return io;
}

void emulate_io_end(struct emulate_io *io, uint32_t status)
{
    bool alone = !io->link && (!io->retry || !uv_is_active((uv_handle_t *)io->retry));
    io->ended = true;
    io->status = status;
    tell_ends(io);
    if (alone)
        io_free(io);
}

void emulate_io_drop(struct emulate_io *io)
{
    io->run = NULL;
    emulate_io_end(io, 9);
}
