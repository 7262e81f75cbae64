/* reach - a connected socket to a controller; see reach.h. */
#include "client/reach.h"

#include <dirent.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "wire/cred.h"
#include "wire/frame.h"

#define CONNECT_MS 2000

static int connect_path(const char *path)
{
    struct sockaddr_un addr = { .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof(addr.sun_path)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(addr.sun_path, path);
    auto_close int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
        return -1;
    return take_fd(fd);
}

int reach_unix(const struct site *site, uint64_t ctl_id, struct err *err)
{
    auto_free char *path = mem_printf("%s/ctl%llu.sock", site->socket_dir, (unsigned long long)ctl_id);
    int fd = connect_path(path);
    if (fd < 0)
        err_set(err, errno, "cannot connect to %s: %m", path);
    return fd;
}

int reach_agent(const struct site *site, const char *node, struct err *err)
{
    if (strchr(node, '/')) {
        err_set(err, EINVAL, "%s is no name of a node", node);
        return -1;
    }
    auto_free char *path = mem_printf("%s/spurd-%s.sock", site->socket_dir, node);
    int fd = connect_path(path);
    if (fd < 0)
        err_set(err, errno, "cannot connect to %s: %m", path);
    return fd;
}

/* ---- TCP ---- */

static int wait_for(int fd, short events, int ms)
{
    struct pollfd p = { fd, events, 0 };
    int n = poll(&p, 1, ms);
    if (n == 0)
        errno = ETIMEDOUT;
    return n > 0 ? 0 : -1;
}

static int connect_addr(const struct addrinfo *ai)
{
    auto_close int fd = socket(ai->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    if (connect(fd, ai->ai_addr, ai->ai_addrlen)) {
        if (errno != EINPROGRESS || wait_for(fd, POLLOUT, CONNECT_MS))
            return -1;
        int e = 0;
        socklen_t len = sizeof(e);
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &e, &len);
        if (e) {
            errno = e;
            return -1;
        }
    }
    int one = 1;
    (void)!setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    (void)!setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one));
    (void)!fcntl(fd, F_SETFL, 0); /* blocking from here on */
    return take_fd(fd);
}

static int read_frame(int fd, struct buf *in, struct frame *f, struct err *err)
{
    size_t used;
    int rc;
    while (!(rc = frame_find(in->s, in->len, FRAME_MAX_HELLO, f, &used, err))) {
        if (wait_for(fd, POLLIN, CONNECT_MS))
            return err_set(err, errno, "the controller does not answer: %m");
        char *at = buf_room(in, 4096);
        ssize_t n = recv(fd, at, 4096, 0);
        if (n <= 0)
            return err_set(err, n ? errno : ECONNRESET, "the controller closed the connection");
        in->len += (size_t)n;
    }
    return rc < 0 ? err->code : 0;
}

static int sign_ourselves(const struct site *site, const ProtobufCBinaryData *nonce, struct buf *out)
{
    struct cred_key key;
    if (cred_key_load(&key, site->key_file, NULL))
        return EACCES;
    Pb__Cred cred = PB__CRED__INIT;
    cred.uid = geteuid();
    cred.gid = getegid();
    cred.issued_ms = clock_wall_ms();
    cred.expires_ms = cred.issued_ms + CRED_TTL_MS;
    cred.nonce = *nonce;
    cred.use = CRED_CLIENT;
    cred_make(&key, &cred, out);
    return 0;
}

static int ask_daemon(const char *path, const ProtobufCBinaryData *nonce, struct buf *out)
{
    auto_close int fd = connect_path(path);
    if (fd < 0)
        return errno;
    Pb__CredRequest req = PB__CRED_REQUEST__INIT;
    req.nonce = *nonce;
    req.use = CRED_CLIENT;
    auto_buf struct buf msg = BUF_INIT, in = BUF_INIT;
    frame_add_pb(&msg, MSG_CRED, 0, 1, &req.base);
    struct frame f;
    if (send(fd, msg.s, msg.len, MSG_NOSIGNAL) != (ssize_t)msg.len || read_frame(fd, &in, &f, NULL) ||
        f.type != MSG_CRED_REPLY)
        return EPROTO;
    Pb__CredReply *reply = pb__cred_reply__unpack(NULL, f.len, f.body);
    if (!reply || !reply->cred)
        return EPROTO;
    size_t n = pb__signed__get_packed_size(reply->cred);
    pb__signed__pack(reply->cred, (uint8_t *)buf_room(out, n));
    out->len += n;
    pb__cred_reply__free_unpacked(reply, NULL);
    return 0;
}

/* Any Spur daemon of this machine will do: all hold the key. */
static int sign_by_daemon(const struct site *site, const ProtobufCBinaryData *nonce, struct buf *out)
{
    DIR *d = opendir(site->socket_dir);
    int rc = ENOENT;
    for (struct dirent *e; d && rc && (e = readdir(d));) {
        if (!str_has_suffix(e->d_name, ".sock"))
            continue;
        auto_free char *path = mem_printf("%s/%s", site->socket_dir, e->d_name);
        rc = ask_daemon(path, nonce, out);
    }
    if (d)
        closedir(d);
    return rc;
}

static int introduce(const struct site *site, int fd, struct err *err)
{
    auto_buf struct buf in = BUF_INIT, cred = BUF_INIT, out = BUF_INIT;
    struct frame f;
    int rc = read_frame(fd, &in, &f, err);
    if (rc)
        return rc;
    Pb__Challenge *ch = f.type == MSG_CHALLENGE ? pb__challenge__unpack(NULL, f.len, f.body) : NULL;
    if (!ch)
        return err_set(err, EPROTO, "what listens there is not a Spur controller");
    if (sign_ourselves(site, &ch->nonce, &cred) && sign_by_daemon(site, &ch->nonce, &cred)) {
        pb__challenge__free_unpacked(ch, NULL);
        return err_set(err, EACCES,
                       "no Spur daemon runs on this machine to vouch for you (looked in %s), and %s cannot be read",
                       site->socket_dir, site->key_file);
    }
    pb__challenge__free_unpacked(ch, NULL);
    Pb__Hello hello = PB__HELLO__INIT;
    hello.version = SPUR_VERSION;
    hello.cred = pb__signed__unpack(NULL, cred.len, (uint8_t *)cred.s);
    frame_add_pb(&out, MSG_HELLO, 0, 0, &hello.base);
    pb__signed__free_unpacked(hello.cred, NULL);
    if (send(fd, out.s, out.len, MSG_NOSIGNAL) != (ssize_t)out.len)
        return err_set(err, errno, "cannot greet the controller: %m");
    return 0;
}

int reach_tcp(const struct site *site, const char *host, uint16_t port, struct err *err)
{
    char service[8];
    snprintf(service, sizeof(service), "%u", port);
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV }, *list;
    if (getaddrinfo(host, service, &hints, &list)) {
        err_set(err, EHOSTUNREACH, "cannot find the address of %s", host);
        return -1;
    }
    auto_close int fd = -1;
    for (struct addrinfo *ai = list; ai && fd < 0; ai = ai->ai_next)
        fd = connect_addr(ai);
    if (fd < 0)
        err_set(err, errno, "cannot connect to %s:%u: %m", host, port);
    freeaddrinfo(list);
    if (fd < 0 || introduce(site, fd, err))
        return -1;
    return take_fd(fd);
}
