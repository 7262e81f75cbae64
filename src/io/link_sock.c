/* link_sock - sockets for links; see link_sock.h. */
#include "io/link_sock.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/mem.h"
#include "base/str.h"

#define BACKLOG 1024

/* ---- addresses ---- */

bool link_address_split(const char *address, char *host, size_t size, uint16_t *port)
{
    const char *colon = strrchr(address, ':');
    uint64_t n;
    if (!colon || !str_u64(colon + 1, 1, UINT16_MAX, &n))
        return false;
    size_t len = (size_t)(colon - address);
    if (len >= 2 && address[0] == '[' && colon[-1] == ']') {
        address++;
        len -= 2;
    }
    if (!len || len >= size)
        return false;
    memcpy(host, address, len);
    host[len] = '\0';
    *port = (uint16_t)n;
    return true;
}

socklen_t link_address_parse(const char *host, uint16_t port, struct sockaddr_storage *out)
{
    struct sockaddr_in *v4 = (struct sockaddr_in *)out;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)out;
    *out = (struct sockaddr_storage){ 0 };
    if (inet_pton(AF_INET, host, &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons(port);
        return sizeof(*v4);
    }
    if (inet_pton(AF_INET6, host, &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(port);
        return sizeof(*v6);
    }
    return 0;
}

static bool unix_address(const char *path, struct sockaddr_un *out)
{
    *out = (struct sockaddr_un){ .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof(out->sun_path))
        return false;
    strcpy(out->sun_path, path);
    return true;
}

/* ---- connecting ---- */

int link_sock_connect_unix(const char *path, struct err *err)
{
    struct sockaddr_un to;
    errno = ENAMETOOLONG;
    auto_close int fd = unix_address(path, &to) ? socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
    if (fd >= 0 && !connect(fd, (struct sockaddr *)&to, sizeof(to)))
        return take_fd(fd);
    err_set(err, errno, "cannot connect to %s: %m", path);
    return -1;
}

int link_sock_connect(const struct sockaddr *to, socklen_t len, enum link_class class, struct err *err)
{
    auto_close int fd = socket(to->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0)
        link_sock_tune(fd, class);
    if (fd >= 0 && (!connect(fd, to, len) || errno == EINPROGRESS))
        return take_fd(fd);
    err_set(err, errno, "%m");
    return -1;
}

int link_sock_outcome(int fd)
{
    int rc = 0;
    socklen_t len = sizeof(rc);
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &rc, &len) ? errno : rc;
}

/* ---- listening ---- */

int link_sock_listen_unix(const char *path, mode_t mode, struct err *err)
{
    struct sockaddr_un at;
    errno = ENAMETOOLONG;
    bool fits = unix_address(path, &at);
    auto_close int fd = fits ? socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) : -1;
    mode_t old = umask(0777 & ~mode);
    bool bound = fd >= 0 && !bind(fd, (struct sockaddr *)&at, sizeof(at)) && !listen(fd, BACKLOG);
    int rc = bound ? 0 : errno;
    umask(old);
    errno = rc;
    if (bound)
        return take_fd(fd);
    err_set(err, rc, "cannot listen on %s: %m", path);
    return -1;
}

int link_sock_listen_tcp(uint16_t *port, struct err *err)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_ANY) };
    socklen_t len = sizeof(at);
    auto_close int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) || listen(fd, BACKLOG) ||
        getsockname(fd, (struct sockaddr *)&at, &len)) {
        err_set(err, errno, "cannot listen on a TCP port: %m");
        return -1;
    }
    *port = ntohs(at.sin_port);
    return take_fd(fd);
}

int link_sock_accept(int fd, enum link_class class)
{
    int peer = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (peer >= 0)
        link_sock_tune(peer, class);
    return peer;
}

/* ---- both ---- */

static void set_option(int fd, int level, int option, int value)
{
    (void)!setsockopt(fd, level, option, &value, sizeof(value));
}

void link_sock_tune(int fd, enum link_class class)
{
    const struct link_limits *limits = &link_limits[class];
    int domain = AF_UNIX, probe_s = (int)MAX(limits->probe_ms / 1000, 1u);
    socklen_t len = sizeof(domain);
    if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) || domain == AF_UNIX)
        return;
    set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    set_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, (int)limits->unacked_ms);
    if (!limits->probe_ms)
        return;
    set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, probe_s);
    set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, MAX(probe_s / 4, 1));
    set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
}

int link_sock_peer(int fd, struct link_peer *out)
{
    struct ucred who;
    socklen_t len = sizeof(who);
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len))
        return errno;
    *out = (struct link_peer){ .uid = who.uid, .gid = who.gid, .use = CRED_CLIENT, .local = true };
    return 0;
}
