/* endpoint - srun's listening sockets; see endpoint.h. */
#include "cli/endpoint.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/mem.h"
#include "io/link_sock.h"

static int open_unix(struct endpoint *e, struct err *err)
{
    snprintf(e->dir, sizeof(e->dir), "/tmp/spur-srun.XXXXXX");
    if (!mkdtemp(e->dir)) { /* mode 0700 */
        e->dir[0] = 0;
        return err_set(err, errno, "cannot make a folder below /tmp: %m");
    }
    snprintf(e->path, sizeof(e->path), "%s/io", e->dir);
    e->unix_fd = link_sock_listen_unix(e->path, 0777, err);
    return e->unix_fd < 0 ? err->code : 0;
}

int endpoint_open(struct endpoint *e, struct err *err)
{
    *e = (struct endpoint)ENDPOINT_INIT;
    if (getrandom(e->token, sizeof(e->token), 0) != sizeof(e->token))
        return err_set(err, errno, "cannot get random bytes: %m");
    gethostname(e->host, sizeof(e->host) - 1);
    e->tcp_fd = link_sock_listen_tcp(&e->port, NULL); /* without TCP the nodes of this machine still get through */
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
