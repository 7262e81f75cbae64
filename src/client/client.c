/* client - one call to the controller; see client.h. */
#include "client/client.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/errnum.h"
#include "base/mem.h"
#include "base/str.h"
#include "client/arena.h"
#include "client/reach.h"

struct client {
    struct site *site;
    int fd;
    size_t next; /* controller to try next */
    uint64_t number;
    unsigned patience_s;
    struct buf in;
    size_t at; /* consumed bytes of `in` */
    struct buf plain; /* a frame that came packed, as it was */
    struct arena arena;
    /* where the last redirect pointed */
    uint64_t leader_id;
    char leader_host[128];
    uint16_t leader_port;
};

int client_open(struct client **out, struct err *err)
{
    struct site *site;
    int rc = site_load_client(&site, site_find_conf(), err);
    if (rc)
        return rc;
    struct client *c = NEW(struct client);
    c->site = site;
    c->fd = -1;
    c->patience_s = MAX(site->message_timeout_s, 10);
    arena_init(&c->arena);
    *out = c;
    return 0;
}

static void hang_up(struct client *c)
{
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
    c->at = 0;
    buf_reset(&c->in);
}

void client_close(struct client *c)
{
    if (!c)
        return;
    hang_up(c);
    buf_clear(&c->in);
    buf_clear(&c->plain);
    arena_clear(&c->arena);
    site_free(c->site);
    free(c);
}

const struct site *client_site(const struct client *c)
{
    return c->site;
}
void client_patience(struct client *c, unsigned seconds)
{
    c->patience_s = seconds;
}
int client_fd(const struct client *c)
{
    return c->fd;
}

void client_free(ProtobufCMessage *m)
{
    if (m)
        protobuf_c_message_free_unpacked(m, NULL);
}

/* ---- finding a controller ---- */

static int connect_ctl(struct client *c, uint64_t id, const char *host, uint16_t port, struct err *err)
{
    c->fd = reach_unix(c->site, id, err);
    if (c->fd < 0 && !str_empty(host))
        c->fd = reach_tcp(c->site, host, port, err);
    return c->fd < 0 ? err->code : 0;
}

/* The leader when we were told of it, else the configured controllers in turn. */
static int connect_any(struct client *c, struct err *err)
{
    if (c->leader_id) {
        uint64_t id = c->leader_id;
        c->leader_id = 0;
        if (!connect_ctl(c, id, c->leader_host, c->leader_port, err))
            return 0;
    }
    for (size_t i = 0; i < c->site->nctl; i++) {
        const struct site_ctl *k = &c->site->ctl[c->next++ % c->site->nctl];
        if (!connect_ctl(c, k->id, k->host, k->port, err))
            return 0;
    }
    return err->code;
}

static void heed(struct client *c, const struct frame *f)
{
    Pb__Redirect *r = pb__redirect__unpack(NULL, f->len, f->body);
    c->leader_id = 0;
    if (r && r->leader_id) {
        const char *colon = strrchr(r->address, ':');
        c->leader_id = r->leader_id;
        snprintf(c->leader_host, sizeof(c->leader_host), "%.*s", colon ? (int)(colon - r->address) : 0, r->address);
        c->leader_port = colon ? (uint16_t)strtoul(colon + 1, NULL, 10) : 0;
    }
    if (r)
        pb__redirect__free_unpacked(r, NULL);
}

/* ---- frames ---- */

static int send_all(struct client *c, const char *p, size_t n)
{
    while (n) {
        ssize_t k = send(c->fd, p, n, MSG_NOSIGNAL);
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0)
            return errno;
        p += k;
        n -= (size_t)k;
    }
    return 0;
}

static int fill(struct client *c, int64_t deadline)
{
    int64_t left = deadline < 0 ? -1 : MAX(deadline - clock_mono_ms(), 0);
    struct pollfd p = { c->fd, POLLIN, 0 };
    int n = poll(&p, 1, (int)left);
    if (n < 0)
        return errno;
    if (n == 0)
        return ETIMEDOUT;
    if (c->at) {
        buf_cut(&c->in, c->at);
        c->at = 0;
    }
    buf_room(&c->in, 256 * 1024);
    ssize_t k = recv(c->fd, c->in.s + c->in.len, c->in.cap - c->in.len - 1, 0);
    if (k < 0)
        return errno;
    if (k == 0)
        return ECONNRESET;
    c->in.len += (size_t)k;
    return 0;
}

/* The next frame; it stays valid until the next call. */
static int next_frame(struct client *c, struct frame *f, int64_t deadline, struct err *err)
{
    size_t used;
    for (;;) {
        int rc = c->in.len ? frame_find(c->in.s + c->at, c->in.len - c->at, FRAME_MAX, f, &used, err) : 0;
        if (rc > 0) {
            c->at += used;
            return frame_unpack(f, &c->plain, err);
        }
        if (rc < 0)
            return err->code;
        rc = fill(c, deadline);
        if (rc)
            return err_set(err, rc, "%s", strerror(rc));
    }
}

/* What is neither the answer nor a redirect: a failure with its words. */
static int failure(const struct frame *f, struct err *err)
{
    int code = EPROTO;
    if (f->type == MSG_FAILURE) {
        Pb__Failure *m = pb__failure__unpack(NULL, f->len, f->body);
        if (m)
            code = err_set(err, m->code, "%s", str_empty(m->text) ? err_text(m->code) : m->text);
        if (m)
            pb__failure__free_unpacked(m, NULL);
        return code;
    }
    return err_set(err, EPROTO, "the controller answered with an unexpected message (%s)", msg_name(f->type));
}

/* ---- calls ---- */

struct attempt {
    enum msg_type type, want;
    const ProtobufCMessage *request;
    client_each_fn *each;
    void *arg;
    ProtobufCMessage **reply;
};

enum outcome { ANSWERED, AGAIN };

/* In a list each spec stands once: here every job gets its own back.  The arena owns them all. */
static bool join_specs(Pb__JobList *l)
{
    for (size_t i = 0; i < l->n_jobs; i++) {
        Pb__Job *j = l->jobs[i];
        if (!j->spec && j->spec_ref && j->spec_ref <= l->n_specs)
            j->spec = l->specs[j->spec_ref - 1];
        if (!j->spec)
            return false;
    }
    return true;
}

static int hear_stream(struct client *c, const struct attempt *a, const struct frame *f, struct err *err)
{
    ProtobufCMessage *m = protobuf_c_message_unpack(msg_descriptor(a->want), &c->arena.allocator, f->len, f->body);
    bool good = m && (a->want != MSG_JOBS_REPLY || join_specs((Pb__JobList *)m));
    int rc = good ? a->each(a->arg, m) : err_set(err, EPROTO, "the controller's answer does not parse");
    arena_reset(&c->arena);
    return rc;
}

static int hear(struct client *c, const struct attempt *a, const struct frame *f, struct err *err)
{
    if (f->type != a->want)
        return failure(f, err);
    if (a->each)
        return hear_stream(c, a, f, err);
    ProtobufCMessage *m = protobuf_c_message_unpack(msg_descriptor(a->want), NULL, f->len, f->body);
    if (!m)
        return err_set(err, EPROTO, "the controller's answer does not parse");
    if (a->want == MSG_DONE && ((Pb__Done *)m)->code) {
        Pb__Done *d = (Pb__Done *)m;
        int code = err_set(err, d->code, "%s", str_empty(d->text) ? err_text(d->code) : d->text);
        client_free(m);
        return code;
    }
    if (a->reply)
        *a->reply = m;
    else
        client_free(m);
    return 0;
}

/* One try on an open connection.  *rc is the result when it was answered. */
static enum outcome try_once(struct client *c, const struct attempt *a, int64_t deadline, int *rc, struct err *err)
{
    auto_buf struct buf out = BUF_INIT;
    struct frame f;
    bool begun = false;
    frame_add_pb(&out, a->type, FRAME_PACKS, ++c->number, a->request);
    if (send_all(c, out.s, out.len))
        return AGAIN;
    for (;;) {
        if (next_frame(c, &f, deadline, err)) {
            if (!begun)
                return AGAIN;
            *rc = err->code;
            return ANSWERED;
        }
        if (f.type == MSG_REDIRECT) {
            heed(c, &f);
            return AGAIN;
        }
        if (f.number != c->number && f.type != MSG_FAILURE)
            continue;
        begun = true;
        *rc = hear(c, a, &f, err);
        if (*rc || !a->each || !(f.flags & FRAME_MORE))
            return ANSWERED; /* further frames of a single call are for client_more() */
    }
}

static int call(struct client *c, const struct attempt *a, struct err *err)
{
    int64_t begun = clock_mono_ms(), end = begun + (int64_t)c->patience_s * 1000;
    unsigned nap_ms = 10;
    struct err own = ERR_INIT;
    err = err ? err : &own;
    for (;;) {
        int rc = 0;
        bool told = c->leader_id != 0;
        if (c->fd >= 0 || !connect_any(c, err)) {
            if (try_once(c, a, a->type == MSG_WAIT ? -1 : end, &rc, err) == ANSWERED)
                return rc;
            hang_up(c);
        }
        if (clock_mono_ms() >= end)
            break;
        if (c->leader_id && !told)
            continue; /* a fresh hint: go there at once */
        poll(NULL, 0, (int)nap_ms);
        nap_ms = MIN(nap_ms * 2, 200u);
    }
    return err_set(err, SLURMCTLD_COMMUNICATIONS_CONNECTION_ERROR, "%s",
                   err_text(SLURMCTLD_COMMUNICATIONS_CONNECTION_ERROR));
}

int client_call(struct client *c, enum msg_type type, const ProtobufCMessage *request, enum msg_type want,
                ProtobufCMessage **reply, struct err *err)
{
    return call(c, &(struct attempt){ .type = type, .want = want, .request = request, .reply = reply }, err);
}

int client_stream(struct client *c, enum msg_type type, const ProtobufCMessage *request, enum msg_type want,
                  client_each_fn *each, void *arg, struct err *err)
{
    return call(c, &(struct attempt){ .type = type, .want = want, .request = request, .each = each, .arg = arg }, err);
}

int client_post(struct client *c, enum msg_type type, const ProtobufCMessage *request, struct err *err)
{
    auto_buf struct buf out = BUF_INIT;
    frame_add_pb(&out, type, 0, ++c->number, request);
    if (c->fd >= 0 && !send_all(c, out.s, out.len))
        return 0;
    hang_up(c);
    return err_set(err, ECONNRESET, "the controller went away");
}

int client_more(struct client *c, enum msg_type want, ProtobufCMessage **reply, int timeout_ms, struct err *err)
{
    struct frame f;
    struct err own = ERR_INIT;
    err = err ? err : &own;
    if (c->fd < 0)
        return err_set(err, ECONNRESET, "not connected");
    int rc = next_frame(c, &f, timeout_ms < 0 ? -1 : clock_mono_ms() + timeout_ms, err);
    if (rc == ETIMEDOUT || rc == EINTR)
        return rc;
    if (rc || f.type == MSG_REDIRECT) {
        hang_up(c);
        return err_set(err, ECONNRESET, "the controller went away");
    }
    return hear(c, &(struct attempt){ .want = want, .reply = reply }, &f, err);
}

int client_status(struct client *c, size_t controller, Pb__StatusReply **out, struct err *err)
{
    if (controller >= c->site->nctl)
        return err_set(err, EINVAL, "there is no controller %zu", controller);
    const struct site_ctl *k = &c->site->ctl[controller];
    struct attempt a = { .type = MSG_STATUS, .want = MSG_STATUS_REPLY, .reply = (ProtobufCMessage **)out };
    struct err own = ERR_INIT;
    err = err ? err : &own;
    int rc = 0;
    hang_up(c);
    if (connect_ctl(c, k->id, k->host, k->port, err))
        return err->code;
    enum outcome o = try_once(c, &a, clock_mono_ms() + 2000, &rc, err);
    hang_up(c);
    return o == ANSWERED ? rc
                         : err_set(err, SLURMCTLD_COMMUNICATIONS_CONNECTION_ERROR, "%s",
                                   err_text(SLURMCTLD_COMMUNICATIONS_CONNECTION_ERROR));
}
