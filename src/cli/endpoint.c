/* endpoint - srun's listening sockets; see endpoint.h. */
#include "cli/endpoint.h"

#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mem.h"

#define BACKLOG 1024

static int open_unix(struct endpoint *e, struct err *err)
{
    struct sockaddr_un addr = { .sun_family = AF_UNIX };
    snprintf(e->dir, sizeof(e->dir), "/tmp/spur-srun.XXXXXX");
    if (!mkdtemp(e->dir)) { /* mode 0700 */
        e->dir[0] = 0;
        return err_set(err, errno, "cannot make a folder below /tmp: %m");
    }
    snprintf(e->path, sizeof(e->path), "%s/io", e->dir);
    snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", e->path);
    e->unix_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (e->unix_fd < 0 || bind(e->unix_fd, (struct sockaddr *)&addr, sizeof(addr)) || listen(e->unix_fd, BACKLOG))
        return err_set(err, errno, "cannot listen on %s: %m", e->path);
    return 0;
}

/* For nodes on other machines; without TCP those of this one still get through. */
static void open_tcp(struct endpoint *e)
{
    struct sockaddr_in addr = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_ANY) };
    socklen_t len = sizeof(addr);
    auto_close int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)) || listen(fd, BACKLOG) ||
        getsockname(fd, (struct sockaddr *)&addr, &len))
        return;
    e->port = ntohs(addr.sin_port);
    e->tcp_fd = take_fd(fd);
}

int endpoint_open(struct endpoint *e, struct err *err)
{
    *e = (struct endpoint)ENDPOINT_INIT;
    if (getrandom(e->token, sizeof(e->token), 0) != sizeof(e->token))
        return err_set(err, errno, "cannot get random bytes: %m");
    gethostname(e->host, sizeof(e->host) - 1);
    open_tcp(e);
    return open_unix(e, err);
}

void endpoint_close(struct endpoint *e)
{
    if (e->unix_fd >= 0)
        close(take_fd(e->unix_fd));
    if (e->tcp_fd >= 0)
        close(take_fd(e->tcp_fd));
    if (e->path[0])
        unlink(e->path);
    if (e->dir[0])
        rmdir(e->dir);
    e->path[0] = e->dir[0] = 0;
}

static struct endpoint *guarded;

static void on_signal(int signo)
{
    unlink(guarded->path);
    rmdir(guarded->dir);
    raise(signo); /* SA_RESETHAND: this time it is the default */
}

void endpoint_guard(struct endpoint *e)
{
    static const int fatal[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };
    struct sigaction act = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };
    guarded = e;
    for (size_t i = 0; i < ARRAY_LEN(fatal); i++)
        sigaction(fatal[i], &act, NULL);
}

void endpoint_tell(struct endpoint *e, Pb__IoEndpoint *io)
{
    pb__io_endpoint__init(io);
    io->unix_path = e->path;
    io->host = e->host;
    io->port = e->port;
    io->token = (ProtobufCBinaryData){ sizeof(e->token), e->token };
}

bool endpoint_knows(const struct endpoint *e, const void *token, size_t len)
{
    const uint8_t *p = token;
    unsigned differ = 0;
    if (len != sizeof(e->token))
        return false;
    for (size_t i = 0; i < len; i++)
        differ |= (unsigned)(e->token[i] ^ p[i]);
    return !differ;
}
