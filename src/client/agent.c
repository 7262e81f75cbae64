/* agent - a command's connection to the daemon of one node; see agent.h. */
#include "client/agent.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "client/reach.h"

struct agent_link {
    int fd;
    uint64_t number;
    struct buf in;
    size_t used; /* of `in`: the frame that was heard last */
};

static int open_fd(struct agent_link **out, int fd, const struct err *err)
{
    if (fd < 0)
        return err->code ? err->code : EIO;
    *out = NEW(struct agent_link);
    (*out)->fd = fd;
    return 0;
}

int agent_open(struct agent_link **out, const struct site *site, const Pb__AgentAddr *at, struct err *err)
{
    struct err own = ERR_INIT;
    err = err ? err : &own;
    int fd = reach_agent(site, at->name, err);
    if (fd < 0 && at->port && at->port <= UINT16_MAX)
        fd = reach_tcp(site, at->addr, (uint16_t)at->port, err);
    return open_fd(out, fd, err);
}

int agent_open_local(struct agent_link **out, const struct site *site, const char *node, struct err *err)
{
    struct err own = ERR_INIT;
    err = err ? err : &own;
    return open_fd(out, reach_agent(site, node, err), err);
}

void agent_close(struct agent_link *l)
{
    if (!l)
        return;
    close(l->fd);
    buf_clear(&l->in);
    free(l);
}

int agent_fd(const struct agent_link *l)
{
    return l->fd;
}

int agent_send(struct agent_link *l, enum msg_type type, const ProtobufCMessage *m, struct err *err)
{
    auto_buf struct buf out = BUF_INIT;
    frame_add_pb(&out, type, 0, ++l->number, m);
    for (size_t at = 0; at < out.len;) {
        ssize_t n = send(l->fd, out.s + at, out.len - at, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_set(err, errno, "%m");
        at += (size_t)n;
    }
    return 0;
}

static int fill(struct agent_link *l, int64_t end_ms, struct err *err)
{
    struct pollfd p = { l->fd, POLLIN, 0 };
    int64_t left = MAX(end_ms - clock_mono_ms(), 0);
    int n = poll(&p, 1, end_ms < 0 ? -1 : (int)MIN(left, 1 << 30));
    if (n == 0)
        return err_set(err, ETIMEDOUT, "no answer in time");
    if (n < 0)
        return errno == EINTR ? 0 : err_set(err, errno, "%m");
    ssize_t k = recv(l->fd, buf_room(&l->in, 65536), 65536, 0);
    if (k <= 0)
        return err_set(err, k ? errno : ECONNRESET, "the connection was closed");
    l->in.len += (size_t)k;
    return 0;
}

static int next_frame(struct agent_link *l, struct frame *f, int timeout_ms, struct err *err)
{
    int64_t end_ms = timeout_ms < 0 ? -1 : clock_mono_ms() + timeout_ms;
    if (l->used)
        buf_cut(&l->in, l->used);
    l->used = 0;
    for (;;) {
        int rc = l->in.len ? frame_find(l->in.s, l->in.len, FRAME_MAX, f, &l->used, err) : 0;
        if (rc)
            return rc > 0 ? 0 : err->code;
        rc = fill(l, end_ms, err);
        if (rc)
            return rc;
    }
}

/* A failure in either of its forms. */
static int failure(const struct frame *f, const ProtobufCMessage *m, struct err *err)
{
    int code = 0;
    const char *text = "";
    if (f->type == MSG_FAILURE)
        code = ((const Pb__Failure *)m)->code, text = ((const Pb__Failure *)m)->text;
    else if (f->type == MSG_DONE)
        code = ((const Pb__Done *)m)->code, text = ((const Pb__Done *)m)->text;
    return code ? err_set(err, code, "%s", str_empty(text) ? err_text(code) : text) : 0;
}

int agent_hear(struct agent_link *l, enum msg_type want, ProtobufCMessage **reply, int timeout_ms, struct err *err)
{
    struct err own = ERR_INIT;
    err = err ? err : &own;
    struct frame f;
    int rc = next_frame(l, &f, timeout_ms, err);
    if (rc)
        return rc;
    const ProtobufCMessageDescriptor *d = msg_descriptor(f.type);
    ProtobufCMessage *m = d ? protobuf_c_message_unpack(d, NULL, f.len, f.body) : NULL;
    if (!m)
        return err_set(err, EPROTO, "the answer does not parse");
    rc = failure(&f, m, err);
    if (!rc && f.type != want)
        rc = err_set(err, EPROTO, "the node's daemon answered with an unexpected message (%s)", msg_name(f.type));
    if (rc || !reply)
        client_free(m);
    else
        *reply = m;
    return rc;
}

int agent_permit(struct client *c, const Pb__PermitRequest *ask, Pb__PermitReply **out, struct err *err)
{
    return client_call(c, MSG_PERMIT, &ask->base, MSG_PERMIT_REPLY, (ProtobufCMessage **)out, err);
}
