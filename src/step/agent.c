/* agent - the supervisor's end of the channel to spurd, which may die and come back. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mem.h"
#include "step/io.h"
#include "step/step.h"
#include "step/usage.h"
#include "wire/frame.h"

#define ORDER_MAX 65536u

/* The agent is gone: wait for the next one where it will look.  A short job never comes here, and saves the socket. */
static void wait_for_agent(struct step *s)
{
    char name[SPOOL_NAME];
    struct sockaddr_un sa = { .sun_family = AF_UNIX };
    if (s->listen_fd >= 0)
        return;
    spool_file_name(name, s->key.step_id, "sock");
    snprintf(sa.sun_path, sizeof(sa.sun_path), "/proc/self/fd/%d/%s", s->job_fd,
             name); /* however long the real path is */
    unlinkat(s->job_fd, name, 0);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    mode_t old = umask(0177);
    int rc = fd < 0 || bind(fd, (struct sockaddr *)&sa, sizeof(sa)) || listen(fd, 4);
    umask(old);
    if (rc && fd >= 0)
        close(fd);
    s->listen_fd = rc ? -1 : fd;
}

static void agent_lost(struct step *s)
{
    close(take_fd(s->agent_fd));
    buf_reset(&s->agent_in);
    wait_for_agent(s);
}

/* An answer to the agent, which reads all that we say. */
static void answer(struct step *s, const struct frame *f, enum msg_type type, const ProtobufCMessage *m)
{
    auto_buf struct buf out = BUF_INIT;
    frame_add_pb(&out, type, 0, f->number, m);
    if (send(s->agent_fd, out.s, out.len, MSG_NOSIGNAL) != (ssize_t)out.len)
        return; /* it is gone; whoever asked will ask its successor */
}

static void answer_stat(struct step *s, const struct frame *f)
{
    Pb__StatRequest *r = pb__stat_request__unpack(NULL, f->len, f->body);
    Pb__StatReply reply = PB__STAT_REPLY__INIT;
    Pb__StepStat stat, *list[] = { &stat };
    usage_stat(s, r && r->pids, &stat);
    reply.steps = list, reply.n_steps = 1;
    answer(s, f, MSG_STAT_REPLY, &reply.base);
    usage_stat_clear(&stat);
    if (r)
        pb__stat_request__free_unpacked(r, NULL);
}

/* The agent has asked who it is. */
static void answer_attach(struct step *s, const struct frame *f)
{
    struct err err = ERR_INIT;
    Pb__AttachRequest *r = pb__attach_request__unpack(NULL, f->len, f->body);
    Pb__Done done = PB__DONE__INIT;
    if (!r || !r->io)
        err_set(&err, EBADMSG, "a request to attach that does not parse");
    else if (s->batch)
        err_set(&err, EOPNOTSUPP, "a batch script has no streams to attach to");
    else
        io_attach(s, r->io, r->host, &err);
    done.code = err.code;
    done.text = err.text;
    answer(s, f, MSG_DONE, &done.base);
    if (r)
        pb__attach_request__free_unpacked(r, NULL);
}

static void take_frame(struct step *s, const struct frame *f)
{
    if (f->type == MSG_STAT)
        answer_stat(s, f);
    if (f->type == MSG_ATTACH)
        answer_attach(s, f);
    Pb__KillOrder *k = f->type == MSG_KILL ? pb__kill_order__unpack(NULL, f->len, f->body) : NULL;
    if (!k)
        return;
    step_kill(s, k);
    pb__kill_order__free_unpacked(k, NULL);
}

void agent_readable(struct step *s)
{
    ssize_t n = recv(s->agent_fd, buf_room(&s->agent_in, 4096), 4096, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        agent_lost(s);
        return;
    }
    s->agent_in.len += (size_t)n;
    struct frame f;
    size_t used;
    int rc;
    while ((rc = frame_find(s->agent_in.s, s->agent_in.len, ORDER_MAX, &f, &used, NULL)) > 0) {
        take_frame(s, &f);
        buf_cut(&s->agent_in, used);
    }
    if (rc < 0)
        agent_lost(s);
}

/* Only root, or whoever we run as, may give orders. */
static bool may_order(int fd)
{
    struct ucred who;
    socklen_t len = sizeof(who);
    return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) && (who.uid == 0 || who.uid == geteuid());
}

void agent_accept(struct step *s)
{
    int fd = accept4(s->listen_fd, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0)
        return;
    if (!may_order(fd)) {
        close(fd);
        return;
    }
    if (s->agent_fd >= 0)
        close(s->agent_fd);
    buf_reset(&s->agent_in);
    s->agent_fd = fd;
}

/* A full spool must not lose the end of a job: as long as the agent has not heard it either, try again. */
void agent_report(struct step *s)
{
    auto_buf struct buf out = BUF_INIT;
    frame_add_pb(&out, MSG_REPORT, 0, 0, &s->report.base);
    for (;;) {
        bool noted = !spool_add_report(s->record_fd, &s->report, NULL);
        bool told = s->agent_fd >= 0 && send(s->agent_fd, out.s, out.len, MSG_NOSIGNAL) == (ssize_t)out.len;
        if (noted || told)
            return;
        sleep(1);
        if (s->agent_fd < 0 && s->listen_fd >= 0)
            agent_accept(s);
    }
}
