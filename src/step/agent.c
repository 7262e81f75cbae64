/* agent - the supervisor's end of the connection to spurd, which may be restarted. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "step/io.h"
#include "step/step.h"
#include "step/usage.h"
#include "wire/frame.h"

#define AGENT_MS 10000 /* an agent that does not take a reply for so long is disconnected */

/* The agent is gone: listen for the next one on the step's socket in the spool.  Most jobs never need the socket. */
static void wait_for_agent(struct step *s)
{
    char name[SPOOL_NAME];
    if (s->listen_fd >= 0)
        return;
    spool_file_name(name, s->key.step_id, "sock");
    auto_free char *path = mem_printf("/proc/self/fd/%d/%s", s->job_fd, name); /* short for any spool path */
    unlinkat(s->job_fd, name, 0);
    s->listen_fd = link_sock_listen_unix(path, 0600, NULL);
}

static void agent_lost(struct step *s)
{
    link_wait_close(&s->agent);
    wait_for_agent(s);
}

static bool agent_send(struct step *s, enum msg_type type, uint64_t number, const ProtobufCMessage *m)
{
    return s->agent.fd >= 0 && !link_wait_send(&s->agent, type, 0, number, m, clock_mono_ms() + AGENT_MS, NULL);
}

/* When the agent does not take a reply, disconnect it: the client repeats its request to the next agent. */
static void answer(struct step *s, const struct frame *f, enum msg_type type, const ProtobufCMessage *m)
{
    if (!agent_send(s, type, f->number, m))
        agent_lost(s);
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

/* The agent has checked the identity of the client. */
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
    struct frame f;
    int rc = link_wait_read(&s->agent, NULL);
    if (rc == EAGAIN)
        return;
    while (!rc && s->agent.fd >= 0 && (rc = link_wait_frame(&s->agent, &f, NULL)) > 0) {
        take_frame(s, &f);
        rc = 0;
    }
    if (rc && s->agent.fd >= 0)
        agent_lost(s);
}

/* Only root, or the user of this process, may give orders. */
void agent_accept(struct step *s)
{
    struct link_peer peer;
    auto_close int fd = link_sock_accept(s->listen_fd, LINK_AGENT);
    if (fd >= 0 && !link_sock_peer(fd, &peer) && (peer.uid == 0 || peer.uid == geteuid()))
        link_wait_use(&s->agent, take_fd(fd), LINK_AGENT);
}

/* A full spool must not lose the end of a job: retry until the report is in the spool or was sent to the agent. */
void agent_report(struct step *s)
{
    for (;;) {
        bool noted = !spool_add_report(s->record_fd, &s->report, NULL);
        bool told = agent_send(s, MSG_REPORT, 0, &s->report.base);
        if (noted || told)
            return;
        sleep(1);
        if (s->agent.fd < 0 && s->listen_fd >= 0)
            agent_accept(s);
    }
}
