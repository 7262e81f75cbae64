/* link_listen - links that this process accepts; see link.h. */
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/mem.h"
#include "base/str.h"
#include "io/link_priv.h"
#include "io/refusal_log.h"

#define BACKLOG 1024

struct link_listener {
    union link_handle h;
    struct link_listen_conf conf;
    bool tcp;
    struct link *oldest, *newest; /* accepted connections whose peers are not known yet */
    unsigned strangers;
};

/* ---- peers that are not known yet ---- */

static void door_enter(struct link_listener *at, struct link *l)
{
    l->door = at;
    l->older = at->newest;
    *(at->newest ? &at->newest->newer : &at->oldest) = l;
    at->newest = l;
    if (++at->strangers > (at->conf.strangers_max ? at->conf.strangers_max : LINK_STRANGERS_MAX))
        link_fail(at->oldest, ECONNABORTED, "too many connections without an identity: this one is the oldest");
}

void link_door_leave(struct link *l)
{
    struct link_listener *at = take(l->door);
    if (!at)
        return;
    *(l->older ? &l->older->newer : &at->oldest) = l->newer;
    *(l->newer ? &l->newer->older : &at->newest) = l->older;
    l->older = l->newer = NULL;
    at->strangers--;
}

/* ---- accepting ---- */

static void accept_unix(struct link *l)
{
    int fd;
    if (uv_fileno(&l->h->any, &fd) || link_sock_peer(fd, &l->peer)) {
        link_fail(l, EACCES, "the kernel does not name the peer");
        return;
    }
    l->class = link_peer_class(&l->peer);
    if (link_read_start(l))
        link_open(l);
}

static void note_remote(struct link *l)
{
    struct sockaddr_storage from;
    int len = sizeof(from);
    char host[INET6_ADDRSTRLEN] = "?";
    if (uv_tcp_getpeername(&l->h->tcp, (struct sockaddr *)&from, &len))
        return;
    bool v6 = from.ss_family == AF_INET6;
    uv_ip_name((struct sockaddr *)&from, host, sizeof(host));
    uint16_t port = v6 ? ((struct sockaddr_in6 *)&from)->sin6_port : ((struct sockaddr_in *)&from)->sin_port;
    snprintf(l->remote, sizeof(l->remote), "%s:%u", host, ntohs(port));
}

static void accept_tcp(struct link *l, const struct link_listen_conf *conf)
{
    uint8_t nonce[CRED_NONCE_LEN];
    auto_buf struct buf challenge = BUF_INIT;
    int fd;
    if (!uv_fileno(&l->h->any, &fd))
        link_sock_tune(fd, LINK_STRANGER);
    l->hello = NEW(struct hello);
    note_remote(l);
    link_deadline(l);
    if (conf->key->trust) {
        *l->hello = (struct hello){ .key = conf->key, .uses = conf->uses };
        l->tls = tls_serve(conf->key);
        link_tls_start(l);
        return;
    }
    cred_random(nonce, sizeof(nonce));
    hello_serve(l->hello, conf->key, conf->uses, nonce, &challenge);
    link_hello_start(l, &challenge);
}

static void on_connection(uv_stream_t *s, int status)
{
    struct link_listener *at = CONTAINER_OF(s, struct link_listener, h.stream);
    if (status < 0) {
        refusal_log_listener(uv_strerror(status));
        return;
    }
    struct link *l = link_new(at->conf.loop, LINK_STRANGER, at->conf.ops, at->conf.arg);
    l->bounded = at->conf.bounded;
    link_handle_new(l, at->tcp);
    if (uv_accept(s, &l->h->stream)) {
        link_fail(l, ECONNABORTED, "the connection cannot be accepted");
    } else if (at->tcp) {
        door_enter(at, l);
        accept_tcp(l, &at->conf);
    } else {
        accept_unix(l);
    }
}

/* ---- listening ---- */

static void listener_closed(uv_handle_t *h)
{
    free(CONTAINER_OF(h, struct link_listener, h.any));
}

void link_listener_close(struct link_listener *s)
{
    while (s && s->oldest)
        link_door_leave(s->oldest);
    if (s)
        uv_close(&s->h.any, listener_closed);
}

static int finish(struct link_listener **out, struct link_listener *s, int rc, const char *where, struct err *err)
{
    if (!rc)
        rc = uv_listen(&s->h.stream, BACKLOG, on_connection);
    if (!rc) {
        *out = s;
        return 0;
    }
    link_listener_close(s);
    return err_set(err, -rc, "cannot listen on %s: %s", where, uv_strerror(rc));
}

int link_listen_unix(struct link_listener **out, const struct link_listen_conf *conf, const char *path, struct err *err)
{
    size_t most = sizeof(((struct sockaddr_un *)0)->sun_path) - 1;
    if (strlen(path) > most)
        return err_set(err, ENAMETOOLONG, "the socket path %s is longer than %zu bytes", path, most);
    struct link_listener *s = NEW(struct link_listener);
    s->conf = *conf;
    unlink(path);
    uv_pipe_init(conf->loop, &s->h.pipe, 0);
    int rc = uv_pipe_bind(&s->h.pipe, path);
    if (!rc && chmod(path, 0777))
        rc = -errno;
    return finish(out, s, rc, path, err);
}

/* Blocks for the name server: daemons listen before they serve. */
static int resolve_listen(const char *host, uint16_t port, struct sockaddr_storage *out)
{
    char service[8];
    snprintf(service, sizeof(service), "%u", port);
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV | (host ? 0 : AI_PASSIVE) }, *list;
    if (getaddrinfo(host, service, &hints, &list))
        return EHOSTUNREACH;
    memcpy(out, list->ai_addr, list->ai_addrlen);
    freeaddrinfo(list);
    return 0;
}

int link_listen_tcp(struct link_listener **out, const struct link_listen_conf *conf, const char *host, uint16_t port,
                    struct err *err)
{
    struct sockaddr_storage addr;
    if (resolve_listen(host, port, &addr))
        return err_set(err, EHOSTUNREACH, "cannot find the address of %s", host);
    struct link_listener *s = NEW(struct link_listener);
    auto_free char *where = mem_printf("%s:%u", str_or(host, "*"), port);
    s->conf = *conf;
    s->tcp = true;
    uv_tcp_init(conf->loop, &s->h.tcp);
    return finish(out, s, uv_tcp_bind(&s->h.tcp, (struct sockaddr *)&addr, 0), where, err);
}
