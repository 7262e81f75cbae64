/* link_connect - links that this process opens: names are resolved off the loop, every address is tried; see link.h. */
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

#include "base/clock.h"
#include "base/mem.h"
#include "io/link_priv.h"

struct link_dial {
    uv_getaddrinfo_t resolve;
    uv_connect_t connect;
    struct addrinfo *list, *next; /* addresses that were found; the one to try next */
    bool resolving;
};

void link_dial_stop(struct link *l)
{
    if (!l->dial)
        return;
    if (l->dial->resolving)
        uv_cancel((uv_req_t *)&l->dial->resolve);
    l->dial->next = NULL;
}

void link_dial_free(struct link *l)
{
    if (!l->dial)
        return;
    uv_freeaddrinfo(l->dial->list);
    free(take(l->dial));
}

static struct link_dial *dial_new(struct link *l)
{
    l->dial = NEW(struct link_dial);
    l->dial->resolve.data = l->dial->connect.data = l;
    l->stage = LINK_CONNECTING;
    link_deadline(l);
    return l->dial;
}

/* ---- connected ---- */

static void begin(struct link *l)
{
    int fd;
    if (!uv_fileno(&l->h->any, &fd))
        link_sock_tune(fd, l->class);
    const struct link_claim *claim = l->hello ? &l->hello->claim : NULL;
    if (claim && claim->key && claim->key->trust)
        l->tls = tls_connect(claim->key, claim->to ? CRED_ROLE_AGENT : CRED_ROLE_CONTROLLER, claim->to);
    if (l->tls) {
        link_tls_start(l);
    } else if (l->hello) {
        link_hello_start(l, &(struct buf)BUF_INIT);
    } else if (link_read_start(l)) {
        link_open(l);
    }
}

static void try_address(struct link *l);

static void attempt_closed(uv_handle_t *h)
{
    struct link *l = h->data;
    free(h);
    if (l->stage == LINK_CONNECTING) {
        l->handles--;
        try_address(l);
    } else {
        link_handle_gone(l);
    }
}

static void on_connected(uv_connect_t *req, int status)
{
    struct link *l = req->data;
    if (l->stage != LINK_CONNECTING)
        return;
    if (!status)
        begin(l);
    else if (l->dial->next)
        uv_close(&take(l->h)->any, attempt_closed);
    else
        link_fail(l, -status, uv_strerror(status));
}

/* ---- TCP ---- */

static void connect_to(struct link *l, const struct sockaddr *to)
{
    link_handle_new(l, true);
    int rc = uv_tcp_connect(&l->dial->connect, &l->h->tcp, to, on_connected);
    if (rc)
        link_fail(l, -rc, uv_strerror(rc));
}

static void try_address(struct link *l)
{
    const struct addrinfo *to = l->dial->next;
    l->dial->next = to->ai_next;
    connect_to(l, to->ai_addr);
}

static void on_resolved(uv_getaddrinfo_t *req, int status, struct addrinfo *found)
{
    struct link *l = req->data;
    l->dial->resolving = false;
    l->dial->list = l->dial->next = found;
    if (l->stage != LINK_CONNECTING) {
        link_handle_gone(l);
        return;
    }
    l->handles--;
    if (status || !found)
        link_fail(l, EHOSTUNREACH, status ? uv_strerror(status) : "the name has no address");
    else
        try_address(l);
}

static void resolve(struct link *l, const char *host, uint16_t port)
{
    char service[8];
    snprintf(service, sizeof(service), "%u", port);
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV };
    int rc = uv_getaddrinfo(l->loop, &l->dial->resolve, on_resolved, host, service, &hints);
    if (rc) {
        link_fail(l, EHOSTUNREACH, uv_strerror(rc));
        return;
    }
    l->dial->resolving = true;
    l->handles++;
}

struct link *link_connect_tcp(uv_loop_t *loop, const char *host, uint16_t port, enum link_class class,
                              const struct link_claim *claim, const struct link_ops *ops, void *arg)
{
    struct link *l = link_new(loop, class, ops, arg);
    struct sockaddr_storage to;
    dial_new(l);
    if (claim->token.len) {
        l->tls = tls_connect_secret(claim->token.data, claim->token.len);
    } else {
        l->hello = NEW(struct hello);
        hello_connect(l->hello, claim);
        l->hello->claim.uid = geteuid();
        l->hello->claim.gid = getegid();
        l->hello->claim.wall_ms = clock_wall_ms();
    }
    if (link_address_parse(host, port, &to))
        connect_to(l, (struct sockaddr *)&to);
    else
        resolve(l, host, port);
    return l;
}

/* ---- Unix sockets ---- */

struct link *link_connect_unix(uv_loop_t *loop, const char *path, enum link_class class, const struct link_ops *ops,
                               void *arg)
{
    struct link *l = link_new(loop, class, ops, arg);
    dial_new(l);
    l->peer.local = true;
    link_handle_new(l, false);
    if (strlen(path) >= sizeof(((struct sockaddr_un *)0)->sun_path))
        link_fail(l, ENAMETOOLONG, "the path of the socket is too long");
    else
        uv_pipe_connect(&l->dial->connect, &l->h->pipe, path, on_connected);
    return l;
}

struct link *link_from_fd(uv_loop_t *loop, int fd, const struct link_ops *ops, void *arg)
{
    struct link *l = link_new(loop, LINK_CHILD, ops, arg);
    l->stage = LINK_OPEN;
    l->peer.local = true;
    link_handle_new(l, false);
    int rc = uv_pipe_open(&l->h->pipe, fd);
    if (rc)
        link_fail(l, -rc, uv_strerror(rc));
    else
        link_read_start(l);
    return l;
}
