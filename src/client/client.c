/* client - one call to the controller; see client.h. */
#include "client/client.h"

#include <poll.h>
#include <string.h>

#include "base/clock.h"
#include "base/errnum.h"
#include "base/mem.h"
#include "base/str.h"
#include "client/arena.h"
#include "client/reach.h"

#define BACKOFF_MS 300000 /* a call that is told to slow down goes on asking for so long */

struct client {
    struct site *site;
    struct link_wait link;
    size_t next; /* controller to try next */
    bool relayed, direct; /* a node's daemon carries the requests; it failed once: no more of it */
    uint64_t number;
    unsigned patience_s;
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
    c->link.fd = -1;
    c->patience_s = MAX(site->message_timeout_s, 10);
    arena_init(&c->arena);
    *out = c;
    return 0;
}

void client_close(struct client *c)
{
    if (!c)
        return;
    link_wait_clear(&c->link);
    arena_clear(&c->arena);
    site_free(c->site);
    free(c);
}

const struct site *client_site(const struct client *c)
{
    return c->site;
}
unsigned client_patience(struct client *c, unsigned seconds)
{
    unsigned before = c->patience_s;
    c->patience_s = seconds;
    return before;
}
int client_fd(const struct client *c)
{
    return c->link.fd;
}

int client_wait_ms(const struct client *c)
{
    return link_wait_watch_ms(&c->link);
}

void client_free(ProtobufCMessage *m)
{
    if (m)
        protobuf_c_message_free_unpacked(m, NULL);
}

/* ---- finding a controller ---- */

static int connect_to(struct client *c, uint64_t id, const char *host, uint16_t port, struct err *err)
{
    int rc = reach_controller(&c->link, c->site, id, host, port, err);
    if (!rc)
        link_wait_watch(&c->link, c->site->node_timeout_s);
    return rc;
}

static void hang_up(struct client *c)
{
    link_wait_close(&c->link);
    c->direct |= c->relayed;
    c->relayed = false;
}

static int connect_relay(struct client *c)
{
    int rc = c->direct ? ENOENT : reach_relay(&c->link, c->site, NULL);
    c->relayed = !rc;
    if (!rc)
        link_wait_watch(&c->link, c->site->node_timeout_s);
    return rc;
}

/* A node's daemon on this machine, the leader that a redirect named, else the configured controllers in turn. */
static int connect_any(struct client *c, struct err *err)
{
    if (!connect_relay(c))
        return 0;
    if (c->leader_id) {
        uint64_t id = c->leader_id;
        c->leader_id = 0;
        if (!connect_to(c, id, c->leader_host, c->leader_port, err))
            return 0;
    }
    for (size_t i = 0; i < c->site->nctl; i++) {
        const struct site_ctl *k = &c->site->ctl[c->next++ % c->site->nctl];
        if (!connect_to(c, k->id, k->host, k->port, err))
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

/* ---- answers ---- */

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
    struct frame f;
    bool begun = false;
    if (link_wait_send(&c->link, a->type, FRAME_PACKS, ++c->number, a->request, deadline, err))
        return AGAIN;
    for (;;) {
        *rc = link_wait_next(&c->link, &f, deadline, err);
        if (*rc == EINTR)
            continue;
        if (*rc)
            return begun ? ANSWERED : AGAIN;
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
    unsigned nap_ms = 10, slow_ms = 50;
    struct err own = ERR_INIT;
    err = err ? err : &own;
    for (;;) {
        int rc = 0;
        bool told = c->leader_id != 0;
        if (c->link.fd >= 0 || !connect_any(c, err)) {
            if (try_once(c, a, a->type == MSG_WAIT ? -1 : end, &rc, err) == ANSWERED) {
                if (rc != SLURMCTLD_COMMUNICATIONS_BACKOFF || clock_mono_ms() - begun > BACKOFF_MS)
                    return rc;
                /* The controller lives and this user asks too much: wait, and ask again however long it takes. */
                poll(NULL, 0, (int)(slow_ms + (unsigned)(clock_mono_us() % slow_ms)));
                slow_ms = MIN(slow_ms * 2, 1000u);
                end = clock_mono_ms() + (int64_t)c->patience_s * 1000;
                continue;
            }
            hang_up(c);
        } else if (err->code == EPERM) {
            return EPERM; /* the socket is another user's: waiting does not help */
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
    int64_t deadline_ms = clock_mono_ms() + (int64_t)c->patience_s * 1000;
    if (c->link.fd >= 0 && !link_wait_send(&c->link, type, 0, ++c->number, request, deadline_ms, err))
        return 0;
    hang_up(c);
    return err_set(err, ECONNRESET, "the controller went away");
}

int client_more(struct client *c, enum msg_type want, ProtobufCMessage **reply, int timeout_ms, struct err *err)
{
    struct frame f;
    struct err own = ERR_INIT;
    err = err ? err : &own;
    if (c->link.fd < 0)
        return err_set(err, ECONNRESET, "not connected");
    int rc = link_wait_next(&c->link, &f, timeout_ms < 0 ? -1 : clock_mono_ms() + timeout_ms, err);
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
    link_wait_close(&c->link);
    c->relayed = false;
    if (connect_to(c, k->id, k->host, k->port, err))
        return err->code;
    enum outcome o = try_once(c, &a, clock_mono_ms() + 2000, &rc, err);
    link_wait_close(&c->link);
    return o == ANSWERED ? rc
                         : err_set(err, SLURMCTLD_COMMUNICATIONS_CONNECTION_ERROR, "%s",
                                   err_text(SLURMCTLD_COMMUNICATIONS_CONNECTION_ERROR));
}
