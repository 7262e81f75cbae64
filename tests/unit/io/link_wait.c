/* link_wait: frames survive short reads and writes; each system call may fail, and every wait ends in time. */
#include "io/link_wait.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "test.h"

/* ---- system calls that fail, or take and give little (the linker puts these before the real ones) ---- */

static struct {
    unsigned calls, fail_at; /* the call with this number fails; 0: none */
    int error;
    size_t most; /* bytes that one send or recv takes; 0: all */
} sys;

static bool sys_fails(void)
{
    if (++sys.calls != sys.fail_at)
        return false;
    errno = sys.error;
    return true;
}

static size_t sys_some(size_t n)
{
    return sys.most ? MIN(n, sys.most) : n;
}

int __real_socket(int domain, int type, int protocol);
int __real_connect(int fd, const struct sockaddr *to, socklen_t len);
int __real_poll(struct pollfd *p, nfds_t n, int ms);
ssize_t __real_send(int fd, const void *p, size_t n, int flags);
ssize_t __real_recv(int fd, void *p, size_t n, int flags);
int __wrap_socket(int domain, int type, int protocol);
int __wrap_connect(int fd, const struct sockaddr *to, socklen_t len);
int __wrap_poll(struct pollfd *p, nfds_t n, int ms);
ssize_t __wrap_send(int fd, const void *p, size_t n, int flags);
ssize_t __wrap_recv(int fd, void *p, size_t n, int flags);

int __wrap_socket(int domain, int type, int protocol)
{
    return sys_fails() ? -1 : __real_socket(domain, type, protocol);
}
int __wrap_connect(int fd, const struct sockaddr *to, socklen_t len)
{
    return sys_fails() ? -1 : __real_connect(fd, to, len);
}
int __wrap_poll(struct pollfd *p, nfds_t n, int ms)
{
    return sys_fails() ? -1 : __real_poll(p, n, ms);
}
ssize_t __wrap_send(int fd, const void *p, size_t n, int flags)
{
    return sys_fails() ? -1 : __real_send(fd, p, sys_some(n), flags);
}
ssize_t __wrap_recv(int fd, void *p, size_t n, int flags)
{
    return sys_fails() ? -1 : __real_recv(fd, p, sys_some(n), flags);
}

/* ---- a server in another process: hello, then each frame comes back ---- */

static const struct cred_key key = { "the key" };

static bool serve_hello(struct link_wait *w)
{
    uint8_t nonce[CRED_NONCE_LEN];
    auto_buf struct buf out = BUF_INIT;
    struct err err = ERR_INIT;
    struct hello h;
    enum hello_verdict v = HELLO_MORE;
    cred_random(nonce, sizeof(nonce));
    hello_serve(&h, &key, HELLO_USE(CRED_CLIENT), nonce, &out);
    while (v == HELLO_MORE) {
        size_t used;
        if (link_wait_send_bytes(w, out.s, out.len, -1, &err) || link_wait_poll(w, POLLIN, -1, &err) ||
            link_wait_read(w, &err))
            return false;
        buf_reset(&out);
        v = hello_step(&h, w->in.s + w->at, w->in.len - w->at, &used, clock_wall_ms(), &out, &err);
        w->at += used;
    }
    link_wait_send_bytes(w, out.s, out.len, -1, &err);
    return v == HELLO_OPEN;
}

static void serve_one(int fd)
{
    struct link_wait w = LINK_WAIT_INIT;
    struct frame f;
    link_wait_use(&w, fd, LINK_CLIENT);
    if (serve_hello(&w))
        while (!link_wait_next(&w, &f, -1, NULL)) {
            auto_buf struct buf out = BUF_INIT;
            frame_add(&out, f.type, f.flags, f.number, f.body, f.len);
            if (link_wait_send_bytes(&w, out.s, out.len, -1, NULL))
                break;
        }
    link_wait_clear(&w);
}

static pid_t start_server(uint16_t *port)
{
    int fd = link_sock_listen_tcp(port, NULL);
    pid_t pid = fork();
    if (pid) {
        close(fd);
        return pid;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that aborts leaves no server behind */
    for (;;) {
        struct pollfd p = { fd, POLLIN, 0 };
        poll(&p, 1, -1);
        int one = link_sock_accept(fd, LINK_CLIENT);
        if (one >= 0 && !fork()) {
            close(fd);
            serve_one(one);
            _exit(0);
        }
        if (one >= 0)
            close(one);
    }
}

/* ---- a client ---- */

static int open_link(struct link_wait *w, uint16_t port, const struct cred_key *with, struct err *err)
{
    struct link_claim claim = { with, CRED_CLIENT, NULL, 0, NULL, 0, 0 };
    return link_wait_tcp(w, "127.0.0.1", port, LINK_CONTROLLER, &claim, NULL, NULL, clock_mono_ms() + 20000, err);
}

/* A frame of `len` bytes there and back; 0 if it is the same. */
static int echo(struct link_wait *w, size_t len, struct err *err)
{
    auto_buf struct buf text = BUF_INIT;
    for (size_t i = 0; i < len; i++)
        buf_addc(&text, (char)(i * 31));
    Pb__IoData d = PB__IO_DATA__INIT;
    d.data = (ProtobufCBinaryData){ text.len, (uint8_t *)text.s };
    int64_t deadline_ms = clock_mono_ms() + 20000;
    struct frame f;
    int rc = link_wait_send(w, MSG_IO_DATA, 0, 42, &d.base, deadline_ms, err);
    if (!rc)
        rc = link_wait_next(w, &f, deadline_ms, err);
    if (rc)
        return rc;
    Pb__IoData *got = f.type == MSG_IO_DATA && f.number == 42 ? pb__io_data__unpack(NULL, f.len, f.body) : NULL;
    bool same = got && got->data.len == len && (!len || !memcmp(got->data.data, text.s, len));
    if (got)
        pb__io_data__free_unpacked(got, NULL);
    return same ? 0 : EBADMSG;
}

static unsigned open_fds(void)
{
    unsigned n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

static void test_short(uint16_t port)
{
    for (size_t most = 1; most <= 3; most++) {
        struct link_wait w = LINK_WAIT_INIT;
        struct err err = ERR_INIT;
        sys.most = most;
        bool good = !open_link(&w, port, &key, &err);
        for (size_t len = 0; len < 40; len++)
            good = good && !echo(&w, len, &err);
        ok(good && !echo(&w, 5000, &err), "frames go whole by %zu bytes a call", most);
        link_wait_clear(&w);
    }
    sys.most = 0;
}

static void test_wrong_key(uint16_t port)
{
    static const struct cred_key wrong = { "another key" };
    struct link_wait w = LINK_WAIT_INIT;
    struct err err = ERR_INIT;
    struct frame f;
    int rc = open_link(&w, port, &wrong, &err); /* the client's part of the exchange is over before the verdict */
    ok(!rc && !link_wait_next(&w, &f, clock_mono_ms() + 20000, &err) && f.type == MSG_FAILURE,
       "a wrong key is told by a failure");
    ok(link_wait_next(&w, &f, clock_mono_ms() + 20000, &err) == ECONNRESET, "and the server hangs up");
    link_wait_clear(&w);
}

/* Each call of a whole conversation fails once: an error or success, in time, and no descriptor is lost. */
static void test_faults(uint16_t port)
{
    static const int errors[] = { EIO, EINTR, EAGAIN, ECONNRESET };
    unsigned before = open_fds();
    for (size_t e = 0; e < ARRAY_LEN(errors); e++) {
        unsigned n = 0, wrong = 0, failed = 0;
        for (sys.calls = 1, sys.fail_at = 0; sys.calls >= sys.fail_at;) {
            struct link_wait w = LINK_WAIT_INIT;
            struct err err = ERR_INIT;
            sys.fail_at = ++n;
            sys.calls = 0;
            sys.error = errors[e];
            int rc = open_link(&w, port, &key, &err);
            wrong += rc && w.fd >= 0;
            if (!rc)
                rc = echo(&w, 100, &err);
            failed += rc != 0;
            wrong += (rc != 0) != (err.code != 0) && rc != EINTR;
            link_wait_clear(&w);
            if (sys.calls < sys.fail_at)
                wrong += rc != 0; /* nothing failed */
        }
        sys.fail_at = 0;
        ok(n > 6 && !wrong && failed < n, "each of %u calls fails once: %s", n - 1, strerror(errors[e]));
        if (errors[e] == EIO)
            is_int(failed, n - 1, "and each failure is told");
    }
    is_int(open_fds(), before, "no descriptor is left");
}

static void test_deadlines(void)
{
    uint16_t port;
    auto_close int fd = link_sock_listen_tcp(&port, NULL);
    struct link_wait w = LINK_WAIT_INIT, far = LINK_WAIT_INIT;
    ok(fd >= 0, "a listener");
    struct link_claim claim = { &key, CRED_CLIENT, NULL, 0, NULL, 0, 0 };
    struct err err = ERR_INIT;
    struct frame f;
    is_int(link_wait_tcp(&w, "127.0.0.1", port, LINK_CONTROLLER, &claim, NULL, NULL, clock_mono_ms() + 50, &err),
           ETIMEDOUT, "a server that says nothing is not waited for");
    int pair[2];
    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair);
    link_wait_use(&w, pair[0], LINK_CONTROLLER);
    link_wait_use(&far, pair[1], LINK_STRANGER);
    is_int(link_wait_next(&w, &f, clock_mono_ms() + 50, &err), ETIMEDOUT, "nor is an answer");
    auto_free char *much = mem_alloc(8 << 20);
    is_int(link_wait_send_bytes(&w, much, 8 << 20, clock_mono_ms() + 50, &err), ETIMEDOUT,
           "nor a peer that does not read");
    link_wait_clear(&w);
    link_wait_clear(&far);
}

static void test_limits(void)
{
    int pair[2];
    struct link_wait w = LINK_WAIT_INIT, far = LINK_WAIT_INIT;
    struct err err = ERR_INIT;
    struct frame f;
    auto_buf struct buf out = BUF_INIT;
    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair);
    link_wait_use(&w, pair[0], LINK_STRANGER);
    link_wait_use(&far, pair[1], LINK_STRANGER);
    frame_add_header(&out, MSG_IO_DATA, 0, 0, FRAME_MAX_HELLO + 1);
    link_wait_send_bytes(&far, out.s, out.len, -1, &err);
    is_int(link_wait_next(&w, &f, -1, &err), EMSGSIZE, "a stranger's frame over 4 KiB is refused by its header");
    is_int(link_wait_next(&w, &f, -1, NULL), EMSGSIZE, "also if no reason is asked for (client/reach.c)");
    ok(w.in.cap < 65536, "and no room was made for it");
    link_wait_clear(&w);
    ok(link_wait_read(&far, &err) == ECONNRESET, "its end is told");
    link_wait_clear(&far);
    struct link_wait none = LINK_WAIT_INIT;
    is_int(link_wait_unix(&none, "/nonexistent/socket", LINK_CONTROLLER, &err), ENOENT, "no socket there");
    is_int(link_wait_begin(&none, "localhost", 1, LINK_SRUN, &err), ECONNREFUSED, "a name is no numeric address");
}

static void test_addresses(void)
{
    static const struct {
        const char *text, *host;
        unsigned port;
    } cases[] = {
        { "n1:6817", "n1", 6817 },   { "[::1]:6817", "::1", 6817 }, { "n1", NULL, 0 },     { "n1:", NULL, 0 },
        { "n1:0", NULL, 0 },         { "n1:65536", NULL, 0 },       { ":6817", NULL, 0 },  { "[]:6817", NULL, 0 },
        { "1234567890:1", NULL, 0 }, { "n1:6817x", NULL, 0 },       { "n1:-1", NULL, 0 },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char host[10] = "";
        uint16_t port = 0;
        bool split = link_address_split(cases[i].text, host, sizeof(host), &port);
        ok(split == !!cases[i].host && (!split || (!strcmp(host, cases[i].host) && port == cases[i].port)),
           "address %s", cases[i].text);
    }
}

int main(void)
{
    uint16_t port = 0;
    signal(SIGCHLD, SIG_IGN);
    alarm(120);
    pid_t server = start_server(&port);
    test_short(port);
    test_wrong_key(port);
    test_faults(port);
    test_deadlines();
    test_limits();
    test_addresses();
    kill(server, SIGKILL);
    return test_done();
}
