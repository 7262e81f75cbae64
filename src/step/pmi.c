/* pmi - PMI-1 and PMI-2 for a step's tasks: a socket for each task, and messages to srun; see pmi.h. */
#include "step/pmi.h"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>

#include "base/str.h"
#include "mpi/pmi.h"
#include "step/io.h"
#include "step/pmi_priv.h"

#define CHUNK 65536
#define OUT_FULL (4u << 20) /* bytes of replies that a task has not read */

static void line_hang_up(struct step *s, struct line *l)
{
    if (l->ours < 0)
        return;
    watch_drop(s, l->ours);
    close(take_fd(l->ours));
    buf_clear(&l->out);
}

/* ---- actions of the server ---- */

static void line_events(struct step *s, int fd, short revents, void *arg);

static void line_flush(struct step *s, struct line *l)
{
    while (l->ours >= 0 && l->out.len) {
        ssize_t n = send(l->ours, l->out.s, l->out.len, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            break;
        if (n < 0)
            buf_reset(&l->out); /* the task reads no more; its commands are still handled */
        else
            buf_cut(&l->out, (size_t)n);
    }
    if (l->ours >= 0)
        watch_fd(s, l->ours, (short)(POLLIN | (l->out.len ? POLLOUT : 0)), line_events, l);
}

static void reply(void *arg, uint32_t local, const void *p, size_t n)
{
    struct step *s = arg;
    struct line *l = &s->pmi->line[local];
    if (l->ours < 0 || l->out.len + n > OUT_FULL)
        return;
    buf_add(&l->out, p, n);
    line_flush(s, l);
}

static void fence(void *arg, uint64_t number, const void *p, size_t n)
{
    struct step *s = arg;
    Pb__Mpi m = PB__MPI__INIT;
    m.kind = MPI_COLLECT;
    m.number = number;
    m.data = (ProtobufCBinaryData){ n, (uint8_t *)p };
    if (s->pmi->lost)
        pmi_fenced(s->pmi->server, "", 0, EPIPE);
    else
        io_send(s, MSG_MPI, &m.base);
}

static void abort_step(void *arg, uint32_t local, int code, const char *why)
{
    struct step *s = arg;
    Pb__Mpi m = PB__MPI__INIT;
    m.kind = MPI_ABORT;
    m.status = code;
    m.text = (char *)why;
    io_send(s, MSG_MPI, &m.base);
}

static void complain(void *arg, uint32_t local, const char *text)
{
    step_say(arg, "%s", text);
}

static const struct pmi_ops ops = { reply, fence, abort_step, complain };

/* ---- bytes of tasks, frames of srun ---- */

static void line_events(struct step *s, int fd, short revents, void *arg)
{
    struct line *l = arg;
    struct err err = ERR_INIT;
    static char chunk[CHUNK];
    ssize_t n = recv(fd, chunk, sizeof(chunk), MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
        line_hang_up(s, l);
        return;
    }
    if (n > 0 && pmi_input(s->pmi->server, l->local, chunk, (size_t)n, &err)) {
        step_say(s, "mpi/pmi2: task %u: %s", s->task[l->local].rank, err.text);
        line_hang_up(s, l);
        return;
    }
    line_flush(s, l);
}

static void ask_for_more(struct step *s, const Pb__Mpi *of)
{
    Pb__Mpi m = PB__MPI__INIT;
    m.kind = MPI_MORE;
    m.key = of->key;
    m.number = of->number;
    io_send(s, MSG_MPI, &m.base);
}

static void take_result(struct step *s, const Pb__Mpi *m)
{
    struct step_pmi *p = s->pmi;
    if (p->result.len + m->data.len > PMI_STORE_MAX)
        return;
    if (!mpi_join(&p->result, m)) {
        ask_for_more(s, m);
        return;
    }
    pmi_fenced(p->server, p->result.s ? p->result.s : "", p->result.len, m->status);
    buf_clear(&p->result);
}

static void take_frame(struct step *s, const struct frame *f)
{
    Pb__Mpi *m = f->type == MSG_MPI ? pb__mpi__unpack(NULL, f->len, f->body) : NULL;
    if (!m)
        return;
    if (m->kind == MPI_COLLECT)
        take_result(s, m);
    pb__mpi__free_unpacked(m, NULL);
}

/* ---- starting ---- */

static void make_server(struct step *s)
{
    auto_free char *mapping = mpi_mapping(s->order);
    auto_free char *job = mem_printf("%u.%u", s->key.job_id, s->key.step_id);
    auto_free uint32_t *rank = mem_array(s->ntasks, sizeof(*rank));
    for (uint32_t i = 0; i < s->ntasks; i++)
        rank[i] = s->task[i].rank;
    struct pmi_place place = { job, mapping, mpi_size(s->order), s->ntasks, rank };
    s->pmi->server = pmi_new(&place, &ops, s);
}

static int make_lines(struct step *s, struct err *err)
{
    s->pmi->line = mem_array(s->ntasks, sizeof(*s->pmi->line));
    for (uint32_t i = 0; i < s->ntasks; i++)
        s->pmi->line[i] = (struct line){ .ours = -1, .theirs = -1, .local = i };
    for (uint32_t i = 0; i < s->ntasks; i++) {
        int fd[2];
        struct line *l = &s->pmi->line[i];
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd))
            return err_set(err, errno, "cannot make a socket for PMI: %m");
        l->ours = fd[0];
        l->theirs = fd[1];
        watch_fd(s, l->ours, POLLIN, line_events, l);
    }
    return 0;
}

int step_pmi_prepare(struct step *s, struct err *err)
{
    enum mpi_type type = MPI_TYPE_NONE;
    const char *said = s->batch || !s->order->step ? "" : s->order->step->mpi;
    if (!mpi_type_parse(said, &type))
        return err_set(err, SLURM_MPI_PLUGIN_NAME_INVALID, "--mpi=%s is not known here", said);
    if (type == MPI_TYPE_NONE)
        return 0;
    s->pmi = NEW(struct step_pmi);
    s->pmi->type = type;
    s->pmi->helper.fd = -1;
    env_set(&s->env, "SLURM_MPI_TYPE", said);
    if (type == MPI_TYPE_PMIX)
        return step_pmix_start(s, err);
    io_on_frame(s, take_frame);
    make_server(s);
    return make_lines(s, err);
}

void step_pmi_child(struct step *s, uint32_t local)
{
    if (!s->pmi)
        return;
    if (s->pmi->type == MPI_TYPE_PMIX) {
        step_pmix_child(s, local);
        return;
    }
    int fd = s->pmi->line[local].theirs;
    fcntl(fd, F_SETFD, 0);
    env_setf(&s->env, "PMI_FD", "%d", fd);
    env_setf(&s->env, "PMI_JOBID", "%u.%u", s->key.job_id, s->key.step_id);
    env_setf(&s->env, "PMI_RANK", "%u", s->task[local].rank);
    env_setf(&s->env, "PMI_SIZE", "%u", mpi_size(s->order));
}

void step_pmi_started(struct step *s)
{
    for (uint32_t i = 0; s->pmi && s->pmi->line && i < s->ntasks; i++)
        if (s->pmi->line[i].theirs >= 0)
            close(take_fd(s->pmi->line[i].theirs));
}

void step_pmi_lost(struct step *s)
{
    if (!s->pmi || s->pmi->lost)
        return;
    s->pmi->lost = true;
    if (s->pmi->type == MPI_TYPE_PMIX)
        step_pmix_lost(s);
    else
        pmi_fenced(s->pmi->server, "", 0, EPIPE);
}

void step_pmi_end(struct step *s)
{
    if (s->pmi && s->pmi->type == MPI_TYPE_PMIX)
        step_pmix_end(s);
}

int64_t step_pmi_leave(struct step *s)
{
    return s->pmi && s->pmi->type == MPI_TYPE_PMIX ? step_pmix_leave(s) : 0;
}
