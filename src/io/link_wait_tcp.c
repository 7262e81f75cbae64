/* link_wait_tcp - a command's TCP connection: resolved, connected, with its identity shown; see link_wait.h. */
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "io/link_wait.h"

static int wait_connected(struct link_wait *w, int64_t deadline_ms, struct err *err)
{
    int rc;
    do
        rc = link_wait_poll(w, POLLOUT, deadline_ms, err);
    while (rc == EINTR);
    return rc ? rc : link_wait_connected(w, err);
}

static int connect_one(struct link_wait *w, const struct addrinfo *to, enum link_class class, int64_t deadline_ms,
                       struct err *err)
{
    int fd = link_sock_connect(to->ai_addr, to->ai_addrlen, class, err);
    if (fd < 0)
        return err->code;
    link_wait_use(w, fd, class);
    int rc = wait_connected(w, deadline_ms, err);
    if (rc)
        link_wait_close(w);
    return rc;
}

/* One address after another: the first that answers. */
static int connect_any(struct link_wait *w, const char *host, uint16_t port, enum link_class class, int64_t deadline_ms,
                       struct err *err)
{
    char service[8];
    snprintf(service, sizeof(service), "%u", port);
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV }, *list;
    if (getaddrinfo(host, service, &hints, &list))
        return err_set(err, EHOSTUNREACH, "cannot find the address of %s", host);
    struct err why = ERR_INIT;
    int rc = EHOSTUNREACH;
    for (struct addrinfo *ai = list; ai && rc; ai = ai->ai_next)
        rc = connect_one(w, ai, class, deadline_ms, &why);
    freeaddrinfo(list);
    return rc ? err_set(err, rc, "cannot connect to %s:%u: %s", host, port, strerror(rc)) : 0;
}

/* Take in some more bytes. */
static int hello_read(struct link_wait *w, int64_t deadline_ms, struct err *err)
{
    int rc;
    do {
        rc = link_wait_poll(w, POLLIN, deadline_ms, err);
        if (!rc)
            rc = link_wait_read(w, err);
    } while (rc == EAGAIN || rc == EINTR);
    return rc;
}

static int introduce(struct link_wait *w, const struct link_claim *claim, link_sign_fn *sign, void *arg,
                     int64_t deadline_ms, struct err *err)
{
    auto_buf struct buf out = BUF_INIT, cred = BUF_INIT;
    struct hello h;
    enum hello_verdict v = HELLO_MORE;
    hello_connect(&h, claim);
    if (w->tls) {
        uint8_t binding[CRED_BINDING_LEN];
        tls_binding(w->tls, binding);
        hello_bind(&h, binding);
    }
    h.claim.uid = geteuid();
    h.claim.gid = getegid();
    while (v == HELLO_MORE) {
        size_t used = 0;
        const char *in = w->in.s ? w->in.s + w->at : ""; /* nothing was read yet */
        v = hello_step(&h, in, w->in.len - w->at, &used, clock_cluster_ms(), &out, err);
        w->at += used;
        if (v == HELLO_SIGN) {
            int rc = sign(arg, h.nonce, &cred, err);
            if (rc)
                return rc;
            v = hello_sign(&h, cred.s, cred.len, &out, err);
        }
        int rc = link_wait_send_bytes(w, out.s, out.len, deadline_ms, err);
        buf_reset(&out);
        if (!rc && v == HELLO_MORE && !used)
            rc = hello_read(w, deadline_ms, err);
        if (rc)
            return rc;
    }
    return v == HELLO_OPEN ? 0 : err->code;
}

/* The server is what it should be, and nothing is readable for others from here on. */
static int handshake(struct link_wait *w, const struct link_claim *claim, int64_t deadline_ms, struct err *err)
{
    w->tls = tls_connect(claim->key, claim->to ? CRED_ROLE_AGENT : CRED_ROLE_CONTROLLER, claim->to);
    tls_use_fd(w->tls, w->fd);
    for (;;) {
        int rc = tls_handshake(w->tls, err);
        if (rc == EAGAIN)
            rc = link_wait_poll(w, tls_wants_out(w->tls) ? POLLOUT : POLLIN, deadline_ms, err);
        else
            return rc;
        if (rc && rc != EINTR)
            return rc;
    }
}

int link_wait_tcp(struct link_wait *w, const char *host, uint16_t port, enum link_class class,
                  const struct link_claim *claim, link_sign_fn *sign, void *arg, int64_t deadline_ms, struct err *err)
{
    struct err own = ERR_INIT;
    err = err ? err : &own;
    int rc = connect_any(w, host, port, class, deadline_ms, err);
    if (!rc && claim->key && claim->key->trust)
        rc = handshake(w, claim, deadline_ms, err);
    if (!rc)
        rc = introduce(w, claim, sign, arg, deadline_ms, err);
    if (rc)
        link_wait_close(w);
    return rc;
}
