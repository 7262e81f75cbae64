/* agent - a command's link to the daemon of one node; see agent.h. */
#include "client/agent.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "client/reach.h"

struct agent_link {
    struct link_wait link;
    uint64_t number;
};

static int open_at(struct agent_link **out, const struct site *site, const char *node, const char *host, uint16_t port,
                   struct err *err)
{
    struct link_wait w = LINK_WAIT_INIT;
    int rc = reach_agent(&w, site, node, host, port, err);
    if (rc)
        return rc;
    *out = NEW(struct agent_link);
    (*out)->link = w;
    return 0;
}

int agent_open(struct agent_link **out, const struct site *site, const Pb__AgentAddr *at, struct err *err)
{
    return open_at(out, site, at->name, at->addr, at->port <= UINT16_MAX ? (uint16_t)at->port : 0, err);
}

int agent_open_local(struct agent_link **out, const struct site *site, const char *node, struct err *err)
{
    return open_at(out, site, node, NULL, 0, err);
}

void agent_close(struct agent_link *l)
{
    if (l)
        link_wait_clear(&l->link);
    free(l);
}

int agent_send(struct agent_link *l, enum msg_type type, const ProtobufCMessage *m, struct err *err)
{
    return link_wait_send(&l->link, type, 0, ++l->number, m, -1, err);
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

static int next_frame(struct agent_link *l, struct frame *f, int timeout_ms, struct err *err)
{
    int64_t deadline_ms = timeout_ms < 0 ? -1 : clock_mono_ms() + timeout_ms;
    int rc;
    do
        rc = link_wait_next(&l->link, f, deadline_ms, err);
    while (rc == EINTR);
    return rc;
}

int agent_hear(struct agent_link *l, enum msg_type want, ProtobufCMessage **reply, int timeout_ms, struct err *err)
{
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
